/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the time of day, and what passes between two looks at a cluster. Any thread. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_CLOCK_H
#define SEGUE_HOSTS_CLI_KAFKA_CLOCK_H

#include <stdint.h>

/* Now, in milliseconds since 1970. */
int64_t cli_now_ms(void);

/* Lets a second pass until the next look. */
void cli_pause(void);

#endif
