/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plugin checks of its input: all that memory safety and termination depend on, and no more. The rest of
 * segue/group.h is the host's to check before.
 */
#ifndef SGP_CHECK_H
#define SGP_CHECK_H

#include "segue/config.h"
#include "segue/group.h"

/* E_ARGUMENT, E_GROUP or E_CONFIG with row and text. Linear. */
int32_t sgp_check(const segue_group *group, const segue_config *config, segue_error *error);

#endif
