/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From processes to their members. What a process was given is shared out among the members that are present in it: each
 * gets its share rounded down, then the rest goes one each; a member keeps what it has as far as its share reaches.
 */
#ifndef SGP_SEAT_H
#define SGP_SEAT_H

#include "core/view.h"

/* How shares are measured. */
enum sgp_share { SGP_BY_THREADS, SGP_BY_MEMBERS };

/*
 * member[i] for every row with process[i] other than SEGUE_NONE; other rows are left alone. before[i] is a member that has
 * it now, or SEGUE_NONE. E_MEMORY is the only fault.
 */
int32_t sgp_seat(const sgp_view *view, size_t rows, const uint32_t *process, const uint32_t *before,
                 enum sgp_share share, uint32_t *member, sgp_region *region);

#endif
