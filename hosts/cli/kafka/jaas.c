/* SPDX-License-Identifier: Apache-2.0 */
#include "jaas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is left of the text, and a word of it; `word` has room for all of it. */
typedef struct scanner {
    const char *at;
    char *word;
} scanner;

static int is_space(char byte)
{
    return byte != '\0' && strchr(" \t\r\n\f", byte) != NULL;
}

static void skip_space(scanner *in)
{
    while (is_space(*in->at)) {
        in->at++;
    }
}

/* Up to three octal digits, at most 255, as Java has them. */
static char take_octal(scanner *in)
{
    int code = 0;
    int most = *in->at <= '3' ? 3 : 2;
    for (int i = 0; i < most && *in->at >= '0' && *in->at <= '7'; i++) {
        code = code * 8 + (*in->at++ - '0');
    }
    return (char)code;
}

static char take_escape(scanner *in)
{
    static const char names[] = "abfnrtv";
    static const char codes[] = "\a\b\f\n\r\t\v";
    if (*in->at >= '0' && *in->at <= '7') {
        return take_octal(in);
    }
    const char *known = strchr(names, *in->at);
    char code = known == NULL ? *in->at : codes[known - names];
    in->at++;
    return code;
}

/* A quoted value; returns what is wrong, or NULL. */
static const char *take_quoted(scanner *in)
{
    char quote = *in->at++;
    size_t size = 0;
    while (*in->at != quote) {
        if (*in->at == '\\' && in->at[1] != '\0') {
            in->at++;
            in->word[size] = take_escape(in);
            if (in->word[size++] == '\0') {
                return "a value contains a zero byte";
            }
        } else if (*in->at == '\0') {
            return "a quote is not closed";
        } else {
            in->word[size++] = *in->at++;
        }
    }
    in->at++;
    in->word[size] = '\0';
    return NULL;
}

/* A bare word up to white space or one of `ends`; returns its length. */
static size_t take_bare(scanner *in, const char *ends)
{
    size_t size = 0;
    while (*in->at != '\0' && !is_space(*in->at) && strchr(ends, *in->at) == NULL) {
        in->word[size++] = *in->at++;
    }
    in->word[size] = '\0';
    return size;
}

static const char *take_module(scanner *in, cli_jaas *out)
{
    static const char *const flags[] = {"required", "requisite", "sufficient", "optional"};
    skip_space(in);
    if (take_bare(in, ";=") == 0) {
        return "no login module is named";
    }
    const char *dot = strrchr(in->word, '.');
    snprintf(out->module, sizeof out->module, "%s", dot == NULL ? in->word : dot + 1);
    skip_space(in);
    take_bare(in, ";=");
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcasecmp(in->word, flags[i]) == 0) {
            return NULL;
        }
    }
    return "\"required\" must follow the login module";
}

static const char *take_option(scanner *in, cli_jaas *out)
{
    if (take_bare(in, ";=") == 0) {
        return "an option has no name";
    }
    char *name = strdup(in->word);
    skip_space(in);
    const char *fault = name == NULL ? "no memory" : *in->at != '=' ? "an option has no value" : NULL;
    if (fault == NULL) {
        in->at++;
        skip_space(in);
        if (*in->at == '"' || *in->at == '\'') {
            fault = take_quoted(in);
        } else if (take_bare(in, ";") == 0) {
            fault = "an option has no value";
        }
    }
    if (fault == NULL && cli_properties_set(&out->options, name, in->word, 0) != 0) {
        fault = "no memory";
    }
    free(name);
    return fault;
}

static const char *take_login(scanner *in, cli_jaas *out)
{
    const char *fault = take_module(in, out);
    for (skip_space(in); fault == NULL && *in->at != ';'; skip_space(in)) {
        fault = *in->at == '\0' ? "';' must end it" : take_option(in, out);
    }
    if (fault != NULL) {
        return fault;
    }
    in->at++;
    skip_space(in);
    return *in->at == '\0' ? NULL : "one login module is expected, and more are given";
}

int cli_jaas_read(const char *text, cli_jaas *out, char *fault, size_t fault_size)
{
    *out = (cli_jaas){0};
    size_t room = strlen(text) + 1;
    scanner in = {text, malloc(room)};
    const char *why = in.word == NULL ? "no memory" : take_login(&in, out);
    if (in.word != NULL) {
        explicit_bzero(in.word, room);
        free(in.word);
    }
    if (why != NULL) {
        snprintf(fault, fault_size, "%s", why);
    }
    return why == NULL ? 0 : -1;
}

void cli_jaas_free(cli_jaas *login)
{
    cli_properties_free(&login->options);
}
