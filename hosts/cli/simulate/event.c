/* SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

#include "segue/group.h"

const char *sim_event_word(uint32_t kind)
{
    static const char *const words[] = {
#define WORD(name, word) word,
        SIM_EVENTS(WORD)
#undef WORD
    };
    return kind < SIM_EVENT_KINDS ? words[kind] : "unknown";
}

const char *sim_cause_word(uint32_t cause)
{
    static const char *const words[] = {
#define WORD(name, word) word,
        SIM_CAUSES(WORD)
#undef WORD
    };
    return cause < SIM_CAUSES_COUNT ? words[cause] : "unknown";
}

const char *sim_role_word(uint32_t role)
{
    switch (role) {
    case SEGUE_DORMANT:
        return "dormant";
    case SEGUE_STANDBY:
        return "standby";
    case SEGUE_LEARNER:
        return "learner";
    case SEGUE_ACTIVE:
        return "active";
    default:
        return "none";
    }
}
