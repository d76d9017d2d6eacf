/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plays.h - memory that runs out at the first, the second, … request of a call. Whatever the call: it answers E_MEMORY, or
 * the plan that holds its group together; nothing stays behind; and it works as soon as there is memory again.
 */
#ifndef SEGUE_HOSTS_C_TEST_PLAYS_H
#define SEGUE_HOSTS_C_TEST_PLAYS_H

#include "test/faults.h"
#include "testing_world.h"

/* A call and its surroundings. `act` leaves nothing behind but what `close` takes away. */
typedef struct play {
    enum fault_kind kind;
    const char *name;
    void (*open)(world *w);
    int32_t (*act)(world *w, segue_error *error);
    void (*close)(world *w);
} play;

static inline void assert_starved(const play *p, uint32_t nth, const world *w, int32_t status, const fault *f)
{
    if (status != SEGUE_OK && status != SEGUE_E_MEMORY && status != SEGUE_E_SYSTEM) {
        fail_msg("%s: without its memory number %u it ends with status %d: %s", p->name, nth, status, f->text);
    }
    if (status != SEGUE_OK && (f->text[0] == '\0' || f->error.code != status)) {
        fail_msg("%s: without its memory number %u it gives no reason", p->name, nth);
    }
    /* Of what an instance needs, the host's part and the plugin's are one. */
    if (w->report.faults > 0 && strstr(w->text, "no memory for an instance of steady") == NULL) {
        fail_msg("%s: the assignor is blamed for memory number %u, which is the host's: %s", p->name, nth, w->text);
    }
    if (w->report.fallback && w->report.status != SEGUE_E_MEMORY && w->report.status != SEGUE_E_SYSTEM) {
        fail_msg("%s: without its memory number %u its report has %d: %s", p->name, nth, w->report.status, w->text);
    }
}

/* Returns how many requests there are. */
static inline uint32_t starve(const play *p)
{
    for (uint32_t nth = 1;; nth++) {
        fault f;
        world w = {.report = {.size = sizeof w.report}};
        int64_t before = memory_held();
        w.report.text = w.text;
        w.report.text_size = sizeof w.text;
        p->open(&w);
        fault_at(p->kind, nth, 0);
        int32_t status = p->act(&w, fault_of(&f));
        int struck = fault_end();
        assert_starved(p, nth, &w, status, &f);
        if (p->act(&w, fault_of(&f)) != SEGUE_OK) {
            fail_msg("%s: after its memory number %u was refused once: %s", p->name, nth, f.text);
        }
        assert_int_equal(w.report.fallback, 0);
        p->close(&w);
        if (memory_held() != before) {
            fail_msg("%s: without its memory number %u, %d blocks are lost", p->name, nth, (int)(memory_held() - before));
        }
        if (!struck) {
            assert_int_equal(status, SEGUE_OK);
            return nth - 1;
        }
    }
}

static inline void starve_all(const play *plays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(starve(&plays[i]) > 0);
    }
}

#define STARVE_ALL(plays) starve_all(plays, sizeof(plays) / sizeof *(plays))

/* ' becomes ". `text` has room for it. */
static inline const char *requoted(char *text, const char *quoted)
{
    size_t i = 0;
    for (; quoted[i] != '\0'; i++) {
        text[i] = quoted[i] == '\'' ? '"' : quoted[i];
    }
    text[i] = '\0';
    return text;
}

static inline void nothing(world *w)
{
    (void)w;
}

static inline void close_document(world *w)
{
    segue_plan_free(w->plan);
    segue_document_free(w->document);
}

#endif
