/* SPDX-License-Identifier: Apache-2.0 */
/* segue list: the plugins and assignors that there are. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

typedef struct list_options {
    const char *plugin;
    int json;
} list_options;

static const cli_option options[] = {
    {"--plugin", "PATH", "load this plugin as well: a path, or a name on the search path", CLI_TEXT,
     offsetof(list_options, plugin), 0, 0},
    {"--json", NULL, "print one JSON document", CLI_FLAG, offsetof(list_options, json), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

/* Calls `visit` for each assignor of the plugin at `path`. */
static void each_assignor(segue_host *host, const char *path, void (*visit)(const segue_assignor_row *, void *),
                          void *context)
{
    segue_assignor_row row = {.size = sizeof row};
    for (uint32_t i = 0; segue_host_assignor(host, i, &row, NULL) == SEGUE_OK; i++) {
        if (strcmp(row.plugin, path) == 0) {
            visit(&row, context);
        }
    }
}

static void print_assignor(const segue_assignor_row *row, void *context)
{
    (void)context;
    printf("  %-18s %-6s %s\n", row->name, row->version, row->summary);
}

/* Asking for assignors has loaded the plugins, but for those that are refused: loading such a one again says why. */
static int is_refused(segue_host *host, const segue_plugin_row *row, segue_error *refusal)
{
    return row->abi_version == 0 && segue_host_load(host, row->path, refusal) != SEGUE_OK;
}

static void print_plugins(segue_host *host)
{
    char text[CLI_ERROR_TEXT];
    segue_error refusal = cli_error(text, sizeof text);
    segue_plugin_row row = {.size = sizeof row};
    for (uint32_t i = 0; segue_host_plugin(host, i, &row, NULL) == SEGUE_OK; i++) {
        if (is_refused(host, &row, &refusal)) {
            printf("%s (%s)\n  refused: %s\n", row.name, row.path, text);
        } else {
            printf("%s %s (%s)\n", row.name, row.version, row.path);
            each_assignor(host, row.path, print_assignor, NULL);
        }
    }
}

static void add_assignor(const segue_assignor_row *row, void *context)
{
    json_array_append_new(context, json_pack("{s:s, s:s, s:s, s:b, s:b, s:b}", "name", row->name, "version", row->version,
                                             "summary", row->summary, "cold", (row->traits & SEGUE_TRAIT_COLD) != 0,
                                             "leaving", (row->traits & SEGUE_TRAIT_LEAVING) != 0, "loose",
                                             (row->traits & SEGUE_TRAIT_LOOSE) != 0));
}

static void print_json(segue_host *host)
{
    char text[CLI_ERROR_TEXT];
    segue_error refusal = cli_error(text, sizeof text);
    segue_plugin_row row = {.size = sizeof row};
    json_t *plugins = json_array();
    for (uint32_t i = 0; segue_host_plugin(host, i, &row, NULL) == SEGUE_OK; i++) {
        json_t *assignors = json_array();
        each_assignor(host, row.path, add_assignor, assignors);
        json_t *plugin = json_pack("{s:s, s:s, s:s, s:i, s:o}", "name", row.name, "version", row.version, "path",
                                   row.path, "abi", (int)row.abi_version, "assignors", assignors);
        if (is_refused(host, &row, &refusal)) {
            json_object_set_new(plugin, "refused", json_string(text));
        }
        json_array_append_new(plugins, plugin);
    }
    json_t *document = json_pack("{s:s, s:o}", "segue", "list/1", "plugins", plugins);
    json_dumpf(document, stdout, JSON_INDENT(1));
    fputc('\n', stdout);
    json_decref(document);
}

/* Asking for an assignor loads the plugins, and only then is their interface's version known. E_NAME: there is none. */
static int32_t load_all(segue_host *host, segue_error *error)
{
    segue_assignor_row row = {.size = sizeof row};
    return segue_host_assignor(host, 0, &row, error);
}

static int has_plugins(segue_host *host)
{
    segue_plugin_row row = {.size = sizeof row};
    return segue_host_plugin(host, 0, &row, NULL) == SEGUE_OK;
}

static int print(segue_host *host, int json)
{
    char text[CLI_ERROR_TEXT];
    segue_error error = cli_error(text, sizeof text);
    int32_t status = load_all(host, &error);
    if (status != SEGUE_OK && status != SEGUE_E_NAME) {
        return cli_fault(&error);
    }
    if (!has_plugins(host)) {
        cli_complain("no plugin was found; name one by --plugin PATH or its folder in SEGUE_PLUGIN_PATH");
        return CLI_NO_PLUGIN;
    }
    (json ? print_json : print_plugins)(host);
    if (status == SEGUE_E_NAME) {
        cli_complain("every plugin that was found is refused");
        return CLI_NO_PLUGIN;
    }
    return CLI_OK;
}

int cli_list(const cli_command *command, int count, char *const *arguments)
{
    list_options wanted = {0};
    uint32_t operands = 0;
    int status = cli_parse(command, options, count, arguments, &wanted, NULL, 0, &operands);
    if (status != CLI_GO_ON) {
        return status;
    }
    segue_host *host = NULL;
    status = cli_open_host(wanted.plugin, &host);
    if (status != CLI_OK) {
        return status;
    }
    status = print(host, wanted.json);
    segue_host_close(host);
    return status;
}
