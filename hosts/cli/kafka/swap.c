/* SPDX-License-Identifier: Apache-2.0 */
/* segue swap: asks all instances of an application for another assignor, without a restart. */
#include <stdio.h>
#include <string.h>

#include "swap.h"

#include "clean.h"
#include "duration.h"
#include "names.h"
#include "nearest.h"
#include "offers.h"

#define TIMEOUT_MS INT64_C(30000)

/* Beyond this a document's time counts as none. */
#define LATEST_MS ((INT64_C(1) << 53) - 1)

typedef struct swap_options {
    cli_session_options session;
    const char *assignor, *timeout;
    int64_t timeout_ms;
    int configured, wait;
} swap_options;

#define AT(field) offsetof(swap_options, field)

static const cli_option options[] = {
    CLI_SESSION_OPTIONS(swap_options),
    {"--assignor", "NAME", "what whoever leads uses from the next rebalance on", CLI_TEXT, AT(assignor), 0, 0},
    {"--configured", NULL, "go back to what each instance has configured", CLI_FLAG, AT(configured), 0, 0},
    {"--wait", NULL,
     "until a rebalance has used it; whoever stops waiting leaves the swap\n"
     "                         as it is",
     CLI_FLAG, AT(wait), 0, 0},
    {"--timeout", "DURATION", "how long to wait, such as 90s or 10m (default 30s)", CLI_TEXT, AT(timeout), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

static int check_usage(const cli_command *command, swap_options *wanted)
{
    wanted->timeout_ms = TIMEOUT_MS;
    int named = wanted->assignor != NULL && wanted->assignor[0] != '\0';
    if (named == wanted->configured) {
        cli_complain("%s: either --assignor NAME or --configured is needed", command->name);
        return CLI_USAGE;
    }
    if (wanted->timeout != NULL && !wanted->wait) {
        cli_complain("%s: --timeout goes only with --wait", command->name);
        return CLI_USAGE;
    }
    return cli_session_timeout(command, wanted->timeout, &wanted->timeout_ms);
}

static size_t count_living(const cli_fleet *fleet)
{
    size_t living = 0;
    for (size_t i = 0; i < fleet->count; i++) {
        living += cli_instance_lives(&fleet->rows[i]) ? 1 : 0;
    }
    return living;
}

static int refuse(const cli_fleet *fleet, const char *name)
{
    cli_names list = {0};
    cli_offers offers;
    cli_offers_read(fleet, &offers);
    for (size_t i = 0; i < offers.count; i++) {
        cli_names_add(&list, "%s", offers.names[i]);
    }
    const char *nearest = sgi_nearest(name, offers.names);
    cli_complain("%s: no instance of %s has such an assignor%s%s%s; there are: %s", name, fleet->application,
                 nearest == NULL ? "" : "; did you mean ", nearest == NULL ? "" : nearest, nearest == NULL ? "" : "?",
                 cli_names_end(&list));
    return CLI_NO_PLUGIN;
}

/* Says who keeps its own; refuses only where everybody would. */
static int check_offered(const cli_fleet *fleet, const char *name)
{
    cli_names without = {0};
    size_t with = 0;
    for (size_t i = 0; i < fleet->count; i++) {
        const cli_instance *row = &fleet->rows[i];
        if (!cli_instance_lives(row)) {
            continue;
        }
        if (cli_instance_offers(row, name)) {
            with++;
        } else {
            cli_names_add(&without, "%s keeps %s", cli_instance_name(row), row->presence.configured);
        }
    }
    if (with == 0) {
        return refuse(fleet, name);
    }
    if (without.count + without.left_out > 0) {
        cli_complain("warning: not all have %s: where one of them leads, %s", name, cli_names_end(&without));
    }
    return CLI_OK;
}

/* A time that says that this wish is the newer one, even where the other's clock is ahead. */
static int64_t newer_than(const cli_wish *old)
{
    int64_t now = cli_now_ms();
    return old->document == NULL || old->since_ms < now || old->since_ms >= LATEST_MS ? now : old->since_ms + 1;
}

static int ask_for(cli_session *session, const char *name, int *changed)
{
    char span[CLI_DURATION_ROOM];
    char shown[CLI_NAME_ROOM];
    cli_fleet *fleet = &session->fleet;
    *changed = fleet->wish.document == NULL || strcmp(fleet->wish.name, name) != 0;
    cli_clean(shown, sizeof shown, name);
    if (!*changed) {
        printf("%s was asked for %s ago already\n", shown,
               cli_duration_write(cli_now_ms() - fleet->wish.since_ms, span, sizeof span));
        return CLI_OK;
    }
    if (cli_fleet_wish(session->connection, fleet, name, newer_than(&fleet->wish)) != 0) {
        return cli_session_fault(session);
    }
    printf("%s is asked for: the next rebalance uses it\n", shown);
    return CLI_OK;
}

static int go_back(cli_session *session, int *changed)
{
    char shown[CLI_NAME_ROOM];
    cli_fleet *fleet = &session->fleet;
    *changed = fleet->wish.document != NULL;
    if (!*changed) {
        printf("no assignor is asked for: each instance uses what it has configured\n");
        return CLI_OK;
    }
    if (cli_fleet_unwish(session->connection, fleet) != 0) {
        return cli_session_fault(session);
    }
    printf("%s is no longer asked for: the next rebalance uses what is configured\n",
           cli_clean(shown, sizeof shown, fleet->wish.name));
    return CLI_OK;
}

static int swap(cli_session *session, const swap_options *wanted)
{
    const char *name = wanted->assignor;
    size_t living = count_living(&session->fleet);
    /* What is asked for of nobody can still be taken away. */
    if (living == 0 && (name != NULL || session->fleet.wish.document == NULL)) {
        return cli_session_nobody(session);
    }
    int status = name == NULL ? CLI_OK : check_offered(&session->fleet, name);
    int changed = 0;
    cli_swap_watch watch = cli_swap_watch_begin(&session->fleet, name, 1);
    if (status == CLI_OK) {
        status = name == NULL ? go_back(session, &changed) : ask_for(session, name, &changed);
    }
    watch.changed = changed;
    if (status != CLI_OK || !wanted->wait || living == 0 || cli_flush() != CLI_OK) {
        return status;
    }
    return cli_swap_wait(session, &watch, wanted->timeout_ms);
}

int cli_swap(const cli_command *command, int count, char *const *arguments)
{
    swap_options wanted = {0};
    uint32_t operands = 0;
    int status = cli_parse(command, options, count, arguments, &wanted, NULL, 0, &operands);
    if (status != CLI_GO_ON) {
        return status;
    }
    status = check_usage(command, &wanted);
    if (status != CLI_OK) {
        return status;
    }
    cli_session session;
    status = cli_session_open(command, &wanted.session, &session);
    status = status == CLI_OK ? swap(&session, &wanted) : status;
    cli_session_close(&session);
    return status;
}
