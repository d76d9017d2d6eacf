/* SPDX-License-Identifier: Apache-2.0 */
/* offers.h - which instances have which assignor. Any thread; allocates nothing. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_OFFERS_H
#define SEGUE_HOSTS_CLI_KAFKA_OFFERS_H

#include "fleet.h"

enum { CLI_OFFERS_MOST = 64 };

/* The names of assignors that living instances have, each once, by the alphabet; the names belong to the fleet. */
typedef struct cli_offers {
    const char *names[CLI_OFFERS_MOST + 1]; /* NULL ends them */
    size_t count;
} cli_offers;

/* Does the instance say that it has this assignor? */
int cli_instance_offers(const cli_instance *instance, const char *name);

/* All of them, or CLI_OFFERS_MOST where more are told of than anybody has. */
void cli_offers_read(const cli_fleet *fleet, cli_offers *out);

#endif
