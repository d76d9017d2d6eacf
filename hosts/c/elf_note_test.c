/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_note.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing.h"

static void the_note_of_a_plugin_is_read_without_running_it(void **state)
{
    (void)state;
    sgi_note note;
    assert_int_equal(sgi_note_read(TEST_PLUGIN("second"), &note, NULL), SEGUE_OK);
    assert_int_equal(note.record.abi_floor, 1);
    assert_int_equal(note.record.abi_newest, 1);
    assert_int_equal(note.record.plugin_version, 0x010203);
    assert_memory_equal(note.names, "steady\0", 8);
    sgi_note_free(&note);
}

typedef struct raw {
    uint32_t owner_size, description_size, type;
    char owner[8];
    char description[8];
} raw;

/* A heap block of exactly that size: a sanitizer sees each byte read behind it. */
static const void *find_in(const void *bytes, size_t size, size_t *description_size)
{
    char *block = malloc(size + (size == 0));
    memcpy(block, bytes, size);
    const char *found = sgi_note_find(block, size, 4, description_size);
    size_t at = found == NULL ? 0 : (size_t)(found - block);
    if (found != NULL) {
        assert_true(at + *description_size <= size);
    }
    free(block);
    return found == NULL ? NULL : (const char *)bytes + at;
}

static void notes_of_others_are_passed_over(void **state)
{
    (void)state;
    size_t size = 0;
    raw notes[3] = {{4, 8, 1, "GNU", "abcdefg"}, {6, 8, 2, "segue", "other"}, {6, 8, 1, "segue", "ours"}};
    unsigned char *bytes = malloc(sizeof notes);
    /* GNU's name takes 4 bytes, not 8. */
    memcpy(bytes, &notes[0], 16);
    memcpy(bytes + 16, notes[0].description, 8);
    memcpy(bytes + 24, &notes[1], 2 * sizeof notes[1]);
    const char *found = find_in(bytes, sizeof notes - 4, &size);
    assert_non_null(found);
    assert_string_equal(found, "ours");
    assert_int_equal(size, 8);
    free(bytes);
}

static void hostile_sizes_lead_nowhere(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 5, 6, 7, 8, 9, 0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffffc, 0xffffffff};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < COUNT; j++) {
            for (size_t bytes = 0; bytes <= sizeof(raw); bytes++) {
                size_t size;
                raw note = {sizes[i], sizes[j], 1, "segue", "1234567"};
                (void)find_in(&note, bytes, &size);
            }
        }
    }
}

static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *bytes = malloc(1 << 22);
    *size = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return bytes;
}

static void overwrite(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Each byte of the ELF header and the program headers takes each of a few hostile values. */
static void no_damage_to_the_headers_is_trusted(void **state)
{
    (void)state;
    static const unsigned char values[] = {0x00, 0x7f, 0xff};
    size_t size;
    unsigned char *bytes = read_file(TEST_PLUGIN("second"), &size);
    char path[] = "/tmp/segue-elf-XXXXXX";
    close(mkstemp(path));
    size_t headers = 64 + 56u * bytes[56];
    for (size_t at = 0; at < headers; at++) {
        for (size_t v = 0; v < sizeof values; v++) {
            sgi_note note;
            fault f;
            unsigned char was = bytes[at];
            bytes[at] = values[v];
            overwrite(path, bytes, size);
            if (sgi_note_read(path, &note, fault_of(&f)) != SEGUE_OK) {
                assert_mentions(f.text, path);
            }
            sgi_note_free(&note);
            bytes[at] = was;
        }
    }
    unlink(path);
    free(bytes);
}

static void a_file_that_everybody_may_write_to_is_refused(void **state)
{
    (void)state;
    fault f;
    sgi_note note;
    size_t size;
    unsigned char *bytes = read_file(TEST_PLUGIN("second"), &size);
    char path[] = "/tmp/segue-open-XXXXXX";
    close(mkstemp(path));
    overwrite(path, bytes, size);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(sgi_note_read(path, &note, fault_of(&f)), SEGUE_E_PLUGIN);
    assert_mentions(f.text, "everybody may write to it");
    assert_int_equal(chmod(path, 0664), 0);
    assert_int_equal(sgi_note_read(path, &note, NULL), SEGUE_OK);
    sgi_note_free(&note);
    unlink(path);
    free(bytes);
}

static void names_that_are_none_are_refused(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = read_file(TEST_PLUGIN("second"), &size);
    char path[] = "/tmp/segue-names-XXXXXX";
    close(mkstemp(path));
    unsigned char *names = memmem(bytes, size, "\x08\0\0\0steady\0", 11);
    assert_non_null(names);
    static const struct {
        size_t at;
        unsigned char value;
    } defects[] = {{0, 7}, {0, 9}, {0, 200}, {3, 0x80}, {4, 'S'}, {4, 0}, {10, 'x'}};
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++) {
        fault f;
        sgi_note note;
        unsigned char was = names[defects[i].at];
        names[defects[i].at] = defects[i].value;
        overwrite(path, bytes, size);
        assert_int_equal(sgi_note_read(path, &note, fault_of(&f)), SEGUE_E_PLUGIN);
        assert_mentions(f.text, "names in its segue note are malformed");
        names[defects[i].at] = was;
    }
    unlink(path);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_note_of_a_plugin_is_read_without_running_it),
        cmocka_unit_test(notes_of_others_are_passed_over),
        cmocka_unit_test(hostile_sizes_lead_nowhere),
        cmocka_unit_test(no_damage_to_the_headers_is_trusted),
        cmocka_unit_test(a_file_that_everybody_may_write_to_is_refused),
        cmocka_unit_test(names_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
