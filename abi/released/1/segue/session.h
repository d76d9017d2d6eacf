/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue/session.h - the extension "segue.session/1": plans for a host that sees every change.
 *
 * A broker or a simulator knows what changed since the last plan. It opens a session with a group, tells it each change,
 * and asks for decisions. The answer is that of `assign` on the group as it then is (read_group), scalar by scalar and copy
 * by copy; but where the group is plain, what is looked at is what moves, and no longer every task. Plain is a group whose
 * tasks all have state or all have none, whose members have as many threads and a process each, of whom none is marked as
 * leaving, where every task has one caught-up owner or nobody at all, without standbys, racks, limits or differing weights.
 * Any other group is put together and planned as a whole, which is slower and says so (full_run).
 *
 *   const segue_session_slots *s = slots->get_extension(SEGUE_SESSION_ID);   NULL: the plugin has no sessions
 *   s->open("balanced", group, config, &session, &error);
 *   s->join(session, &joiner, &error);
 *   s->decide(session, now_ms, &changes, &plan, &error);      what has to change now
 *   s->put(session, &changes, &error);                        ... and once that was carried out
 *   s->close(session);
 *
 * Tasks are named by their handles in the group that the session was opened with: they, the racks and the configuration stay
 * as they are, and a host for which they change opens another session with the group that read_group gives. Members have
 * numbers, which stay with them while others come and go: at first their handles, later any that the host chooses; columns grow to
 * the largest of them, so that those of members that left are best given to the next.
 *
 * A session belongs to whoever opened it, to be closed exactly once; it keeps copies of all that it was given. Its calls may
 * come from any thread, but never two at once. A call that fails has changed nothing.
 */
#ifndef SEGUE_SESSION_H
#define SEGUE_SESSION_H

#include "segue/base.h"
#include "segue/config.h"
#include "segue/group.h"
#include "segue/plan.h"
#include "segue/slots.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEGUE_SESSION_ID "segue.session/1"

typedef struct segue_session segue_session;

/* In place of a role: the member has no copy of the task any more. */
#define SEGUE_COPY_GONE ((uint8_t)255)

/*
 * Copies, as columns that the caller owns: what `put` is told, and what `decide` wants. A row says what a member has, or
 * should have, of a task; of what is not named everything stays.
 *
 * size       in: sizeof of the caller's struct
 * count      rows used
 * capacity   in, for `decide`: rows in each column; `put` does not look at it
 * full_run   out, from `decide`: 1 when the group was planned as a whole
 * task       handle
 * member     number
 * role       enum segue_role, or SEGUE_COPY_GONE
 * lag        records still to replay, or SEGUE_LAG_UNKNOWN. From `decide`: what the member has of the task already, else 0
 *            for an active and unknown for all others
 */
typedef struct segue_copies {
    uint32_t size;
    uint32_t count;
    uint32_t capacity;
    uint32_t full_run;
    uint32_t *task;
    uint32_t *member;
    uint8_t *role;
    int64_t *lag;
} segue_copies;

/*
 * A member that joins. It has no copies yet and is not marked as leaving.
 *
 * size       in: sizeof of the caller's struct
 * member     the number that it gets: below SEGUE_MAX_MEMBERS, and nobody's now
 * threads    capacity
 * process    number of a member whose process, and disk, it shares; its own number for a process of its own
 * rack       handle or SEGUE_NONE
 * name_size  bytes in `name`
 * name       id that sorts it among the others (group.h), UTF-8, not terminated, nobody else's
 */
typedef struct segue_joiner {
    uint32_t size;
    uint32_t member;
    uint32_t threads;
    uint32_t process;
    uint32_t rack;
    uint32_t name_size;
    const char *name;
} segue_joiner;

/*
 * Rows as in SEGUE_SLOTS, with one further code: l int64_t. A row that is added at the end makes the table larger, and its
 * `size` tells.
 *
 * open         a session for the assignor of that name. *session is set to NULL on a fault. E_NAME, E_GROUP (members' names
 *              have to be strictly ascending here), E_MEMORY.
 * close        gives everything back. NULL is allowed.
 * join         E_ARGUMENT, E_MEMORY.
 * leave        the member is gone, and what it had of tasks with it. E_ARGUMENT where there is no such member.
 * mark         since when the member is leaving, and when its tasks are forced away; SEGUE_TIME_NONE for not at all.
 * put          copies as they are now; learners that got nearer as well. error.row is the row that is wrong.
 * decide       what has to change so that the group is as planned. Rows come by task, inside a task in the members' order.
 *              With them the plan's scalars: `plan` needs a size and may have no columns. Nothing changes in the session:
 *              putting the rows back says that they were carried out. E_SPACE: count is what capacity should have been. E_GROUP
 *              where there are tasks, but no members.
 * read_group   the group as `assign` takes it, and the number of each of its members. Both belong to the session and live
 *              until its next `decide`, `read_group` or `close`.
 * read_memory  the bytes that the session holds.
 */
#define SEGUE_SESSION_SLOTS(SLOT, ARG, SEP)                                                                           \
    SLOT(1, open, ANY, i,                                                                                             \
         ARG(p, const char *, name) SEP() ARG(p, const segue_group *, group) SEP()                                    \
             ARG(p, const segue_config *, config) SEP() ARG(p, segue_session **, session) SEP()                       \
                 ARG(p, segue_error *, error))                                                                        \
    SLOT(1, close, SERIAL, v, ARG(p, segue_session *, session))                                                       \
    SLOT(1, join, SERIAL, i,                                                                                          \
         ARG(p, segue_session *, session) SEP() ARG(p, const segue_joiner *, joiner) SEP()                            \
             ARG(p, segue_error *, error))                                                                            \
    SLOT(1, leave, SERIAL, i,                                                                                         \
         ARG(p, segue_session *, session) SEP() ARG(u, uint32_t, member) SEP() ARG(p, segue_error *, error))          \
    SLOT(1, mark, SERIAL, i,                                                                                          \
         ARG(p, segue_session *, session) SEP() ARG(u, uint32_t, member) SEP() ARG(l, int64_t, leaving_ms) SEP()      \
             ARG(l, int64_t, deadline_ms) SEP() ARG(p, segue_error *, error))                                         \
    SLOT(1, put, SERIAL, i,                                                                                           \
         ARG(p, segue_session *, session) SEP() ARG(p, const segue_copies *, copies) SEP()                            \
             ARG(p, segue_error *, error))                                                                            \
    SLOT(1, decide, SERIAL, i,                                                                                        \
         ARG(p, segue_session *, session) SEP() ARG(l, int64_t, now_ms) SEP() ARG(p, segue_copies *, changes) SEP()   \
             ARG(p, segue_plan *, plan) SEP() ARG(p, segue_error *, error))                                           \
    SLOT(1, read_group, SERIAL, i,                                                                                    \
         ARG(p, segue_session *, session) SEP() ARG(l, int64_t, now_ms) SEP() ARG(p, segue_group *, group) SEP()      \
             ARG(p, const uint32_t **, numbers) SEP() ARG(p, segue_error *, error))                                   \
    SLOT(1, read_memory, SERIAL, i, ARG(p, segue_session *, session) SEP() ARG(p, segue_memory *, memory))

/* What get_extension(SEGUE_SESSION_ID) points to. Slots behind `size` do not exist. */
typedef struct segue_session_slots {
    uint32_t size;
    uint32_t reserved; /* 0 */
#define SEGUE_SESSION_POINTER_(since, name, thread, result, ...) SEGUE_RESULT_##result (*name)(__VA_ARGS__);
    SEGUE_SESSION_SLOTS(SEGUE_SESSION_POINTER_, SEGUE_PROTOTYPE_ARG_, SEGUE_COMMA_)
#undef SEGUE_SESSION_POINTER_
} segue_session_slots;

SEGUE_ASSERT(offsetof(segue_session_slots, open) == 8);
SEGUE_ASSERT(offsetof(segue_copies, task) == 16);
SEGUE_ASSERT(offsetof(segue_joiner, name) == 24);

#ifdef __cplusplus
}
#endif
#endif
