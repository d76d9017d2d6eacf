/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties files, logins and documents out of random bytes and broken examples: nothing crashes, what is taken is
 * well formed, and what is shown of it cannot steer a terminal. Meant for the sanitizers.
 *
 * fuzz_test [SEED [COUNT]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_config.h"
#include "documents.h"
#include "duration.h"
#include "jaas.h"
#include "offers.h"
#include "side_group.h"
#include "status.h"
#include "swap_watch.h"
#include "test/steers.h"

/* The examples of whom there is more than bytes to break. */
enum { PRESENCE = 5, WISH = 6 };

enum { ROOM = 1000, COUNT = 20000 };

#define ID "0b7c6a0e-0000-4000-8000-000000000001"

static const char *const examples[] = {
    "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\\\n  x\n"
    "ssl.truststore.type=PEM\nssl.truststore.location:/t.pem\n",
    "sasl.jaas.config=org.a.ScramLoginModule required username=\"a\\u00e4\" password=\"\\\\\\ud83d\\ude00\";\n# c\n",
    "a.ScramLoginModule required username=\"a\\101\" password='b\\n' c=d ;",
    "{\"v\":1,\"kind\":\"presence\",\"instance\":\"" ID "\",\"client_id\":\"orders\",\"at_ms\":1764450060000,\"pid\":7,"
    "\"active\":3,\"copies\":-1,\"drain\":{\"since_ms\":1,\"deadline_ms\":2,\"tasks_left\":3,\"stay\":false}}",
    "{\"v\":1,\"kind\":\"leaving\",\"instance\":\"" ID "\",\"since_ms\":9007199254740992,\"stay\":false,\"by\":\"x\"}",
    "{\"v\":1,\"kind\":\"presence\",\"instance\":\"" ID "\",\"at_ms\":9,\"assignor\":\"a\",\"configured\":\"b\","
    "\"assignors\":[\"a\",\"b\"],\"swap_refused\":\"c\",\"led\":{\"at_ms\":8,\"assignor\":\"a\",\"plugin\":\"p\","
    "\"plugin_version\":\"1\",\"fault\":\"R4\",\"tasks\":8,\"members\":3,\"moves\":2,\"min_moves\":4,\"learners\":2,"
    "\"followup_ms\":9,\"followup\":\"capped\"}}",
    "{\"v\":1,\"kind\":\"assignor\",\"name\":\"a\",\"since_ms\":7,\"by\":\"segue swap\"}",
    "1h30m500ms",
    "app.segue.presence." ID,
};

static uint64_t seed;

static uint32_t dice(uint32_t faces)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % faces;
}

/* A broken example, or bytes that the readers know. */
static size_t make(char *out)
{
    static const char known[] = "\\\"'=;: \t\r\n\f#!u0dD8{}[],.-1azms\x80\xc3\0";
    const char *example = examples[dice(sizeof examples / sizeof examples[0])];
    size_t size = dice(4) == 0 ? 0 : strlen(example);
    memcpy(out, example, size);
    for (uint32_t i = dice(size == 0 ? 200 : 8); i > 0; i--) {
        size_t at = size == 0 ? 0 : dice((uint32_t)size);
        char byte = dice(4) == 0 ? (char)dice(256) : known[dice(sizeof known)];
        if (dice(3) == 0 && size > 0) {
            memmove(out + at, out + at + 1, size - at - 1);
            size--;
        } else if (size + 1 < ROOM) {
            memmove(out + at + 1, out + at, size - at);
            out[at] = byte;
            size++;
        }
    }
    return size;
}

static void try_properties(const char *text, size_t size)
{
    char fault[128];
    cli_properties java = {0};
    cli_properties out = {0};
    if (cli_properties_read(text, size, &java, fault, sizeof fault) == 0) {
        cli_client_config(&java, &out, fault, sizeof fault);
    }
    cli_properties_free(&java);
    cli_properties_free(&out);
}

static void try_texts(const char *text)
{
    char fault[128];
    char id[CLI_INSTANCE_ROOM];
    int64_t ms = 0;
    cli_jaas login;
    cli_jaas_read(text, &login, fault, sizeof fault);
    cli_jaas_free(&login);
    cli_duration_read(text, &ms);
    cli_side_read("app", text, id);
}

/* Returns 0 when what was taken keeps its promises. */
static int try_documents(const char *text, size_t size)
{
    cli_presence presence = {0};
    cli_mark mark = {0};
    cli_wish wish = {0};
    int bad = cli_presence_read(text, size, ID, &presence) && (presence.at_ms < 0 || presence.client_id == NULL);
    bad = bad || (cli_mark_read(text, size, &mark) && (mark.since_ms < 0 || mark.by == NULL));
    bad = bad || (cli_wish_read(text, size, &wish) && (wish.since_ms < 0 || wish.name[0] == '\0'));
    cli_presence_free(&presence);
    cli_mark_free(&mark);
    cli_wish_free(&wish);
    return bad;
}

/* Anything but what is expected. */
static json_t *strange(void)
{
    static const char *const texts[] = {"",         "a",   "\x1b[2J", "\xc2\x9b" "31m", "line\nline", "%s%n",
                                        "\xe2\x80\xae", "\x7f", "\r",      "a, b"};
    static const json_int_t numbers[] = {0, -1, 7, INT64_MAX, INT64_MIN, (json_int_t)1 << 53, ((json_int_t)1 << 53) + 1};
    switch (dice(6)) {
    case 0:
        return json_integer(numbers[dice(sizeof numbers / sizeof numbers[0])]);
    case 1:
        return json_real(1.5);
    case 2:
        return json_null();
    case 3:
        return json_pack("[s, n, [i]]", texts[dice(sizeof texts / sizeof texts[0])], 7);
    case 4:
        return json_pack("{s:i}", "at_ms", 7);
    default:
        return json_string(texts[dice(sizeof texts / sizeof texts[0])]);
    }
}

static void set_strange(json_t *object)
{
    static const char *const keys[] = {
        "client_id", "host",           "assignor", "configured", "swap_refused", "assignors",   "led",     "drain",
        "at_ms",     "plugin_version", "fault",    "tasks",      "members",      "moves",       "state",   "min_moves",
        "learners",  "followup_ms",    "followup", "name",       "by",           "since_ms",    "copies",  "plugin"};
    if (json_is_object(object)) {
        json_object_set_new(object, keys[dice(sizeof keys / sizeof keys[0])], strange());
    }
}

/* An example with strange values, as text for free(). */
static char *make_strange(const char *example)
{
    json_t *document = json_loads(example, 0, NULL);
    for (uint32_t i = dice(5); i > 0; i--) {
        set_strange(dice(2) == 0 ? document : json_object_get(document, "led"));
    }
    char *text = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    return text;
}

/* What status prints of the fleet, for free(). */
static char *shown(const cli_fleet *fleet, int json, size_t *size)
{
    char *text = NULL;
    cli_group_view group = {.fleet = fleet, .state = "Stable", .members = json_array()};
    FILE *terminal = stdout;
    stdout = open_memstream(&text, size);
    if (json) {
        cli_status_json(fleet, &group);
    } else {
        cli_status_text(fleet, &group);
    }
    fclose(stdout);
    stdout = terminal;
    json_decref(group.members);
    return text;
}

static int try_showing(const cli_fleet *fleet)
{
    int bad = 0;
    for (int json = 0; json < 2; json++) {
        size_t size = 0;
        char *text = shown(fleet, json, &size);
        bad = bad || text == NULL || steers(text, size, json);
        free(text);
    }
    return bad;
}

/* A fleet of one with a wish, both with strange values. */
static int try_fleet(void)
{
    cli_offers offers;
    cli_instance row = {.id = ID};
    cli_fleet fleet = {.application = "app", .rows = &row, .count = 1};
    char *presence = make_strange(examples[PRESENCE]);
    char *wish = make_strange(examples[WISH]);
    int there = presence != NULL && cli_presence_read(presence, strlen(presence), ID, &row.presence);
    int bad = presence == NULL || wish == NULL;
    if (wish != NULL) {
        cli_wish_read(wish, strlen(wish), &fleet.wish);
    }
    cli_offers_read(&fleet, &offers);
    cli_swap_watch watch = cli_swap_watch_begin(&fleet, "a", 1);
    bad = bad || (cli_swap_watch_look(&watch, &fleet) == CLI_SWAP_DONE && !there);
    bad = bad || try_showing(&fleet);
    cli_presence_free(&row.presence);
    cli_wish_free(&fleet.wish);
    free(presence);
    free(wish);
    return bad;
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : COUNT;
    for (long i = 0; i < count; i++) {
        char made[ROOM];
        size_t size = make(made);
        /* On its own, so that a read behind the end is seen. */
        char *exact = malloc(size + 1);
        if (exact == NULL) {
            return 1;
        }
        memcpy(exact, made, size);
        exact[size] = '\0';
        try_texts(exact);
        exact = realloc(exact, size == 0 ? 1 : size);
        try_properties(exact, size);
        int bad = try_documents(exact, size) || try_fleet();
        free(exact);
        if (bad) {
            fprintf(stderr, "input %ld is taken and not well formed, or steers a terminal\n", i);
            return 1;
        }
    }
    return 0;
}
