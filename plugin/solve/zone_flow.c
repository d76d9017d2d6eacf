/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/zone_flow.h"

#include <string.h>

/* Each pass places what is proportional and fits; what is left shrinks quickly. */
#define PASSES 8

static uint64_t room_of(const sgp_zone_flow *f, uint32_t kind)
{
    uint64_t sum = 0;
    for (uint64_t zones = f->allowed[kind]; zones != 0; zones &= zones - 1) {
        sum += f->room[__builtin_ctzll(zones)];
    }
    return sum;
}

static uint64_t share(const sgp_zone_flow *f, uint32_t kind, uint64_t all, uint32_t zone)
{
    int open = all > 0 && (f->allowed[kind] >> zone & 1);
    return open ? f->left[kind] * (uint64_t)f->room[zone] / all : 0;
}

/* All kinds ask at once for what is proportional; a zone that is asked for too much gives each the same part of it. */
static void place_shares(sgp_zone_flow *f)
{
    uint64_t asked[SGP_ZONES] = {0}, all[SGP_KINDS];
    uint32_t taken[SGP_ZONES] = {0};
    for (uint32_t k = 0; k < f->kinds; k++) {
        all[k] = room_of(f, k);
        for (uint32_t z = 0; z < SGP_ZONES; z++) {
            asked[z] += share(f, k, all[k], z);
        }
    }
    for (uint32_t k = 0; k < f->kinds; k++) {
        uint32_t gone = 0;
        for (uint32_t z = 0; z < SGP_ZONES; z++) {
            uint64_t get = share(f, k, all[k], z);
            get = asked[z] > f->room[z] ? get * f->room[z] / asked[z] : get;
            f->placed[k][z] += (uint32_t)get;
            taken[z] += (uint32_t)get;
            gone += (uint32_t)get;
        }
        f->left[k] -= gone;
    }
    for (uint32_t z = 0; z < SGP_ZONES; z++) {
        f->room[z] -= taken[z];
    }
}

/* A search for room: from kinds with tasks left to zones they may use, and from a zone to kinds that could leave it. */
typedef struct search {
    uint64_t zones, kinds;             /* reached */
    uint8_t by[SGP_ZONES];             /* the kind that reached a zone */
    uint8_t out_of[SGP_KINDS];         /* the zone that a kind would leave; SGP_ZONES at the start */
} search;

static void reach_kinds(const sgp_zone_flow *f, search *s, uint32_t zone)
{
    for (uint32_t k = 0; k < f->kinds; k++) {
        if (!(s->kinds >> k & 1) && f->placed[k][zone] > 0) {
            s->kinds |= (uint64_t)1 << k;
            s->out_of[k] = (uint8_t)zone;
        }
    }
}

/* A zone with room, or SGP_ZONES. */
static uint32_t look(const sgp_zone_flow *f, search *s, uint64_t kinds)
{
    uint64_t done = 0;
    *s = (search){.kinds = kinds};
    memset(s->out_of, SGP_ZONES, sizeof s->out_of);
    while (s->kinds & ~done) {
        uint32_t k = (uint32_t)__builtin_ctzll(s->kinds & ~done);
        done |= (uint64_t)1 << k;
        for (uint64_t fresh = f->allowed[k] & ~s->zones; fresh != 0; fresh &= fresh - 1) {
            uint32_t zone = (uint32_t)__builtin_ctzll(fresh);
            s->zones |= (uint64_t)1 << zone;
            s->by[zone] = (uint8_t)k;
            if (f->room[zone] > 0) {
                return zone;
            }
            reach_kinds(f, s, zone);
        }
    }
    return SGP_ZONES;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* As many as the path from a kind with tasks left to the zone carries. */
static void push(sgp_zone_flow *f, const search *s, uint32_t zone)
{
    uint32_t amount = f->room[zone], kind = s->by[zone], from;
    for (; (from = s->out_of[kind]) != SGP_ZONES; kind = s->by[from]) {
        amount = least(amount, f->placed[kind][from]);
    }
    amount = least(amount, f->left[kind]);
    f->left[kind] -= amount;
    f->room[zone] -= amount;
    kind = s->by[zone];
    f->placed[kind][zone] += amount;
    while ((from = s->out_of[kind]) != SGP_ZONES) {
        f->placed[kind][from] -= amount;
        kind = s->by[from];
        f->placed[kind][from] += amount;
    }
}

static uint64_t unplaced(const sgp_zone_flow *f)
{
    uint64_t kinds = 0;
    for (uint32_t k = 0; k < f->kinds; k++) {
        kinds |= (uint64_t)(f->left[k] > 0) << k;
    }
    return kinds;
}

uint64_t sgp_zone_flow_run(sgp_zone_flow *f)
{
    for (int pass = 0; pass < PASSES && unplaced(f) != 0; pass++) {
        place_shares(f);
    }
    for (uint64_t kinds = unplaced(f); kinds != 0; kinds = unplaced(f)) {
        search s;
        uint32_t zone = look(f, &s, kinds);
        if (zone == SGP_ZONES) {
            return s.zones;
        }
        push(f, &s, zone);
    }
    return 0;
}
