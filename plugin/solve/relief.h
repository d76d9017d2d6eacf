/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relief: tasks that have just lost their owner, taken from members that would get more of them than their quota to
 * others with a caught-up copy. All caught-up copies are equally ready, so that this costs nothing now, while a task too
 * many has to move once more later.
 *
 * The number of tasks above quota becomes the least that can be had, by augmenting paths: A hands one to B, which
 * hands one of its own to C. What nobody has to give away stays with the copy that was chosen first, a learner before a
 * standby, and a standby's task goes before a learner's.
 */
#ifndef SGP_RELIEF_H
#define SGP_RELIEF_H

#include "core/view.h"

/* `open` lists tasks that are served by a copy; serve[] and load[] are as sgp_serve has filled them, and are changed. */
int32_t sgp_relieve(const sgp_view *view, const uint32_t *open, uint32_t opens, uint32_t *serve, uint32_t *load,
                    sgp_region *region);

#endif
