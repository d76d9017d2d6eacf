/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the border as text: the golden description in abi/golden is this program's output, and a test compares them.
 * It also refuses a struct whose fields do not fill it without a hole: a listed struct cannot lose a field unseen.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segue/abi.h"
#include "segue/host.h"
#include "segue/record.h"

#define TYPE_WORD(expression)                                                                                         \
    _Generic((expression), uint8_t: "uint8_t", uint16_t: "uint16_t", uint32_t: "uint32_t", int32_t: "int32_t",        \
        uint64_t: "uint64_t", int64_t: "int64_t", double: "double", char *: "char *", const char *: "const char *",   \
        uint8_t *: "uint8_t *", uint16_t *: "uint16_t *", uint32_t *: "uint32_t *", int64_t *: "int64_t *",           \
        const uint8_t *: "const uint8_t *", const uint32_t *: "const uint32_t *",                                     \
        const int64_t *: "const int64_t *", const double *: "const double *",                                         \
        const segue_slots *: "const segue_slots *", const segue_slot_info *: "const segue_slot_info *",               \
        void *: "void *", default: "pointer to function")

static size_t cursor;

static void begin_struct(const char *name, size_t size) {
    printf("\nstruct %s, %zu bytes\n", name, size);
    cursor = 0;
}

static void print_field(const char *owner, const char *name, size_t offset, size_t size, const char *type) {
    if (offset != cursor) {
        fprintf(stderr, "%s has a hole or an undescribed field before %s, at byte %zu\n", owner, name, cursor);
        exit(1);
    }
    cursor = offset + size;
    printf("  %4zu %2zu %s %s\n", offset, size, name, type);
}

static void end_struct(const char *name, size_t size) {
    if (cursor != size) {
        fprintf(stderr, "%s ends at byte %zu, but its described fields at %zu\n", name, size, cursor);
        exit(1);
    }
}

#define BEGIN(type) begin_struct(#type, sizeof(type));
#define END(type) end_struct(#type, sizeof(type));
#define FIELD(type, field)                                                                                            \
    print_field(#type, #field, offsetof(type, field), sizeof(((type *)0)->field), TYPE_WORD(((type *)0)->field));

#define STRUCT_3(t, a, b, c) BEGIN(t) FIELD(t, a) FIELD(t, b) FIELD(t, c) END(t)
#define STRUCT_4(t, a, b, c, d) BEGIN(t) FIELD(t, a) FIELD(t, b) FIELD(t, c) FIELD(t, d) END(t)
#define STRUCT_5(t, a, b, c, d, e) BEGIN(t) FIELD(t, a) FIELD(t, b) FIELD(t, c) FIELD(t, d) FIELD(t, e) END(t)
#define STRUCT_6(t, a, b, c, d, e, f)                                                                                 \
    BEGIN(t) FIELD(t, a) FIELD(t, b) FIELD(t, c) FIELD(t, d) FIELD(t, e) FIELD(t, f) END(t)
#define STRUCT_7(t, a, b, c, d, e, f, g)                                                                              \
    BEGIN(t) FIELD(t, a) FIELD(t, b) FIELD(t, c) FIELD(t, d) FIELD(t, e) FIELD(t, f) FIELD(t, g) END(t)
#define STRUCT_8(t, a, b, c, d, e, f, g, h)                                                                           \
    BEGIN(t)                                                                                                          \
    FIELD(t, a) FIELD(t, b) FIELD(t, c) FIELD(t, d) FIELD(t, e) FIELD(t, f) FIELD(t, g) FIELD(t, h) END(t)

static void describe_constants(void) {
    printf("segue border, pointers of %zu bytes, little-endian numbers\n", sizeof(void *));
    printf("version %u, floor %u\n", SEGUE_ABI_VERSION, SEGUE_ABI_FLOOR);
    printf("symbol %s i(p)\n", SEGUE_ENTRY_SYMBOL);
    printf("note section %s, owner %s, type %u\n", SEGUE_NOTE_SECTION, SEGUE_NOTE_OWNER, SEGUE_NOTE_TYPE);
    printf("none %" PRIu32 ", no limit %" PRIu32 ", lag unknown %" PRId64 ", time none %" PRId64
           ", bytes unknown %" PRId64 "\n",
           SEGUE_NONE, SEGUE_NO_LIMIT, SEGUE_LAG_UNKNOWN, SEGUE_TIME_NONE, SEGUE_BYTES_UNKNOWN);
    printf("at most %u tasks, %u members, %u copies, %u threads a member\n", SEGUE_MAX_TASKS, SEGUE_MAX_MEMBERS,
           SEGUE_MAX_COPIES, SEGUE_MAX_THREADS);
    printf("trait cold %u, leaving %u, loose %u\n", SEGUE_TRAIT_COLD, SEGUE_TRAIT_LEAVING, SEGUE_TRAIT_LOOSE);
    printf("decision numbers %u\n", SEGUE_DECISION_NUMBERS);
}

static void describe_wire(void) {
    printf("\nwire\n");
    printf("  version %u, alignment %u\n", SEGUE_WIRE_VERSION, SEGUE_WIRE_ALIGNMENT);
    printf("  group magic %#x, plan magic %#x\n", SEGUE_WIRE_GROUP_MAGIC, SEGUE_WIRE_PLAN_MAGIC);
    printf("  scalars %u, config %u, optional from %u\n", SEGUE_WIRE_SCALARS, SEGUE_WIRE_CONFIG,
           SEGUE_WIRE_OPTIONAL_FROM);
}

#define PRINT_CODE(name, value, word) printf("  %d %s %s\n", value, #name, word);
#define PRINT_REASON(name, value, word, sentence) print_reason(value, #name, word, sentence);
#define PRINT_VALUE(name) printf("  %d %s\n", (int)(name), #name);

/* The wording of a sentence is free, what its numbers mean is not: only the places are described. */
static void print_reason(int value, const char *name, const char *word, const char *sentence) {
    printf("  %d %s %s", value, name, word);
    for (const char *open = strchr(sentence, '{'); open; open = strchr(open + 1, '{')) {
        printf(" %.*s", (int)(strchr(open, '}') - open) + 1, open);
    }
    putchar('\n');
}

static void describe_codes(void) {
    printf("\nstatuses\n");
    SEGUE_STATUSES(PRINT_CODE)
    printf("\nkinds\n");
    SEGUE_KINDS(PRINT_CODE)
    printf("\nreasons\n");
    SEGUE_REASONS(PRINT_REASON)
    printf("\nfollow-ups\n");
    SEGUE_FOLLOWUPS(PRINT_CODE)
}

static void describe_enums(void) {
    printf("\nenums\n");
    PRINT_VALUE(SEGUE_THREAD_ANY)
    PRINT_VALUE(SEGUE_THREAD_SERIAL)
    PRINT_VALUE(SEGUE_DORMANT)
    PRINT_VALUE(SEGUE_STANDBY)
    PRINT_VALUE(SEGUE_LEARNER)
    PRINT_VALUE(SEGUE_ACTIVE)
    PRINT_VALUE(SEGUE_RACK_NONE)
    PRINT_VALUE(SEGUE_RACK_MIN_TRAFFIC)
    PRINT_VALUE(SEGUE_RACK_BALANCE_SUBTOPOLOGY)
    PRINT_VALUE(SEGUE_MODE_INCREMENTAL)
    PRINT_VALUE(SEGUE_MODE_UPGRADING)
}

static const segue_slot_info slot_table[] = SEGUE_SLOT_TABLE;

static const char *thread_word(uint32_t thread) { return thread == SEGUE_THREAD_ANY ? "any-thread" : "serial"; }

#define PRINT_SLOT_ARG_(code, type, name) #type " " #name
#define PRINT_SLOT_SEP_() ", "
#define PRINT_PROTOTYPE(since, name, thread, result, ...) "(" __VA_ARGS__ ")",

static const segue_slot_info session_table[] = {
#define SESSION_INFO(since, name, thread, result, ...)                                                                \
    {since, (uint32_t)offsetof(segue_session_slots, name), SEGUE_THREAD_##thread, 0, #name, #result "(" __VA_ARGS__ ")"},
    SEGUE_SESSION_SLOTS(SESSION_INFO, SEGUE_SIGNATURE_ARG_, SEGUE_NOTHING_)};

static void print_slots(const segue_slot_info *table, size_t count, const char *const *prototypes) {
    for (size_t i = 0; i < count; i++) {
        printf("  %u %s %s %s since %u %s\n", table[i].offset, table[i].name, table[i].signature,
               thread_word(table[i].thread), table[i].since, prototypes[i]);
    }
}

static void describe_slots(void) {
    static const char *const prototypes[] = {SEGUE_SLOTS(PRINT_PROTOTYPE, PRINT_SLOT_ARG_, PRINT_SLOT_SEP_)};
    static const char *const sessions[] = {SEGUE_SESSION_SLOTS(PRINT_PROTOTYPE, PRINT_SLOT_ARG_, PRINT_SLOT_SEP_)};
    printf("\nslots\n");
    print_slots(slot_table, sizeof slot_table / sizeof slot_table[0], prototypes);
    printf("\nextension " SEGUE_SESSION_ID "\n");
    print_slots(session_table, sizeof session_table / sizeof session_table[0], sessions);
}

#define PRINT_KEY(field, type, key, initial, least, greatest)                                                         \
    printf("  %s %s %s default " #initial " from " #least " to " #greatest "\n", key, #field, #type);
#define PRINT_SCALAR(field, type) printf("  %s %s\n", #field, #type);
#define PRINT_PLAN_SCALAR(field, type, way) printf("  %s %s %s\n", #field, #type, #way);
#define PRINT_GROUP_COLUMN(id, field, type, count, need) printf("  %d %s %s[%s] %s\n", id, #field, #type, #count, #need);
#define PRINT_PLAN_COLUMN(id, field, type, used, capacity) printf("  %d %s %s[%s]\n", id, #field, #type, #used);

static void describe_columns(void) {
    printf("\nconfiguration keys, in wire order\n");
    SEGUE_CONFIG_FIELDS(PRINT_KEY)
    printf("\ngroup scalars, in wire order\n");
    SEGUE_GROUP_SCALARS(PRINT_SCALAR)
    printf("\ngroup columns\n");
    SEGUE_GROUP_COLUMNS(PRINT_GROUP_COLUMN)
    printf("\nplan scalars, in wire order\n");
    SEGUE_PLAN_SCALARS(PRINT_PLAN_SCALAR)
    printf("\nplan columns\n");
    SEGUE_PLAN_COLUMNS(PRINT_PLAN_COLUMN)
}

#define CONFIG_FIELD(field, type, key, initial, least, greatest) FIELD(segue_config, field)
#define GROUP_SCALAR_FIELD(field, type) FIELD(segue_group, field)
#define GROUP_COLUMN_FIELD(id, field, type, count, need) FIELD(segue_group, field)
#define PLAN_SCALAR_FIELD(field, type, way) FIELD(segue_plan, field)
#define PLAN_COLUMN_FIELD(id, field, type, used, capacity) FIELD(segue_plan, field)
#define SLOT_FIELD(since, name, thread, result, ...) FIELD(segue_slots, name)
#define SESSION_FIELD(since, name, thread, result, ...) FIELD(segue_session_slots, name)
#define NO_ARG(code, type, name)
#define NO_SEP()

static void describe_made_structs(void) {
    BEGIN(segue_config) FIELD(segue_config, size) SEGUE_CONFIG_FIELDS(CONFIG_FIELD) END(segue_config)
    BEGIN(segue_group) FIELD(segue_group, size) FIELD(segue_group, reserved)
    SEGUE_GROUP_SCALARS(GROUP_SCALAR_FIELD) SEGUE_GROUP_COLUMNS(GROUP_COLUMN_FIELD) END(segue_group)
    BEGIN(segue_plan) FIELD(segue_plan, size) SEGUE_PLAN_SCALARS(PLAN_SCALAR_FIELD)
    SEGUE_PLAN_COLUMNS(PLAN_COLUMN_FIELD) END(segue_plan)
    BEGIN(segue_slots) FIELD(segue_slots, size) FIELD(segue_slots, version)
    SEGUE_SLOTS(SLOT_FIELD, NO_ARG, NO_SEP) END(segue_slots)
    BEGIN(segue_session_slots) FIELD(segue_session_slots, size) FIELD(segue_session_slots, reserved)
    SEGUE_SESSION_SLOTS(SESSION_FIELD, NO_ARG, NO_SEP) END(segue_session_slots)
}

static void describe_border_structs(void) {
    STRUCT_7(segue_error, size, code, rule, row, text, text_size, reserved)
    STRUCT_4(segue_bound, size, standby_rows, decision_rows, reserved)
    STRUCT_5(segue_assignor_info, size, traits, name, version, summary)
    STRUCT_4(segue_memory, size, reserved, held_bytes, peak_bytes)
    STRUCT_8(segue_copies, size, count, capacity, full_run, task, member, role, lag)
    STRUCT_7(segue_joiner, size, member, threads, process, rack, name_size, name)
    STRUCT_6(segue_slot_info, since, offset, thread, reserved, name, signature)
    STRUCT_8(segue_entry, size, version, floor, table_count, slots, table, plugin_name, plugin_version)
    STRUCT_4(segue_note, abi_floor, abi_newest, plugin_version, name_bytes)
    STRUCT_5(segue_wire_header, magic, version, bytes, section_count, reserved)
    STRUCT_4(segue_wire_section, id, element_bytes, offset, count)
}

static void describe_host_structs(void) {
    BEGIN(segue_host_options)
    FIELD(segue_host_options, size) FIELD(segue_host_options, only_path) FIELD(segue_host_options, plugin_path)
    FIELD(segue_host_options, record_path) FIELD(segue_host_options, record_bytes)
    FIELD(segue_host_options, isolation) FIELD(segue_host_options, isolate_program)
    FIELD(segue_host_options, max_faults) FIELD(segue_host_options, reserved) END(segue_host_options)
    STRUCT_5(segue_plugin_row, size, abi_version, path, name, version)
    STRUCT_8(segue_assignor_row, size, traits, name, version, summary, plugin, faults, aside)
    BEGIN(segue_report)
    FIELD(segue_report, size) FIELD(segue_report, fallback) FIELD(segue_report, status) FIELD(segue_report, rule)
    FIELD(segue_report, row) FIELD(segue_report, text_size) FIELD(segue_report, text)
    FIELD(segue_report, elapsed_ns) FIELD(segue_report, plugin) FIELD(segue_report, faults)
    FIELD(segue_report, aside) END(segue_report)
    BEGIN(segue_metrics)
    FIELD(segue_metrics, size) FIELD(segue_metrics, aside) FIELD(segue_metrics, plans)
    FIELD(segue_metrics, fallbacks) FIELD(segue_metrics, errors) FIELD(segue_metrics, refused)
    FIELD(segue_metrics, late) FIELD(segue_metrics, died) FIELD(segue_metrics, unstarted)
    FIELD(segue_metrics, passed_over) FIELD(segue_metrics, started) FIELD(segue_metrics, processes)
    FIELD(segue_metrics, threads) END(segue_metrics)
    BEGIN(segue_record_head)
    FIELD(segue_record_head, magic) FIELD(segue_record_head, version) FIELD(segue_record_head, head_size)
    FIELD(segue_record_head, wall_ms) FIELD(segue_record_head, elapsed_ns) FIELD(segue_record_head, status)
    FIELD(segue_record_head, rule) FIELD(segue_record_head, fallback) FIELD(segue_record_head, assignor_size)
    FIELD(segue_record_head, group_size) FIELD(segue_record_head, plan_size) END(segue_record_head)
    STRUCT_8(segue_callback, size, traits, name, version, summary, context, assign, release)
}

int main(void) {
    describe_constants();
    describe_wire();
    describe_codes();
    describe_enums();
    describe_slots();
    describe_columns();
    describe_made_structs();
    describe_border_structs();
    describe_host_structs();
    printf("\nnote name of assignors that a plugin tells when it is loaded: %s\n", SEGUE_NOTE_ANY_NAME);
    return 0;
}
