/* SPDX-License-Identifier: Apache-2.0 */
/* The members' part of a view: threads, places, and the processes they share. */
#ifndef SGP_PLACES_H
#define SGP_PLACES_H

#include "core/view.h"

/* Fills the columns by member (but newcomer and owned) and by process. knows_leaving 0: nobody counts as leaving. */
int32_t sgp_places_build(sgp_view *view, int knows_leaving, sgp_region *region);

#endif
