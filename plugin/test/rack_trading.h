/* SPDX-License-Identifier: Apache-2.0 */
/* Clients in racks with actives dealt out at random, and what it costs where these are: said task by task. */
#ifndef SGP_TEST_RACK_TRADING_H
#define SGP_TEST_RACK_TRADING_H

#include "solve/rack_trade.h"
#include "test/clients_scene.h"

typedef struct rack_trading {
    clients_scene scene;
    sgp_rack_cost cost;
    sgp_rack_prices prices;
    uint32_t *before; /* by task: the layout's actives before anybody trades */
    uint64_t seed;
} rack_trading;

/* The same for the same arguments, always. Every rack is known; prices and strategy are any. */
rack_trading rack_trading_open(uint64_t seed, uint32_t most_tasks, uint32_t most_clients);
void rack_trading_close(rack_trading *t);

/* Trades what has state, or what has none. Nothing may be cut off. */
void rack_trading_run(rack_trading *t, int stateful);

/* What one task of the kind costs at a client, and all of them at theirs. */
int64_t rack_trading_price(const rack_trading *t, uint32_t task, uint32_t client);
int64_t rack_trading_cost(const rack_trading *t, int stateful, const uint32_t *active);

/* The most tasks of the kind and subtopology that a client may have: by Kafka's formula, or all of them. */
uint32_t rack_trading_room(const rack_trading *t, int stateful, uint32_t subtopology, uint32_t client);

/* Tasks of the kind at the client, of a subtopology or (SEGUE_NONE) of all. */
uint32_t rack_trading_count(const rack_trading *t, int stateful, uint32_t subtopology, uint32_t client,
                            const uint32_t *active);

/* Does everybody have as many of the kind as before, and of each subtopology no more than it may? */
int rack_trading_keeps_bounds(const rack_trading *t, int stateful, const uint32_t *active);

/* After a trade: it costs the least, and `keeps` holds of the layout. 1 when it costs less than before. */
int rack_trading_expect_least(const rack_trading *t, int stateful, int64_t least,
                              int (*keeps)(const rack_trading *t, int stateful, const uint32_t *active));

#endif
