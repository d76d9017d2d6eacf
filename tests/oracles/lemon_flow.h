/* SPDX-License-Identifier: Apache-2.0 */
/* LEMON's network simplex behind a function that C can call. */
#ifndef LEMON_FLOW_H
#define LEMON_FLOW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lemon_flow {
    int nodes, arcs;
    int *from, *to;      /* by arc */
    int64_t *low, *high; /* by arc */
    int64_t *cost;       /* by arc */
    int64_t *supply;     /* by node */
    int64_t *amount;     /* by arc, filled */
    int64_t run_ns;      /* filled: the simplex alone, without making its graph */
} lemon_flow;

/* 1: *amount is an optimum; 0: there is no flow. */
int lemon_flow_solve(lemon_flow *flow);

#ifdef __cplusplus
}
#endif
#endif
