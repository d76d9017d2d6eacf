/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <jansson.h>
#include <stdio.h>

enum report_outcome report_outcome(const verdict *v)
{
    if (v->findings > 0) {
        return REPORT_BROKEN;
    }
    return v->not_run[0] != '\0' || v->checks == 0 ? REPORT_NOT_RUN : REPORT_HOLDS;
}

static uint32_t count_outcome(const report *r, enum report_outcome wanted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        count += report_outcome(&r->verdicts[i]) == wanted;
    }
    return count;
}

int report_conforms(const report *r)
{
    uint32_t blocked = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        blocked += r->verdicts[i].blocked;
    }
    return blocked == 0 && count_outcome(r, REPORT_BROKEN) == 0;
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

void report_head(const report *r)
{
    const survey *s = r->survey;
    printf("%s: %s %s, border %u to %u, seed %llu\n", r->path, s->name[0] == '\0' ? "(no name)" : s->name, s->version,
           s->floor, s->newest, (unsigned long long)r->seed);
    for (uint32_t i = 0; i < s->slot_count; i++) {
        if (!s->slots[i].known) {
            printf("later slot: %s %s at %u, since version %u\n", s->slots[i].name, s->slots[i].signature,
                   s->slots[i].offset, s->slots[i].since);
        }
    }
    printf("assignors:");
    for (uint32_t i = 0; i < s->assignor_count && i < SURVEY_ASSIGNORS_MOST; i++) {
        printf(" %s", s->assignors[i]);
    }
    printf("%s\n\n", s->assignor_count == 0 ? " none" : s->assignor_count > SURVEY_ASSIGNORS_MOST ? " ..." : "");
}

static void print_broken(const check_rule *rule, const verdict *v)
{
    uint32_t shown = v->findings < CHECK_FINDINGS_MOST ? v->findings : CHECK_FINDINGS_MOST;
    printf("BROKEN\n");
    for (uint32_t i = 0; i < shown; i++) {
        printf("      %s\n", v->text[i]);
    }
    if (v->findings > shown) {
        printf("      and %u more\n", v->findings - shown);
    }
    printf("      rule:      %s\n      enforced:  %s\n      otherwise: %s\n", rule->what, rule->who, rule->otherwise);
}

void report_rule(const check_rule *rule, const verdict *v)
{
    printf("%-3s %-17s ", rule->number, rule->word);
    switch (report_outcome(v)) {
    case REPORT_BROKEN:
        print_broken(rule, v);
        break;
    case REPORT_NOT_RUN:
        printf("not run: %s\n", v->not_run[0] == '\0' ? "nothing to look at" : v->not_run);
        break;
    default:
        printf("holds  %8u checks\n", v->checks);
    }
    fflush(stdout);
}

void report_end(const report *r)
{
    printf("\n%u rules hold, %u broken, %u not run\n", count_outcome(r, REPORT_HOLDS), count_outcome(r, REPORT_BROKEN),
           count_outcome(r, REPORT_NOT_RUN));
}

/* ---- for programs ------------------------------------------------------------------------------------------------ */

static json_t *slots_of(const survey *s)
{
    json_t *slots = json_array();
    for (uint32_t i = 0; i < s->slot_count; i++) {
        const survey_slot *slot = &s->slots[i];
        json_array_append_new(slots, json_pack("{s:s, s:s, s:i, s:i, s:i, s:b}", "name", slot->name, "signature",
                                               slot->signature, "since", (int)slot->since, "offset", (int)slot->offset,
                                               "thread", (int)slot->thread, "known", slot->known));
    }
    return slots;
}

static json_t *assignors_of(const survey *s)
{
    json_t *names = json_array();
    for (uint32_t i = 0; i < s->assignor_count && i < SURVEY_ASSIGNORS_MOST; i++) {
        json_array_append_new(names, json_string(s->assignors[i]));
    }
    return names;
}

static json_t *rule_of(const check_rule *rule, const verdict *v)
{
    static const char *const words[] = {"holds", "broken", "not-run"};
    json_t *findings = json_array();
    for (uint32_t i = 0; i < v->findings && i < CHECK_FINDINGS_MOST; i++) {
        json_array_append_new(findings, json_string(v->text[i]));
    }
    json_t *object = json_pack("{s:s, s:s, s:s, s:I, s:I, s:o}", "rule", rule->number, "name", rule->word, "outcome",
                               words[report_outcome(v)], "checks", (json_int_t)v->checks, "broken",
                               (json_int_t)v->findings, "findings", findings);
    if (v->not_run[0] != '\0') {
        json_object_set_new(object, "not_run", json_string(v->not_run));
    }
    return object;
}

void report_json(const report *r)
{
    const survey *s = r->survey;
    json_t *rules = json_array();
    for (uint32_t i = 0; i < r->count; i++) {
        json_array_append_new(rules, rule_of(r->rules[i], &r->verdicts[i]));
    }
    json_t *document =
        json_pack("{s:s, s:s, s:s, s:s, s:{s:I, s:I}, s:I, s:I, s:o, s:o, s:o, s:b}", "segue", "check/1", "plugin", r->path,
                  "name", s->name, "version", s->version, "abi", "floor", (json_int_t)s->floor, "newest",
                  (json_int_t)s->newest, "seed", (json_int_t)r->seed, "groups", (json_int_t)r->groups, "assignors",
                  assignors_of(s), "slots", slots_of(s), "rules", rules, "conforms", report_conforms(r));
    json_dumpf(document, stdout, JSON_INDENT(1));
    fputc('\n', stdout);
    json_decref(document);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

void report_page(void)
{
    printf("# What a plugin has to hold\n\n"
           "`segue check PLUGIN` looks at each of these rules in a process of its own, so that a plugin that crashes or\n"
           "hangs is a finding. It calls by the plugin's own description of its slots, and so also a plugin of another\n"
           "version. This page is made from `hosts/cli/check/rules.h` by `segue check --rules`. Numbers keep their\n"
           "meaning; R1 to R12 are the rules of plans, C01 and following those of the border.\n\n"
           "| rule | name | what holds | who enforces it | otherwise |\n|---|---|---|---|---|\n");
    for (const check_rule *rule = check_rules; rule->number != NULL; rule++) {
        printf("| %s | %s | %s | %s | %s |\n", rule->number, rule->word, rule->what, rule->who, rule->otherwise);
    }
}
