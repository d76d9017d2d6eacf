/* SPDX-License-Identifier: Apache-2.0 */
/* segue check: does a plugin hold what the border asks of it? */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"
#include "cli.h"
#include "elf_file.h"
#include "elf_note.h"
#include "error.h"
#include "nearest.h"
#include "report.h"

enum { RULES_MOST = 128, HANGS_MOST = 3,  GROUPS_USUAL = 200, GROUPS_MOST = 1000000, TIMEOUT_USUAL = 60, TIMEOUT_MOST = 86400 };

typedef struct check_options {
    cli_texts only;
    int64_t seed, groups, timeout, answers;
    int json;
    int rules;
} check_options;

#define AT(field) offsetof(check_options, field)

static const cli_option options[] = {
    {"--only", "RULE", "look at this rule alone, by its number or name; may be repeated", CLI_TEXTS, AT(only), 0, 0},
    {"--seed", "N", "of the random groups (default: 1)", CLI_NUMBER, AT(seed), 0, INT64_MAX},
    {"--groups", "N", "random groups for each rule that takes some (default: 200)", CLI_NUMBER, AT(groups), 1, GROUPS_MOST},
    {"--timeout", "SECONDS", "a rule that takes longer is broken (default: 60)", CLI_NUMBER, AT(timeout), 1, TIMEOUT_MOST},
    {"--answers", "BYTE", "print a number for all plans, with this in memory that nobody has written to (C27 does so)",
     CLI_NUMBER, AT(answers), 0, UINT8_MAX},
    {"--json", NULL, "print one JSON document", CLI_FLAG, AT(json), 0, 0},
    {"--rules", NULL, "print the rules, with who enforces them and what happens otherwise", CLI_FLAG, AT(rules), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

/* ---- which rules ------------------------------------------------------------------------------------------------- */

static const check_rule *find_rule(const char *word)
{
    for (const check_rule *rule = check_rules; rule->number != NULL; rule++) {
        if (strcasecmp(rule->number, word) == 0 || strcmp(rule->word, word) == 0) {
            return rule;
        }
    }
    return NULL;
}

static int refuse_rule(const char *word)
{
    const char *known[2 * RULES_MOST + 1];
    uint32_t count = 0;
    for (const check_rule *rule = check_rules; rule->number != NULL; rule++) {
        known[count++] = rule->number;
        known[count++] = rule->word;
    }
    known[count] = NULL;
    const char *nearest = sgi_nearest(word, known);
    cli_complain("check: --only: there is no rule %s%s%s (segue check --rules shows all)", word,
                 nearest == NULL ? "" : "; the nearest is ", nearest == NULL ? "" : nearest);
    return CLI_USAGE;
}

/* All, or those that are named, in the table's order. */
static int choose_rules(const cli_texts *only, const check_rule **chosen, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < only->count; i++) {
        if (find_rule(only->items[i]) == NULL) {
            return refuse_rule(only->items[i]);
        }
    }
    for (const check_rule *rule = check_rules; rule->number != NULL && *count < RULES_MOST; rule++) {
        int wanted = only->count == 0;
        for (uint32_t i = 0; i < only->count; i++) {
            wanted |= find_rule(only->items[i]) == rule;
        }
        if (wanted) {
            chosen[(*count)++] = rule;
        }
    }
    return CLI_OK;
}

/* ---- the plugin -------------------------------------------------------------------------------------------------- */

static int has_entry(const char *path)
{
    elf_file file;
    int found = 0;
    if (elf_open(&file, path)) {
        const char *name;
        for (uint32_t i = 0; !found && (name = elf_exported(&file, i)) != NULL; i++) {
            found = strcmp(name, SEGUE_ENTRY_SYMBOL) == 0;
        }
        elf_close(&file);
    }
    return found;
}

/* With a note, or with an entry, it means to be a plugin. Nothing of it is run. What a host would refuse it for is said
 * where only some rules are looked at; else C01 says it. */
static int is_plugin(const char *path, int some)
{
    char text[CLI_ERROR_TEXT];
    segue_error error = cli_error(text, sizeof text);
    sgi_note note;
    int32_t status = sgi_note_read(path, &note, &error);
    if (status == SEGUE_OK) {
        sgi_note_free(&note);
        return 1;
    }
    if (has_entry(path)) {
        if (some) {
            cli_complain("warning: check: %s; hosts do not load it (C01)", text);
        }
        return 1;
    }
    cli_complain("check: %s", text);
    return 0;
}

/* ---- the round --------------------------------------------------------------------------------------------------- */

/* Everything that this process and its children share, in one piece. */
typedef struct shared {
    survey survey;
    verdict scratch;
    verdict verdicts[RULES_MOST];
} shared;

/* All rules, each in a child. A plugin that hangs wherever it is touched is not waited for again and again. 0: no child
 * can be made. */
static int run_rules(probe *p, const report *r, verdict *verdicts, uint32_t timeout_s, int print)
{
    uint32_t hangs = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        p->verdict = &verdicts[i];
        if (hangs >= HANGS_MOST) {
            probe_block(p, "the plugin did not come back from %u rules before", hangs);
        } else if (!child_run(p, r->rules[i]->run, timeout_s)) {
            return 0;
        }
        hangs += p->verdict->timed_out;
        if (print) {
            report_rule(r->rules[i], p->verdict);
        }
    }
    return 1;
}

static int check_all(const check_options *wanted, const char *path, const check_rule *const *rules, uint32_t count)
{
    shared *all = child_share(sizeof *all);
    if (all == NULL) {
        cli_complain("check: the system gives no memory to share with a child");
        return CLI_INPUT;
    }
    probe p = {.path = path, .seed = (uint64_t)wanted->seed, .groups = (uint32_t)wanted->groups, .verdict = &all->scratch};
    char shown[CLI_ERROR_TEXT];
    snprintf(shown, sizeof shown, "%s", path);
    sgi_clean_line(shown);
    report r = {shown, p.seed, p.groups, &all->survey, rules, all->verdicts, count};
    survey_take(&p, &all->survey, (uint32_t)wanted->timeout);
    if (!wanted->json) {
        report_head(&r);
    }
    if (!run_rules(&p, &r, all->verdicts, (uint32_t)wanted->timeout, !wanted->json)) {
        cli_complain("check: no process can be started to look at %s in", path);
        return CLI_INPUT;
    }
    wanted->json ? report_json(&r) : report_end(&r);
    int status = report_conforms(&r) ? CLI_OK : CLI_INPUT;
    munmap(all, sizeof *all);
    return status;
}

/* Without a child around it: who asks waits for it. */
static int print_answers(const check_options *wanted, const char *path)
{
    static verdict scratch;
    probe p = {.path = path, .seed = (uint64_t)wanted->seed, .groups = (uint32_t)wanted->groups, .verdict = &scratch};
    uint64_t answers = rules_answers(&p, (int)wanted->answers);
    if (scratch.not_run[0] != '\0') {
        cli_complain("check: %s", scratch.not_run);
        return CLI_INPUT;
    }
    printf("%016llx\n", (unsigned long long)answers);
    fflush(stdout);
    _exit(CLI_OK); /* nothing of the plugin's runs any more */
}

int cli_check(const cli_command *command, int count, char *const *arguments)
{
    check_options wanted = {.seed = 1, .groups = GROUPS_USUAL, .timeout = TIMEOUT_USUAL, .answers = -1};
    const check_rule *rules[RULES_MOST];
    const char *path = NULL;
    uint32_t operands = 0, rule_count = 0;
    int status = cli_parse(command, options, count, arguments, &wanted, &path, 1, &operands);
    if (status != CLI_GO_ON) {
        return status;
    }
    if (wanted.rules) {
        report_page();
        return CLI_OK;
    }
    if (operands == 0) {
        cli_complain("check: the path of a plugin is needed (segue check --help shows all)");
        return CLI_USAGE;
    }
    status = choose_rules(&wanted.only, rules, &rule_count);
    if (status == CLI_OK && !is_plugin(path, wanted.only.count > 0)) {
        status = CLI_NO_PLUGIN;
    }
    if (status == CLI_OK && wanted.answers >= 0) {
        return print_answers(&wanted, path);
    }
    return status == CLI_OK ? check_all(&wanted, path, rules, rule_count) : status;
}
