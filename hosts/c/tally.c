/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <stdlib.h>

sgi_tally *sgi_tally_new(void)
{
    sgi_tally *tally = calloc(1, sizeof *tally);
    if (tally != NULL) {
        atomic_init(&tally->holders, 1);
    }
    return tally;
}

void sgi_tally_hold(sgi_tally *tally)
{
    atomic_fetch_add(&tally->holders, 1);
}

void sgi_tally_release(sgi_tally *tally)
{
    if (tally != NULL && atomic_fetch_sub(&tally->holders, 1) == 1) {
        free(tally);
    }
}
