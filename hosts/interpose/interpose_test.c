/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "faults.h"
#include "interpose.h"
#include "signature.h"

/* ---- a system that forbids executable memory --------------------------------------------------------------------- */

void *__real_ffi_closure_alloc(size_t size, void **code);
void *__wrap_ffi_closure_alloc(size_t size, void **code);

static unsigned closures_left = UINT32_MAX;

void *__wrap_ffi_closure_alloc(size_t size, void **code)
{
    if (closures_left == 0) {
        return NULL;
    }
    closures_left--;
    return __real_ffi_closure_alloc(size, code);
}

/* ---- a table with every kind of result, none of them a slot that anybody knows ----------------------------------- */

typedef struct strange_slots {
    uint32_t size;
    uint32_t version;
    int32_t (*number)(uint32_t a, int64_t b);
    uint32_t (*count)(void);
    int64_t (*wide)(int64_t a);
    const void *(*place)(const void *a);
    void (*nothing)(int32_t *a);
    int32_t (*not_described)(void);
} strange_slots;

static int32_t number(uint32_t a, int64_t b)
{
    return (int32_t)(b - (int64_t)a);
}

static uint32_t count(void)
{
    return UINT32_MAX;
}

static int64_t wide(int64_t a)
{
    return a * 2;
}

static const void *place(const void *a)
{
    return a;
}

static void nothing(int32_t *a)
{
    *a = 7;
}

static int32_t not_described(void)
{
    return -9;
}

static const strange_slots slots = {sizeof slots, 9, number, count, wide, place, nothing, not_described};

#define ROW(name, signature) {9, (uint32_t)offsetof(strange_slots, name), SEGUE_THREAD_ANY, 0, #name, signature}

static const segue_slot_info table[] = {ROW(number, "i(ul)"), ROW(count, "u()"), ROW(wide, "l(l)"), ROW(place, "p(p)"),
                                        ROW(nothing, "v(p)")};

enum { ROWS = sizeof table / sizeof *table };

static unsigned befores, afters;
static int64_t last_result;
static const char *last_slot;

static int before(sgx_call *call)
{
    befores++;
    call->result = -77;
    return strcmp(call->slot->name, "count") != 0 || call->number != 2;
}

static void after(sgx_call *call)
{
    afters++;
    last_result = call->result;
    last_slot = call->slot->name;
}

static const sgx_hooks hooks = {before, after};

/* Wrapped tables are for ever; this keeps them in sight of a leak checker. */
static const segue_slots *kept[8];
static unsigned kept_count;

static const strange_slots *wrap(const segue_slot_info *rows, uint32_t rows_count, int32_t expected, const char *mention)
{
    char text[400] = "";
    segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
    const segue_slots *wrapped = NULL;
    int32_t status = sgx_wrap((const segue_slots *)(const void *)&slots, rows, rows_count, &hooks, &wrapped, &error);
    assert_int_equal(status, expected);
    if (mention != NULL) {
        assert_non_null(strstr(text, mention));
        assert_null(wrapped);
    }
    if (wrapped != NULL) {
        kept[kept_count++] = wrapped;
    }
    return (const strange_slots *)(const void *)wrapped;
}

static void every_kind_of_result_comes_through(void **state)
{
    (void)state;
    int32_t written = 0;
    const strange_slots *w = wrap(table, ROWS, SEGUE_OK, NULL);
    befores = afters = 0;
    assert_int_equal(w->number(3, -1), -4);
    assert_int_equal(last_result, -4);
    assert_int_equal(w->count(), UINT32_MAX);
    assert_int_equal(last_result, UINT32_MAX);
    assert_true(w->wide(INT64_C(1) << 40) == INT64_C(1) << 41);
    assert_ptr_equal(w->place(&written), &written);
    w->nothing(&written);
    assert_int_equal(written, 7);
    assert_string_equal(last_slot, "nothing");
    assert_int_equal(befores, ROWS);
    assert_int_equal(afters, ROWS);
    assert_int_equal(w->version, 9);
}

static void a_call_can_be_answered_without_the_plugin(void **state)
{
    (void)state;
    const strange_slots *w = wrap(table, ROWS, SEGUE_OK, NULL);
    assert_int_equal(w->count(), UINT32_MAX);
    assert_int_equal(w->count(), (uint32_t)-77);
    assert_int_equal(w->count(), UINT32_MAX);
}

static void what_is_not_described_stays_as_it_is(void **state)
{
    (void)state;
    const strange_slots *w = wrap(table, ROWS, SEGUE_OK, NULL);
    assert_true(w->not_described == not_described);
    assert_true(w->number != number);
}

static void a_signature_that_is_none_is_refused(void **state)
{
    (void)state;
    const char *const bad[] = {"", "i", "i(", "i(p", "i(v)", "x(p)", "i(p)p", "i(ppppppppp)", "(p)", NULL};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        segue_slot_info row = table[0];
        row.signature = bad[i];
        wrap(&row, 1, SEGUE_E_PLUGIN, "number");
    }
}

static void a_system_without_executable_memory_is_named(void **state)
{
    (void)state;
    for (closures_left = 0; closures_left < 2;) {
        unsigned before_it = closures_left;
        wrap(table, ROWS, SEGUE_E_SYSTEM, "no memory that may be executed");
        closures_left = before_it + 1;
    }
    closures_left = UINT32_MAX;
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static void faults_are_read_as_they_are_written(void **state)
{
    (void)state;
    sgx_faults faults;
    assert_int_equal(sgx_faults_read(&faults, NULL, NULL), SEGUE_OK);
    assert_int_equal(faults.count, 0);
    assert_int_equal(sgx_faults_read(&faults, "assign#3=internal,create=no-memory,assign=delay:50,assign#1=bad-plan,"
                                              "assign=crash,assign=abort,assign=hang",
                                     NULL),
                     SEGUE_OK);
    assert_int_equal(faults.count, 7);
    assert_string_equal(faults.rows[0].slot, "assign");
    assert_int_equal(faults.rows[0].number, 3);
    assert_int_equal(faults.rows[0].status, SEGUE_E_INTERNAL);
    assert_int_equal(faults.rows[1].status, SEGUE_E_MEMORY);
    assert_int_equal(faults.rows[1].number, 0);
    assert_int_equal(faults.rows[2].kind, SGX_DELAY);
    assert_int_equal(faults.rows[2].delay_ms, 50);
    assert_int_equal(faults.rows[3].kind, SGX_BAD_PLAN);
    assert_int_equal(faults.rows[4].kind, SGX_CRASH);
    assert_int_equal(faults.rows[5].kind, SGX_ABORT);
    assert_int_equal(faults.rows[6].kind, SGX_HANG);
}

static void a_wrong_fault_is_named(void **state)
{
    (void)state;
    const char *const bad[] = {"assign", "=internal", "assign=", "assign#=internal", "assign#0=internal", "assign#x=internal",
                               "assign=nonsense", "assign=delay:", "assign=delay:x", "assign=delay:99999999", "assign#1",
                               "assign#-1=internal", "assign#18446744073709551616=internal", "assign=delay: 5",
                               "assign=delay:-1", "create=bad-plan"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[400] = "";
        segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
        sgx_faults faults;
        assert_int_equal(sgx_faults_read(&faults, bad[i], &error), SEGUE_E_SYNTAX);
        assert_non_null(strstr(text, bad[i]));
    }
}

/* A host would take a status for a place in memory. */
static void what_answers_with_a_pointer_answers_none(void **state)
{
    (void)state;
    const segue_slot_info row = {.name = "get_extension", .signature = "p(p)"};
    const char *const texts[] = {"get_extension=internal", "get_extension=crash"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sgx_faults faults;
        sgx_call call = {.slot = &row, .number = 1, .result = 1};
        assert_int_equal(sgx_faults_read(&faults, texts[i], NULL), SEGUE_OK);
        assert_int_equal(sgx_faults_before(&faults, &call), 0);
        assert_int_equal(call.result, 0);
    }
}

static void a_fault_of_no_slot_is_named(void **state)
{
    (void)state;
    char text[400] = "";
    segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
    const segue_slot_info rows[] = {{.name = "create"}, {.name = "assign"}};
    sgx_faults faults;
    assert_int_equal(sgx_faults_read(&faults, "assign=internal,asign#2=crash", NULL), SEGUE_OK);
    assert_int_equal(sgx_faults_check(&faults, rows, 2, &error), SEGUE_E_SYNTAX);
    assert_non_null(strstr(text, "asign"));
    assert_int_equal(sgx_faults_read(&faults, "assign=internal,create=crash", NULL), SEGUE_OK);
    assert_int_equal(sgx_faults_check(&faults, rows, 2, NULL), SEGUE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_result_comes_through),
        cmocka_unit_test(a_call_can_be_answered_without_the_plugin),
        cmocka_unit_test(what_is_not_described_stays_as_it_is),
        cmocka_unit_test(a_signature_that_is_none_is_refused),
        cmocka_unit_test(a_system_without_executable_memory_is_named),
        cmocka_unit_test(faults_are_read_as_they_are_written),
        cmocka_unit_test(a_wrong_fault_is_named),
        cmocka_unit_test(what_answers_with_a_pointer_answers_none),
        cmocka_unit_test(a_fault_of_no_slot_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
