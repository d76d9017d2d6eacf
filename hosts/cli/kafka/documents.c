/* SPDX-License-Identifier: Apache-2.0 */
#include "documents.h"

#include <string.h>

enum { VERSION = 1 };

/* Beyond this no time and no count is meant, and sums of a few stay in range. */
#define GREATEST ((json_int_t)1 << 53)

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text == NULL ? "" : text;
}

static int64_t number_of(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);
    json_int_t value = json_integer_value(number);
    return json_is_integer(number) && value >= 0 && value <= GREATEST ? value : CLI_UNKNOWN;
}

static int is_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

/* A document of this kind about this instance (NULL for any), or NULL. */
static json_t *load(const char *text, size_t size, const char *kind, const char *instance)
{
    json_t *document = size == 0 ? NULL : json_loadb(text, size, 0, NULL);
    int64_t version = number_of(document, "v");
    int counts = version >= 0 && version <= VERSION && strcmp(text_of(document, "kind"), kind) == 0 &&
                 (instance == NULL || strcmp(text_of(document, "instance"), instance) == 0);
    if (!counts) {
        json_decref(document);
        return NULL;
    }
    return document;
}

static void fill_drain(const json_t *drain, cli_presence *out)
{
    out->draining = json_is_object(drain);
    out->since_ms = number_of(drain, "since_ms");
    out->deadline_ms = number_of(drain, "deadline_ms");
    out->tasks_left = number_of(drain, "tasks_left");
    out->stay = is_true(drain, "stay");
}

static cli_led read_led(const json_t *led)
{
    return (cli_led){
        .at_ms = number_of(led, "at_ms"),
        .assignor = text_of(led, "assignor"),
        .plugin = text_of(led, "plugin"),
        .plugin_version = text_of(led, "plugin_version"),
        .fault = text_of(led, "fault"),
        .followup = text_of(led, "followup"),
        .tasks = number_of(led, "tasks"),
        .members = number_of(led, "members"),
        .moves = number_of(led, "moves"),
        .min_moves = number_of(led, "min_moves"),
        .learners = number_of(led, "learners"),
        .followup_ms = number_of(led, "followup_ms"),
    };
}

static const json_t *array_of(const json_t *object, const char *key)
{
    const json_t *array = json_object_get(object, key);
    return json_is_array(array) ? array : NULL;
}

static void fill_presence(json_t *document, cli_presence *out)
{
    *out = (cli_presence){
        .document = document,
        .client_id = text_of(document, "client_id"),
        .host = text_of(document, "host"),
        .application_server = text_of(document, "application_server"),
        .http = text_of(document, "http"),
        .assignor = text_of(document, "assignor"),
        .configured = text_of(document, "configured"),
        .swap_refused = text_of(document, "swap_refused"),
        .assignors = array_of(document, "assignors"),
        .led = read_led(json_object_get(document, "led")),
        .version = text_of(document, "segue"),
        .state = text_of(document, "state"),
        .pid = number_of(document, "pid"),
        .started_ms = number_of(document, "started_ms"),
        .at_ms = number_of(document, "at_ms"),
        .active = number_of(document, "active"),
        .copies = number_of(document, "copies"),
        .copies_ready = number_of(document, "copies_ready"),
        .copies_lag = number_of(document, "copies_lag"),
        .leaving_known = is_true(document, "leaving_known"),
    };
    /* Said only where the two differ. */
    out->configured = out->configured[0] == '\0' ? out->assignor : out->configured;
    fill_drain(json_object_get(document, "drain"), out);
}

int cli_presence_read(const char *text, size_t size, const char *instance, cli_presence *out)
{
    json_t *document = load(text, size, "presence", instance);
    int64_t at_ms = number_of(document, "at_ms");
    if (at_ms < 0 || (out->document != NULL && at_ms < out->at_ms)) {
        json_decref(document);
        return 0;
    }
    cli_presence_free(out);
    fill_presence(document, out);
    return 1;
}

int cli_mark_read(const char *text, size_t size, cli_mark *out)
{
    json_t *document = load(text, size, "leaving", NULL);
    int64_t since_ms = number_of(document, "since_ms");
    if (since_ms < 0 || (out->document != NULL && since_ms < out->since_ms)) {
        json_decref(document);
        return 0;
    }
    cli_mark_free(out);
    *out = (cli_mark){document, text_of(document, "by"), since_ms, number_of(document, "deadline_ms"),
                      is_true(document, "stay")};
    return 1;
}

int cli_wish_read(const char *text, size_t size, cli_wish *out)
{
    json_t *document = load(text, size, "assignor", NULL);
    int64_t since_ms = number_of(document, "since_ms");
    int counts = since_ms >= 0 && text_of(document, "name")[0] != '\0';
    if (!counts || (out->document != NULL && since_ms < out->since_ms)) {
        json_decref(document);
        return 0;
    }
    cli_wish_free(out);
    *out = (cli_wish){document, text_of(document, "name"), text_of(document, "by"), since_ms};
    return 1;
}

char *cli_mark_write(const char *instance, int64_t since_ms, int64_t deadline_ms, int stay)
{
    json_t *mark = json_pack("{s:i, s:s, s:s, s:I, s:b, s:s}", "v", VERSION, "kind", "leaving", "instance", instance,
                             "since_ms", (json_int_t)since_ms, "stay", stay, "by", "segue drain");
    if (mark != NULL && deadline_ms >= 0) {
        json_object_set_new(mark, "deadline_ms", json_integer(deadline_ms));
    }
    char *text = mark == NULL ? NULL : json_dumps(mark, JSON_COMPACT);
    json_decref(mark);
    return text;
}

char *cli_wish_write(const char *name, int64_t since_ms)
{
    json_t *wish = json_pack("{s:i, s:s, s:s, s:I, s:s}", "v", VERSION, "kind", "assignor", "name", name, "since_ms",
                             (json_int_t)since_ms, "by", "segue swap");
    char *text = wish == NULL ? NULL : json_dumps(wish, JSON_COMPACT);
    json_decref(wish);
    return text;
}

void cli_presence_free(cli_presence *presence)
{
    json_decref(presence->document);
    *presence = (cli_presence){0};
}

void cli_mark_free(cli_mark *mark)
{
    json_decref(mark->document);
    *mark = (cli_mark){0};
}

void cli_wish_free(cli_wish *wish)
{
    json_decref(wish->document);
    *wish = (cli_wish){0};
}
