/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - what `segue check` holds a plugin to, once. Functions, report, `segue check --rules` and abi/CONFORMANCE.md
 * are made from this table. A number keeps its meaning for ever; new rules are added at the end of C or of R.
 *
 * X(number, word, what holds, who enforces it, and what happens otherwise)
 */
#ifndef SEGUE_HOSTS_CLI_CHECK_RULES_H
#define SEGUE_HOSTS_CLI_CHECK_RULES_H

#include <stdint.h>

#define CHECK_RULES(X)                                                                                                \
    X(C01, note, "the ELF note is well-formed; its versions and assignors are those of the entry and of describe",    \
      "libsegue, when it lists the file", "a malformed note is refused, and an assignor not in it is found by no name")  \
    X(C02, exports, "segue_plugin_entry is exported, and nothing else", "nobody",                                     \
      "two plugins, or plugin and host, bind to each other's functions")                                              \
    X(C03, loads, "it loads at once, anywhere: nothing undefined, no static TLS, no text relocation, no executable "   \
                  "stack", "the linker", "it cannot be loaded into a JVM or Python, or only on some systems")         \
    X(C04, entry, "the entry gives the newest version that both speak, with names, slots and their description, "     \
                  "the same each time", "libsegue, when it loads the file", "the plugin is refused (bad-plugin)")     \
    X(C05, versions, "hosts that are older, newer or absurd are answered with a shared version, or with E_VERSION "   \
                     "and what the plugin speaks", "libsegue refuses what it does not speak",                         \
      "host and plugin call slots that the other does not have")                                                      \
    X(C06, entry-size, "of the entry's record nothing beyond its size is written, and a tail not known is zeroed",    \
      "nobody", "the entry writes over an older host's stack")                                                        \
    X(C07, table, "the description of the slots is that of segue/slots.h, row by row, and leaves no slot out",        \
      "nobody at run time", "tools that call by the description pass wrong arguments")                                \
    X(C08, null-slots, "no slot of the negotiated version is empty", "libsegue, when it loads the file",              \
      "the plugin is refused (bad-plugin)")                                                                           \
    X(C09, later-slots, "slots that this program does not know answer missing arguments with a fault", "nobody",      \
      "a newer host's mistake ends the process")                                                                      \
    X(C10, describe, "assignors have a name, a version and a summary, the same each time, and end with E_NAME",       \
      "libsegue, when it loads the file", "the plugin is refused (bad-plugin)")                                       \
    X(C11, create, "a name that there is not gives E_NAME and no instance", "libsegue asks for described names alone", \
      "a host of another kind uses an instance that is none")                                                         \
    X(C12, destroy, "instances that did nothing are given back, in any order; destroying none does nothing",          \
      "nobody", "closing a host crashes")                                                                             \
    X(C13, extensions, "an id that there is not gives no extension; one that there is always gives the same",         \
      "nobody", "a host calls something else than it asked for")                                                      \
    X(C14, record-sizes, "of bound, info, memory and plan nothing beyond the size is written, a tail is zeroed, and a " \
                         "size without room for the answer refused; of group and configuration nothing beyond the "   \
                         "size is read", "nobody",                                                                    \
      "older and newer parts overwrite or misread each other's memory")                                               \
    X(C15, error-text, "a fault fills the error record: code and text, cut to fit and ended by NUL; success does not", \
      "libsegue gives a record of its own", "the reason is lost, or memory behind the buffer")                        \
    X(C16, no-error, "every fault can be returned without an error record", "nobody", "the host crashes")             \
    X(C17, missing-arguments, "an argument that is NULL gives a fault", "libsegue never passes NULL",                 \
      "another host's mistake ends the process")                                                                      \
    X(C18, bound, "plan_bound reads no column, is no more than plan.h says, and is enough for assign",                \
      "libsegue gives what plan.h says", "assign fails, and the fallback answers")                                    \
    X(C19, space, "outputs one row too small, or not there, give a fault and are not written beyond", "nobody",       \
      "the plugin writes over the host's memory")                                                                     \
    X(C20, input, "columns of the group are read within their counts and never written", "nobody",                    \
      "the host's own data changes, or the process ends")                                                             \
    X(C21, output, "columns of the plan are written within their capacities; pointers and capacities stay",           \
      "libsegue takes results alone from a copy of the record", "the plugin writes over the host's memory")           \
    X(C22, malformed, "a malformed group gives a fault, or a plan that fits it", "libsegue checks groups before",     \
      "the fallback answers a fault; a crash ends the process")                                                       \
    X(C23, bad-config, "a configuration out of range gives a fault, or a plan that fits", "libsegue checks it before", \
      "the fallback answers a fault; a crash ends the process")                                                       \
    X(C24, answers, "every well-formed group gets a plan, whose counts, handles and numbers are ones",                \
      "libsegue, of every plan", "the fallback answers")                                                              \
    X(C25, figures, "learners, moves and follow-up say what the columns say", "nobody", "people read wrong figures")  \
    X(C26, repeat, "the same group gives the same answer, byte by byte, from any instance and after any other call",  \
      "nobody", "tasks move at a rebalance in which nothing has changed")                                             \
    X(C27, processes, "... and in any process", "nobody", "a new leader moves tasks")                                 \
    X(C28, parallel, "... and while other instances and any-thread slots are called from other threads", "nobody",    \
      "plans are wrong where several groups are led at once")                                                         \
    X(C29, after-fault, "... and by an instance that has failed before", "libsegue drops an instance that has failed", \
      "a fault spoils later plans in other hosts")                                                                    \
    X(C30, budget, "assign comes back within max_compute_us and one second of processor time",                        \
      "nobody: a call cannot be taken back", "the leader misses its rebalance")                                       \
    X(C31, waiting, "no slot waits for anything but the processor", "nobody", "a stream thread stands still")         \
    X(C32, memory, "what is created, used, failed and destroyed leaves no memory behind", "nobody",                   \
      "the host grows until it is ended")                                                                             \
    X(C33, mappings, "... and no mappings", "nobody", "the host runs out of them and is ended")                       \
    X(C34, descriptors, "... and no descriptors, and opens, closes and changes none of the host's", "nobody",         \
      "the host runs out of them, writes into the wrong file, or waits where it should not")                          \
    X(C35, threads, "no thread is started", "nobody", "a process that forks, or a class loader that goes, hangs")     \
    X(C36, signals, "signal handlers, masks and timers stay as they are", "nobody",                                   \
      "the JVM's or Python's own handling is broken")                                                                 \
    X(C37, environment, "environment variables stay as they are", "nobody",                                           \
      "another thread that reads them crashes")                                                                       \
    X(C38, settings,                                                                                                  \
      "locale, working folder, umask, limits, rounding mode, and the thread's name, priority and processors stay as they are", \
      "nobody", "unrelated parts of the host go wrong")                                                               \
    X(C39, silence, "nothing is written to standard output or error", "nobody", "the host's output is garbled")       \
    X(C40, sessions, "a session of segue.session/1 decides what assign decides, and closes", "nobody",                \
      "a host that sees every change plans otherwise than one that does not")                                         \
    X(R1, members, "every task has one active, and all holders are members", "libsegue, of every plan",               \
      "the fallback answers, and the report names rule and task")                                                     \
    X(R2, disks, "the copies of a task are in different processes", "libsegue, of every plan", "likewise")            \
    X(R3, stateless, "only tasks with state have learners and standbys", "libsegue, of every plan", "likewise")       \
    X(R4, no-cold-move, "a task with a caught-up owner only goes to its process or to a copy that is caught up",      \
      "libsegue, of every plan", "likewise")                                                                          \
    X(R5, best-copy, "an orphan goes to a caught-up copy, else to the nearest", "libsegue, of every plan", "likewise") \
    X(R6, leaving, "a leaving member gets nothing new, and one whose deadline has passed keeps no active",            \
      "libsegue, of every plan", "likewise")                                                                          \
    X(R7, threads-needed, "a member without threads has no active", "libsegue, of every plan", "likewise")            \
    X(R8, caps, "no more learners are in flight than the configuration allows", "libsegue, of every plan",            \
      "likewise")                                                                                                     \
    X(R9, standbys, "each task with state has as many standbys as are wanted and possible",                           \
      "libsegue, of every plan", "likewise")                                                                          \
    X(R10, stable, "carried out, with the same lags, a plan is planned again", "nobody", "tasks move for no reason")  \
    X(R11, texts, "names and the order of the string table decide nothing", "nobody",                                 \
      "plans depend on the order in which a host met things")                                                         \
    X(R12, followup, "a follow-up is asked for while a learner is in flight, and not where nothing is left to do",    \
      "nobody", "learners are never handed over, or the group rebalances for ever")

/* The functions: rule_C01 and so on, each in the file that its subject names. */
struct probe;
#define CHECK_DECLARE_RULE(number, word, what, who, otherwise) void rule_##number(struct probe *probe);
CHECK_RULES(CHECK_DECLARE_RULE)
#undef CHECK_DECLARE_RULE

/* A number that stands for the answers of all assignors to all groups of the probe. Memory and stack that nobody has written
 * to hold that byte. */
uint64_t rules_answers(struct probe *probe, int unwritten);

typedef struct check_rule {
    const char *number;
    const char *word;
    const char *what;
    const char *who;
    const char *otherwise;
    void (*run)(struct probe *probe);
} check_rule;

/* All of them, in the table's order; ends with a NULL number. */
extern const check_rule check_rules[];

#endif
