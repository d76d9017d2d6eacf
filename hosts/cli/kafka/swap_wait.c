/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clean.h"
#include "duration.h"
#include "swap.h"

static int say_done(const cli_fleet *fleet)
{
    char leader[CLI_NAME_ROOM];
    char assignor[CLI_NAME_ROOM];
    const cli_instance *row = cli_fleet_leader(fleet);
    const cli_led *led = &row->presence.led;
    cli_clean(leader, sizeof leader, cli_instance_name(row));
    printf("%s has led a rebalance by %s", leader, cli_clean(assignor, sizeof assignor, led->assignor));
    if (led->moves >= 0) {
        printf(": %" PRId64 " task%s moved", led->moves, led->moves == 1 ? "" : "s");
    }
    putchar('\n');
    if (led->fault[0] != '\0') {
        cli_complain("warning: its plan broke a rule, and the fallback answered: %s", led->fault);
    }
    return CLI_OK;
}

static int say_replaced(const cli_wish *wish)
{
    if (wish->document == NULL) {
        cli_complain("cancelled: the swap was taken back");
    } else {
        cli_complain("cancelled: %s is asked for by now, by %s", wish->name,
                     wish->by[0] == '\0' ? "somebody else" : wish->by);
    }
    return CLI_CANCELLED;
}

static int say_timed_out(const cli_swap_watch *watch, const cli_fleet *fleet, int64_t timeout_ms)
{
    char span[CLI_DURATION_ROOM];
    const char *more = cli_fleet_leader(fleet) == NULL                ? "; nobody says that it leads, the next rebalance does"
                       : cli_swap_watch_refuser(watch, fleet) != NULL ? "; it stays asked for"
                                                                      : "; the next one does";
    cli_complain("timed out: no rebalance has used %s within %s%s",
                 watch->name == NULL ? "what is configured" : watch->name,
                 cli_duration_write(timeout_ms, span, sizeof span), more);
    return CLI_TIMED_OUT;
}

/* Another instance may lead the next rebalance, so that this ends no waiting. */
static void warn_of_refusal(const cli_swap_watch *watch, const cli_fleet *fleet, char said[CLI_INSTANCE_ROOM])
{
    const cli_instance *leader = cli_swap_watch_refuser(watch, fleet);
    if (leader != NULL && strcmp(said, leader->id) != 0) {
        memcpy(said, leader->id, CLI_INSTANCE_ROOM);
        cli_complain("warning: %s leads, does not have %s and keeps %s; still waiting", cli_instance_name(leader),
                     watch->name, leader->presence.configured);
    }
}

int cli_swap_wait(cli_session *session, const cli_swap_watch *watch, int64_t timeout_ms)
{
    char said[CLI_INSTANCE_ROOM] = "";
    const cli_fleet *fleet = &session->fleet;
    for (int64_t end_ms = cli_now_ms() + timeout_ms;;) {
        int seen = cli_session_look(session);
        cli_swap_end end = seen ? cli_swap_watch_look(watch, fleet) : CLI_SWAP_NOT_YET;
        if (end != CLI_SWAP_NOT_YET) {
            return end == CLI_SWAP_DONE ? say_done(fleet) : say_replaced(&fleet->wish);
        }
        if (seen) {
            warn_of_refusal(watch, fleet, said);
        }
        if (cli_now_ms() >= end_ms) {
            return say_timed_out(watch, fleet, timeout_ms);
        }
        if (cli_flush() != CLI_OK) {
            return CLI_INPUT;
        }
        cli_pause();
    }
}
