/* SPDX-License-Identifier: Apache-2.0 */
/* Those that happen again and again, and those left to chance, are written out here. */
#include "scenario_deeds.h"

#include <stdlib.h>

static int32_t add(sim_reader *reader, int64_t at_us, uint32_t member, uint32_t deed, int64_t number)
{
    sim_scenario *scenario = reader->scenario;
    sgi_place place = sgi_place_key(NULL, "actions");
    if (scenario->action_count == SIM_ACTIONS_MOST) {
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "more than %d single actions come of it",
                            SIM_ACTIONS_MOST);
    }
    if (at_us > SIM_US_MOST) {
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "one of them happens after more than a year");
    }
    if (scenario->action_count == reader->action_room) {
        uint32_t room = reader->action_room == 0 ? 64 : reader->action_room * 2;
        sim_action *grown = realloc(scenario->actions, room * sizeof *grown);
        if (grown == NULL) {
            return sgi_complain_memory(&reader->complaint);
        }
        scenario->actions = grown;
        reader->action_room = room;
    }
    scenario->actions[scenario->action_count] = (sim_action){at_us, number, member, deed, scenario->action_count, 0};
    scenario->action_count++;
    return SEGUE_OK;
}

/* `times` steps later, or just beyond the end of all times. */
int64_t sim_later(int64_t at_us, int64_t step_us, int64_t times)
{
    int64_t most = SIM_US_MOST + 1 - at_us;
    return step_us > 0 && times > most / step_us ? SIM_US_MOST + 1 : at_us + step_us * times;
}

static int32_t add_going(sim_reader *reader, const sim_wish *it, int64_t at_us, uint32_t member)
{
    int64_t number = it->by == SIM_DRAIN ? it->timeout_us : it->loses_disk;
    return add(reader, at_us, member, it->by, number);
}

/* ---- what each word becomes, for one member ---------------------------------------------------------------------- */

static int32_t write_start(sim_reader *reader, const sim_wish *it, int64_t at_us, uint32_t member)
{
    (void)it;
    return add(reader, at_us, member, SIM_START, 0);
}

static int32_t write_close(sim_reader *reader, const sim_wish *it, int64_t at_us, uint32_t member)
{
    return add(reader, at_us, member, SIM_CLOSE, it->loses_disk);
}

static int32_t write_leave(sim_reader *reader, const sim_wish *it, int64_t at_us, uint32_t member)
{
    return add(reader, at_us, member, SIM_LEAVE, it->loses_disk);
}

static int32_t write_crash(sim_reader *reader, const sim_wish *it, int64_t at_us, uint32_t member)
{
    return add(reader, at_us, member, SIM_CRASH, it->loses_disk);
}

static int32_t write_drain(sim_reader *reader, const sim_wish *it, int64_t at_us, uint32_t member)
{
    return add(reader, at_us, member, SIM_DRAIN, it->timeout_us);
}

static int32_t write_cancel(sim_reader *reader, const sim_wish *it, int64_t at_us, uint32_t member)
{
    (void)it;
    return add(reader, at_us, member, SIM_CANCEL, 0);
}

static int32_t write_disk(sim_reader *reader, const sim_wish *it, int64_t at_us, uint32_t member)
{
    return add(reader, at_us, member, SIM_DISK, (int64_t)it->restore_bytes_per_s);
}

static int32_t write_restart(sim_reader *reader, const sim_wish *it, int64_t at_us, uint32_t member)
{
    int32_t status = add_going(reader, it, at_us, member);
    return status == SEGUE_OK ? add(reader, at_us + it->away_us, member, SIM_START, 0) : status;
}

static int32_t want_pause(sim_reader *reader, const sim_wish *it)
{
    sgi_place every = sgi_place_key(it->place, "every_ms");
    return it->every_us > 0 ? SEGUE_OK
                            : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &every,
                                           "%s; a number of milliseconds > 0 is needed",
                                           json_object_get(it->object, "every_ms") == NULL ? "missing" : "0 is given");
}

/* Who is up for longer than from one coming to the next would never be seen to go. */
static int32_t check_flap(sim_reader *reader, const sim_wish *it)
{
    sgi_place up = sgi_place_key(it->place, "up_ms");
    int32_t status = want_pause(reader, it);
    if (status != SEGUE_OK) {
        return status;
    }
    return it->up_us <= it->every_us ? SEGUE_OK
                                     : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &up, "longer than every_ms");
}

/*
 * Up and down again and again, as whoever scales wants it; `every_us` from one coming to the next. Nothing is done within
 * cooldown_us of the last change, and what the next wish undoes before that is not done at all.
 */
static int32_t write_flap(sim_reader *reader, const sim_wish *it, int64_t at_us, uint32_t member)
{
    int32_t status = check_flap(reader, it);
    int64_t free_us = at_us;
    int is_up = 0;
    for (int64_t i = 0; status == SEGUE_OK && i < 2 * it->times; i++) {
        int wants_up = i % 2 == 0;
        int64_t up_us = sim_later(at_us, it->every_us, i / 2);
        int64_t wished_us = wants_up ? up_us : up_us + it->up_us;
        int64_t next_us = wants_up ? up_us + it->up_us : sim_later(at_us, it->every_us, i / 2 + 1);
        int64_t due_us = wished_us > free_us ? wished_us : free_us;
        int is_undone = i + 1 < 2 * it->times && due_us > next_us;
        if (is_undone || wants_up == is_up) {
            continue;
        }
        status = wants_up ? add(reader, due_us, member, SIM_START, 0) : add_going(reader, it, due_us, member);
        is_up = wants_up;
        free_us = due_us + it->cooldown_us;
    }
    return status;
}

/* ---- what is left to chance -------------------------------------------------------------------------------------- */

static int32_t check_kills(sim_reader *reader, const sim_wish *it)
{
    sgi_place until = sgi_place_key(it->place, "until_ms");
    sgi_place every = sgi_place_key(it->place, "every_ms");
    int32_t status = want_pause(reader, it);
    if (status == SEGUE_OK && it->until_us <= it->at_us) {
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &until, "not behind at_ms: nobody would be killed");
    }
    return status != SEGUE_OK || it->until_us / (it->every_us + 1) <= SIM_ACTIONS_MOST
               ? status
               : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &every,
                              "too short for the time until until_ms: more than %d come of it", SIM_ACTIONS_MOST);
}

/* One of the members at a time, at distances from 0 to twice the mean; who is away is not chosen again. */
static int32_t write_kills(sim_reader *reader, const sim_wish *it)
{
    int32_t status = check_kills(reader, it);
    int64_t *back_us = status == SEGUE_OK ? calloc(it->member_count, sizeof *back_us) : NULL;
    if (back_us == NULL) {
        return status != SEGUE_OK ? status : sgi_complain_memory(&reader->complaint);
    }
    for (int64_t at_us = it->at_us; status == SEGUE_OK;) {
        at_us += 1 + (int64_t)(sim_draw_part(&reader->chance) * 2 * (double)it->every_us);
        uint32_t chosen = (uint32_t)sim_draw_below(&reader->chance, it->member_count);
        if (at_us >= it->until_us) {
            break;
        }
        if (back_us[chosen] > at_us) {
            continue;
        }
        back_us[chosen] = at_us + it->back_after_us + 1;
        status = add_going(reader, it, at_us, it->members[chosen]);
        status = status == SEGUE_OK ? add(reader, at_us + it->back_after_us, it->members[chosen], SIM_START, 0) : status;
    }
    free(back_us);
    return status;
}

/* ---- words --------------------------------------------------------------------------------------------------------- */

static const char *const none[] = {"stagger_ms", NULL};
static const char *const of_end[] = {"stagger_ms", "lose_disk", NULL};
static const char *const of_drain[] = {"stagger_ms", "timeout_ms", NULL};
static const char *const of_disk[] = {"stagger_ms", "restore_bytes_per_s", NULL};
static const char *const of_restart[] = {"stagger_ms", "away_ms", "by", "lose_disk", "timeout_ms", NULL};
static const char *const of_flap[] = {"stagger_ms", "every_ms", "up_ms", "times", "cooldown_ms", "by", "lose_disk", "timeout_ms", NULL};
static const char *const of_kills[] = {"every_ms", "until_ms", "back_after_ms", "by", "lose_disk", "timeout_ms", NULL};

const sim_word sim_words[] = {
    {"start", NULL, none, 0, write_start},
    {"close", NULL, of_end, 0, write_close},
    {"leave", NULL, of_end, 0, write_leave},
    {"crash", NULL, of_end, 0, write_crash},
    {"drain", NULL, of_drain, 0, write_drain},
    {"cancel", NULL, none, 0, write_cancel},
    {"disk", "restore_bytes_per_s", of_disk, 0, write_disk},
    {"restart", "away_ms", of_restart, 0, write_restart},
    {"flap", "every_ms", of_flap, 0, write_flap},
    {"kills", "until_ms", of_kills, 1, NULL},
    {NULL, NULL, NULL, 0, NULL},
};

int32_t sim_write_deeds(sim_reader *reader, const sim_wish *it, const sim_word *word)
{
    if (word->write == NULL) {
        return write_kills(reader, it);
    }
    int32_t status = SEGUE_OK;
    for (uint32_t i = 0; status == SEGUE_OK && i < it->member_count; i++) {
        status = word->write(reader, it, sim_later(it->at_us, it->stagger_us, i), it->members[i]);
    }
    return status;
}
