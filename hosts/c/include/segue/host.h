/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue/host.h - libsegue, the one C library below every host.
 *
 * It finds and loads plugins, keeps them by assignor name, asks one for a plan, checks the plan against R1-R9, and
 * answers with a named fallback and a report when the plan does not hold. It also reads and writes the JSON documents
 * and the wire format. Every function returns a status of segue/base.h and fills `error` (may be NULL) on a fault.
 *
 * Thread class: every function may be called from any thread at any time, on the same objects too, unless its comment
 * says otherwise. Strings are UTF-8 and NUL-terminated unless a size is given. Since: 1.0.
 */
#ifndef SEGUE_HOST_H
#define SEGUE_HOST_H

#include "segue/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SEGUE_API __attribute__((visibility("default")))
#else
#define SEGUE_API
#endif

/* The registry of plugins and assignors. */
typedef struct segue_host segue_host;

/*
 * How to open a host. Set size; zero everything that has no opinion.
 *
 *  plugin_path  folders and files, separated by ':', searched after the environment's SEGUE_PLUGIN_PATH (which is
 *               ignored in a setuid program) and before the install folder. NULL: none.
 *  only_path    1: search plugin_path alone.
 *  record_path  file in which every group and its plan are written down (segue/record.h), which `segue replay` reads.
 *               NULL: the environment's SEGUE_RECORD_PATH, or none. E_SYSTEM when it cannot be opened, or holds
 *               something else than a record; what cannot be written later on is left out.
 *  record_bytes size at which the file becomes record_path.1; 0: SEGUE_RECORD_BYTES
 *  isolation    "none": plugins are called on the caller's thread. "thread": so are calls without a budget
 *               (max_compute_us); those with one run on a thread of their own, which is given up when it does not come
 *               back in time. "process": plugins are loaded and called in processes of their own, which are killed and
 *               replaced. NULL: the environment's SEGUE_ISOLATION, or "thread". E_CONFIG for another word, E_SYSTEM
 *               when there is no program for the processes. hosts/ISOLATION.md says what each can promise.
 *  isolate_program  the program of those processes. NULL: the environment's SEGUE_ISOLATE_PROGRAM, or "segue-isolate"
 *               beside libsegue, or in the install folder
 *  max_faults   an assignor with so many faults is put aside until segue_host_reinstate: the fallback answers without
 *               asking it. 0: 5; SEGUE_NO_LIMIT: never
 */
typedef struct segue_host_options {
    uint32_t size;
    uint32_t only_path;
    const char *plugin_path;
    const char *record_path;
    uint64_t record_bytes;
    const char *isolation;
    const char *isolate_program;
    uint32_t max_faults;
    uint32_t reserved;
} segue_host_options;

/* Opens a host. `options` may be NULL. Nothing is loaded yet: the first need of an assignor loads its plugin. */
SEGUE_API int32_t segue_host_open(const segue_host_options *options, segue_host **host, segue_error *error);

/* Closes it. NULL is allowed. No other call on the host may run or come later. Plugins stay mapped; processes end. A
 * thread that was given up is not waited for. */
SEGUE_API void segue_host_close(segue_host *host);

/* Loads a plugin: a path when `plugin` has a '/', else the name of a file "lib<name>.so" or "<name>.so" on the search
 * path. Its assignors come before all others from then on, also where it was loaded before: calls that run end on the
 * plugin that they began with, later ones go to this. A new version is a new file with a name of its own: a file that has
 * taken the place of one that is loaded is refused. E_NAME: there is no such file, or it is no plugin at all; E_PLUGIN:
 * why it is refused, for good; E_SYSTEM, E_MEMORY: what is lacking now, and the next call tries again. */
SEGUE_API int32_t segue_host_load(segue_host *host, const char *plugin, segue_error *error);

/* One plugin or one assignor, for listing. Set size. Texts live as long as the host. faults and aside: as in segue_report. */
typedef struct segue_plugin_row {
    uint32_t size;
    uint32_t abi_version; /* 0 while only its note was read */
    const char *path;
    const char *name;
    const char *version;
} segue_plugin_row;

typedef struct segue_assignor_row {
    uint32_t size;
    uint32_t traits;
    const char *name;
    const char *version;
    const char *summary;
    const char *plugin; /* path */
    uint32_t faults;
    uint32_t aside;
} segue_assignor_row;

/* The row with that index; E_NAME behind the last. Plugins are listed by their notes, in the order in which they are
 * asked: those named by segue_host_load first, the latest before the others, then those of the search path, also the files
 * there that are refused; segue_host_load says why. Listing
 * assignors loads every plugin, and leaves out what is refused and what an earlier plugin gives already. Loading more
 * plugins renumbers. Those that the host registers come before all plugins, with "(registered)" for a path. */
SEGUE_API int32_t segue_host_plugin(segue_host *host, uint32_t index, segue_plugin_row *row, segue_error *error);
SEGUE_API int32_t segue_host_assignor(segue_host *host, uint32_t index, segue_assignor_row *row, segue_error *error);

/*
 * An assignor that the host brings by itself: a function, and what it is called with. Set size.
 *
 *  traits            SEGUE_TRAIT_* bits: what its plans are judged by
 *  name              as segue_assignor_info wants it
 *  version, summary  for people; NULL: empty
 *  context           handed to both functions and not looked into
 *  assign            answers as the slot of that name does, but from several threads at once: those that ask. It may ask the
 *                    host for a plan of another assignor; it must not close the host
 *  release           called once, when nobody uses the context any more; NULL: nobody is told. Any thread: that of
 *                    segue_host_unregister, _register or _close, or of the last call that still ran
 */
typedef int32_t (*segue_assign_function)(void *context, const segue_group *group, const segue_config *config,
                                         segue_plan *plan, segue_error *error);
typedef void (*segue_release_function)(void *context);

typedef struct segue_callback {
    uint32_t size;
    uint32_t traits;
    const char *name;
    const char *version;
    const char *summary;
    void *context;
    segue_assign_function assign;
    segue_release_function release;
} segue_callback;

/* From now on it is asked for its name, before any plugin; its plans are checked as a plugin's are. One of that name that
 * was registered before is replaced: calls that run end on it. `callback` and its texts are copied. On a fault nothing is
 * registered, and release is not called. E_ARGUMENT, E_MEMORY. */
SEGUE_API int32_t segue_host_register(segue_host *host, const segue_callback *callback, segue_error *error);

/* It is asked no more; calls that run end on it. E_NAME where none of that name is registered. */
SEGUE_API int32_t segue_host_unregister(segue_host *host, const char *name, segue_error *error);

/*
 * This process as the program of a registered assignor, for hosts in other languages. The program is a file called
 * NAME.assignor on their plugin path; they start it, and ask it in a process of its own, whatever their isolation. Answers
 * until there is nothing more to ask: OK then, and the process has five seconds to come to its end. Standard input belongs
 * to it, and a timer that raises SIGKILL, for calls that nobody waits for and for that end.
 * E_ARGUMENT where no host has started this program, E_NAME where none of that name is registered, E_VERSION for a host of
 * another version of libsegue, E_SYSTEM where a limit of the process is in the way. Thread: the one that calls, alone.
 */
SEGUE_API int32_t segue_host_serve(segue_host *host, const char *assignor, segue_error *error);

/*
 * What happened to a plan on its way. Set size and text as in segue_error.
 *
 *  fallback    1: the plan is the fallback's; status, rule, row and text say why
 *  status      what the plugin returned, or E_PLAN when its plan broke a rule
 *  rule, row   rule R1-R9 and the task that breaks it; 0 and SEGUE_NONE else. A plan that is none (counts beyond the
 *              capacities, decisions about nobody) has rule 0
 *  elapsed_ns  time inside the plugin
 *  plugin      path of the plugin that has the assignor; lives as long as the host
 *  faults      of the assignor since the host was opened or the assignor reinstated, this one among them
 *  aside       1: the assignor is put aside. When it was so before the call, status, rule and row are its last fault's
 *
 * An assignor that does not come back in time has status E_DEADLINE, one whose process ends or talks nonsense
 * E_INTERNAL. E_SYSTEM and E_MEMORY may mean that no process or thread could be started for it, or that there was no memory
 * to judge its plan: then nothing is counted against it.
 */
typedef struct segue_report {
    uint32_t size;
    uint32_t fallback;
    int32_t status;
    uint32_t rule;
    uint32_t row;
    uint32_t text_size;
    char *text;
    uint64_t elapsed_ns;
    const char *plugin;
    uint32_t faults;
    uint32_t aside;
} segue_report;

/*
 * The plan of `assignor` for a group. The caller owns `plan` and its columns (see segue_host_bound).
 *
 * The group is checked first: E_GROUP with the row. After that the answer is always a valid plan: when the assignor
 * fails or its plan breaks a rule, the fallback's (keep the owners, orphans to their best copy, nothing else), and
 * `report` says so. E_NAME when there is no such assignor: the text lists those that there are. E_MEMORY and E_SYSTEM when
 * its plugin cannot be loaded as things are: the next call tries again.
 */
SEGUE_API int32_t segue_host_assign(segue_host *host, const char *assignor, const segue_group *group,
                                    const segue_config *config, segue_plan *plan, segue_report *report,
                                    segue_error *error);

/* Asks an assignor that was put aside again, and forgets its faults. NULL: all of them. E_NAME: none of that name has been
 * loaded here. */
SEGUE_API int32_t segue_host_reinstate(segue_host *host, const char *assignor, segue_error *error);

/*
 * What a host has counted since it was opened. Set size.
 *
 *  aside        assignors that are put aside now
 *  plans        calls that were answered with a plan
 *  fallbacks    of them, by the fallback, for one of six reasons:
 *  errors       the assignor answered with a fault
 *  refused      its plan broke a rule
 *  late         it did not come back within its budget (max_compute_us) and half a second
 *  died         its process ended, or talked nonsense
 *  unstarted    no process or thread could be started for it, or there was no memory to judge its plan
 *  passed_over  it had been put aside
 *  started      processes started
 *  processes    of them, those that are there now
 *  threads      threads that were given up and have not come back
 */
typedef struct segue_metrics {
    uint32_t size;
    uint32_t aside;
    uint64_t plans;
    uint64_t fallbacks;
    uint64_t errors;
    uint64_t refused;
    uint64_t late;
    uint64_t died;
    uint64_t unstarted;
    uint64_t passed_over;
    uint64_t started;
    uint32_t processes;
    uint32_t threads;
} segue_metrics;

SEGUE_API int32_t segue_host_metrics(segue_host *host, segue_metrics *metrics, segue_error *error);

/* The most rows that a plan for this group has, whatever the assignor. E_SPACE when they do not fit 32 bits. */
SEGUE_API int32_t segue_host_bound(const segue_group *group, const segue_config *config, segue_bound *bound);

/*
 * The same over wire messages (segue/wire.h): `group` holds group and configuration. *plan_size is set to the bytes
 * written, or to those needed when plan_capacity is too small (E_SPACE). `with_decisions` 0 leaves decisions out.
 * Both buffers start at a multiple of 8.
 */
SEGUE_API int32_t segue_host_assign_wire(segue_host *host, const char *assignor, uint32_t with_decisions,
                                         const void *group, size_t group_size, void *plan, size_t plan_capacity,
                                         size_t *plan_size, segue_report *report, segue_error *error);

/* A plan that fits every answer for this wire group, in bytes; 0 when the message is malformed. */
SEGUE_API size_t segue_wire_plan_room(const void *group, size_t group_size, uint32_t with_decisions);

/*
 * The same over JSON documents. *plan is a NUL-terminated text that the caller gives to segue_free. `source` is how
 * messages call the text ("group.json", "line 3"), or NULL.
 */
SEGUE_API int32_t segue_host_assign_json(segue_host *host, const char *assignor, const char *group, size_t group_size,
                                         const char *source, char **plan, size_t *plan_size, segue_report *report,
                                         segue_error *error);

/* The same, and in *frame what was asked and answered as one frame of a record (segue/record.h), with names but without
 * anybody's data; for segue_free as well. */
SEGUE_API int32_t segue_host_record_json(segue_host *host, const char *assignor, const char *group, size_t group_size,
                                         const char *source, char **plan, size_t *plan_size, void **frame,
                                         size_t *frame_size, segue_report *report, segue_error *error);

SEGUE_API void segue_free(void *memory);

/* ---- one step at a time, for tools ------------------------------------------------------------------------------ */

/* A JSON group, sorted into columns. Remembers the document's own order of members. */
typedef struct segue_document segue_document;

SEGUE_API int32_t segue_document_read(const char *text, size_t size, const char *source, segue_document **document,
                                      segue_error *error);
SEGUE_API const segue_group *segue_document_group(const segue_document *document);
SEGUE_API const segue_config *segue_document_config(const segue_document *document);
SEGUE_API void segue_document_free(segue_document *document);

/* Columns as a group document again, with tasks one by one and the configuration that is not the default. The group has
 * to hold the rules of segue/group.h. *text is NUL-terminated, for segue_free. indent 0: on one line. */
SEGUE_API int32_t segue_document_write_group(const segue_group *group, const segue_config *config, uint32_t indent,
                                             char **text, size_t *size, segue_error *error);

/* The plan as a JSON document. elapsed_ns goes into stats. indent 0: on one line. */
SEGUE_API int32_t segue_document_write_plan(const segue_document *document, const char *assignor,
                                            const segue_plan *plan, uint64_t elapsed_ns, uint32_t indent, char **text,
                                            size_t *size, segue_error *error);

/*
 * The other way: a plan document as columns, for assignors that speak JSON. Of the document members[] has to be there; a
 * member that is not named holds nothing, a task that nobody owns is left without an owner (the check refuses it). Figures
 * and follow-up are counted (segue_plan_count), but for those that `stats` and `followup` say; decisions are left out. The
 * group has to hold the rules of segue/group.h, and `plan` has its columns and capacities. E_SYNTAX with the place; E_SPACE.
 */
SEGUE_API int32_t segue_document_read_plan(const segue_group *group, const char *text, size_t size, const char *source,
                                           segue_plan *plan, segue_error *error);

/* The same for a plan message (segue/wire.h). One with the section SEGUE_WIRE_FAULT is no plan but says why there is none:
 * E_INTERNAL with that text. Scalars are counted, but for the follow-up, min_moves (SEGUE_NONE: as moves), extra_moves,
 * held_back and optimal. E_WIRE, E_SPACE. */
SEGUE_API int32_t segue_wire_read_plan(const segue_group *group, void *buffer, size_t size, segue_plan *plan,
                                       segue_error *error);

/* Fills in what the columns of actives, learners and standbys say: moves, learners, spread, and a follow-up where a learner
 * is in flight. The rest becomes "nothing to say": no decisions, min_moves as moves, optimal 1. E_PLAN when a row is out of
 * range, E_MEMORY. */
SEGUE_API int32_t segue_plan_count(const segue_group *group, segue_plan *plan, segue_error *error);

/* Columns for a plan of `task_count` tasks within `bound`, in one allocation; segue_plan_free gives it back. */
SEGUE_API int32_t segue_plan_new(uint32_t task_count, const segue_bound *bound, uint32_t with_decisions,
                                 segue_plan **plan);
SEGUE_API void segue_plan_free(segue_plan *plan);

/* Does the group hold every rule of segue/group.h? E_GROUP with row and text. Linear, no allocation. */
SEGUE_API int32_t segue_group_check(const segue_group *group, segue_error *error);

/* Does the plan hold R1-R9? E_PLAN with rule, row and text. The group must have passed segue_group_check. traits: of
 * the assignor (cold ones are exempt from R4-R6 and R9; one that knows no leaving members is judged as if none were
 * marked). Linear, with one allocation: E_MEMORY. */
SEGUE_API int32_t segue_plan_check(const segue_group *group, const segue_config *config, const segue_plan *plan,
                                   uint32_t traits, segue_error *error);

/*
 * The fallback's plan: owners keep, orphans go to their best copy, nothing else. It holds R1-R8 for every group that
 * segue_group_check accepts: an owner whose deadline has passed or that has no threads is none, a restoring one yields
 * to a caught-up copy. Tasks that nobody has are spread by threads. Standbys stay where R9 wants them, learners end
 * (one that nobody promotes would ask for a rebalance for ever) and stay as standbys where those are wanted. Linear.
 * Cannot fail but for E_SPACE and E_MEMORY.
 */
SEGUE_API int32_t segue_plan_fallback(const segue_group *group, const segue_config *config, segue_plan *plan);

/* Defaults of every key. Set size first. */
SEGUE_API void segue_config_init(segue_config *config);

/* Sets one key from text, as a properties file has it, the same in every locale. "max.warmup.replicas" and
 * "segue.max.learners" both limit the learners: setting either can only lower the limit. Foreign and host-only keys are
 * ignored. E_CONFIG for a value out of range, and for an unknown key under "segue.", with the nearest known one. */
SEGUE_API int32_t segue_config_set(segue_config *config, const char *key, const char *value, segue_error *error);

/* Wire codec. encode: *size is bytes written, or needed (E_SPACE). decode: points *group into the buffer; set the sizes
 * of the records that it fills first, E_ARGUMENT where they are none. */
SEGUE_API int32_t segue_wire_encode_group(const segue_group *group, const segue_config *config, void *buffer,
                                          size_t capacity, size_t *size, segue_error *error);
SEGUE_API int32_t segue_wire_decode_group(const void *buffer, size_t size, segue_group *group, segue_config *config,
                                          segue_error *error);
SEGUE_API int32_t segue_wire_encode_plan(const segue_plan *plan, void *buffer, size_t capacity, size_t *size,
                                         segue_error *error);
SEGUE_API int32_t segue_wire_decode_plan(void *buffer, size_t size, segue_plan *plan, segue_error *error);

/* The word of a status, kind, reason or follow-up code, and a decision's sentence (cut to fit, returns the full
 * length without the NUL). Unknown codes have the word "unknown". */
SEGUE_API const char *segue_status_word(int32_t status);
SEGUE_API const char *segue_kind_word(uint32_t kind);
SEGUE_API const char *segue_reason_word(uint32_t reason);
SEGUE_API const char *segue_followup_word(uint32_t followup);
SEGUE_API size_t segue_decision_text(const segue_group *group, const segue_plan *plan, uint32_t decision, char *text,
                                     size_t size);

/* "1.0.0" */
SEGUE_API const char *segue_version(void);

#ifdef __cplusplus
}
#endif
#endif
