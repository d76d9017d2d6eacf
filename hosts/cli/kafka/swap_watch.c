/* SPDX-License-Identifier: Apache-2.0 */
#include "swap_watch.h"

#include <string.h>

cli_swap_watch cli_swap_watch_begin(const cli_fleet *fleet, const char *name, int changed)
{
    cli_swap_watch watch = {.name = name, .changed = changed, .before_ms = CLI_UNKNOWN};
    const cli_instance *leader = cli_fleet_leader(fleet);
    if (leader != NULL) {
        memcpy(watch.before, leader->id, sizeof watch.before);
        watch.before_ms = leader->presence.led.at_ms;
    }
    return watch;
}

static int is_replaced(const cli_swap_watch *watch, const cli_wish *wish)
{
    if (watch->name == NULL) {
        return wish->document != NULL;
    }
    return wish->document == NULL || strcmp(wish->name, watch->name) != 0;
}

cli_swap_end cli_swap_watch_look(const cli_swap_watch *watch, const cli_fleet *fleet)
{
    if (is_replaced(watch, &fleet->wish)) {
        return CLI_SWAP_REPLACED;
    }
    const cli_instance *leader = cli_fleet_leader(fleet);
    if (leader == NULL) {
        return CLI_SWAP_NOT_YET;
    }
    const cli_presence *presence = &leader->presence;
    int is_new = !watch->changed || presence->led.at_ms != watch->before_ms || strcmp(leader->id, watch->before) != 0;
    const char *name = watch->name == NULL ? presence->configured : watch->name;
    return is_new && strcmp(presence->led.assignor, name) == 0 ? CLI_SWAP_DONE : CLI_SWAP_NOT_YET;
}

const cli_instance *cli_swap_watch_refuser(const cli_swap_watch *watch, const cli_fleet *fleet)
{
    const cli_instance *leader = cli_fleet_leader(fleet);
    int refuses = leader != NULL && watch->name != NULL && strcmp(leader->presence.swap_refused, watch->name) == 0;
    return refuses ? leader : NULL;
}
