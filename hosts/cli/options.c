/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "nearest.h"

enum { NAME_MOST = 64, OPTIONS_MOST = 32 };

static void print_help(const cli_command *command, const cli_option *options)
{
    printf("segue %s %s\n    %s\n\n", command->name, command->usage, command->summary);
    for (; options->name != NULL; options++) {
        char left[NAME_MOST];
        snprintf(left, sizeof left, "%s%s%s", options->name, options->value == NULL ? "" : " ",
                 options->value == NULL ? "" : options->value);
        printf("  %-22s %s\n", left, options->help);
    }
    printf("  %-22s %s\n", "--help", "this text");
}

static const cli_option *find(const cli_option *options, const char *name)
{
    for (; options->name != NULL; options++) {
        if (strcmp(options->name, name) == 0) {
            return options;
        }
    }
    return NULL;
}

static int refuse(const cli_command *command, const cli_option *options, const char *name)
{
    const char *known[OPTIONS_MOST + 2];
    int count = 0;
    for (; options->name != NULL && count < OPTIONS_MOST; options++) {
        known[count++] = options->name;
    }
    known[count++] = "--help";
    known[count] = NULL;
    const char *nearest = sgi_nearest(name, known);
    if (nearest != NULL) {
        cli_complain("%s: no option %s; the nearest is %s", command->name, name, nearest);
    } else {
        cli_complain("%s: no option %s (segue %s --help shows all)", command->name, name, command->name);
    }
    return CLI_USAGE;
}

static int store_number(const cli_command *command, const cli_option *option, const char *value, int64_t *place)
{
    char *end = NULL;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    int plain = value[0] >= '0' && value[0] <= '9';
    if (!plain || *end != '\0' || errno != 0 || number < option->least || number > option->most) {
        cli_complain("%s: %s: \"%s\" is given; a whole number from %lld to %lld is needed", command->name, option->name,
                     value, (long long)option->least, (long long)option->most);
        return CLI_USAGE;
    }
    *place = number;
    return CLI_GO_ON;
}

static int store_another(const cli_command *command, const cli_option *option, const char *value, cli_texts *texts)
{
    if (texts->count == CLI_TEXTS_MOST) {
        cli_complain("%s: %s is given more than %d times", command->name, option->name, CLI_TEXTS_MOST);
        return CLI_USAGE;
    }
    texts->items[texts->count++] = value;
    return CLI_GO_ON;
}

static int store(const cli_command *command, const cli_option *option, const char *value, void *target)
{
    char *place = (char *)target + option->offset;
    switch (option->kind) {
    case CLI_FLAG:
        *(int *)(void *)place = 1;
        return CLI_GO_ON;
    case CLI_TEXT:
        *(const char **)(void *)place = value;
        return CLI_GO_ON;
    case CLI_TEXTS:
        return store_another(command, option, value, (cli_texts *)(void *)place);
    default:
        return store_number(command, option, value, (int64_t *)(void *)place);
    }
}

/* One option at `*at`, with its value behind it or behind a '='. `given` has a bit for each that was there. */
static int take_option(const cli_command *command, const cli_option *options, int count, char *const *arguments,
                       int *at, uint64_t *given, void *target)
{
    const char *word = arguments[*at];
    const char *equals = strchr(word, '=');
    char name[NAME_MOST];
    snprintf(name, sizeof name, "%.*s", equals == NULL ? NAME_MOST : (int)(equals - word), word);
    const cli_option *option = find(options, name);
    if (option == NULL) {
        return refuse(command, options, name);
    }
    int is_flag = option->kind == CLI_FLAG;
    if (is_flag && equals != NULL) {
        cli_complain("%s: %s takes no value", command->name, name);
        return CLI_USAGE;
    }
    const char *value = equals == NULL ? NULL : equals + 1;
    if (!is_flag && value == NULL) {
        if (++*at >= count) {
            cli_complain("%s: %s needs a value: %s", command->name, name, option->value);
            return CLI_USAGE;
        }
        value = arguments[*at];
    }
    if (option->kind != CLI_TEXTS && (*given & UINT64_C(1) << (option - options)) != 0) {
        cli_complain("%s: %s is given twice", command->name, name);
        return CLI_USAGE;
    }
    *given |= UINT64_C(1) << (option - options);
    return store(command, option, value, target);
}

int cli_parse(const cli_command *command, const cli_option *options, int count, char *const *arguments, void *target,
              const char **operands, uint32_t operand_room, uint32_t *operand_count)
{
    int only_operands = 0;
    uint64_t given = 0;
    *operand_count = 0;
    for (int at = 0; at < count; at++) {
        const char *word = arguments[at];
        int is_option = !only_operands && word[0] == '-' && word[1] != '\0';
        if (is_option && strcmp(word, "--") == 0) {
            only_operands = 1;
        } else if (is_option && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            print_help(command, options);
            return CLI_OK;
        } else if (is_option) {
            int status = take_option(command, options, count, arguments, &at, &given, target);
            if (status != CLI_GO_ON) {
                return status;
            }
        } else if (*operand_count < operand_room) {
            operands[(*operand_count)++] = word;
        } else {
            cli_complain("%s: %s is one argument too many", command->name, word);
            return CLI_USAGE;
        }
    }
    return CLI_GO_ON;
}
