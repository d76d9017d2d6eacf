/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties files, logins and documents out of random bytes and broken examples: nothing crashes, and what is taken is
 * well formed. Meant for the sanitizers.
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
#include "side_group.h"

enum { ROOM = 600, COUNT = 20000 };

#define ID "0b7c6a0e-0000-4000-8000-000000000001"

static const char *const examples[] = {
    "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\\\n  x\n"
    "ssl.truststore.type=PEM\nssl.truststore.location:/t.pem\n",
    "sasl.jaas.config=org.a.ScramLoginModule required username=\"a\\u00e4\" password=\"\\\\\\ud83d\\ude00\";\n# c\n",
    "a.ScramLoginModule required username=\"a\\101\" password='b\\n' c=d ;",
    "{\"v\":1,\"kind\":\"presence\",\"instance\":\"" ID "\",\"client_id\":\"orders\",\"at_ms\":1764450060000,\"pid\":7,"
    "\"active\":3,\"copies\":-1,\"drain\":{\"since_ms\":1,\"deadline_ms\":2,\"tasks_left\":3,\"stay\":false}}",
    "{\"v\":1,\"kind\":\"leaving\",\"instance\":\"" ID "\",\"since_ms\":9007199254740992,\"stay\":false,\"by\":\"x\"}",
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
    int bad = cli_presence_read(text, size, ID, &presence) && (presence.at_ms < 0 || presence.client_id == NULL);
    bad = bad || (cli_mark_read(text, size, ID, &mark) && (mark.since_ms < 0 || mark.by == NULL));
    cli_presence_free(&presence);
    cli_mark_free(&mark);
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
        int bad = try_documents(exact, size);
        free(exact);
        if (bad) {
            fprintf(stderr, "input %ld is taken and not well formed\n", i);
            return 1;
        }
    }
    return 0;
}
