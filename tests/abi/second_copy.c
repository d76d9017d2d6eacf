/* SPDX-License-Identifier: Apache-2.0 */
/*
 * second_copy PLUGIN FOLDER: a new version is a new file that is loaded beside the old one. Loads the plugin and a copy
 * of it, makes instances of every assignor in both from several threads, closes both handles, and goes on calling.
 * Also holds the plugin's own description of its slots against the header's.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "segue/abi.h"

static void copy_file(const char *from, const char *to) {
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    CHECK(in && out);
    char block[65536];
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;) {
        CHECK(fwrite(block, 1, n, out) == n);
    }
    CHECK(fclose(in) == 0 && fclose(out) == 0);
}

static void *open_plugin(const char *path, segue_entry *entry) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    segue_entry_function enter;
    *(void **)&enter = dlsym(library, SEGUE_ENTRY_SYMBOL);
    CHECK(enter);
    *entry = (segue_entry){.size = sizeof *entry, .version = SEGUE_ABI_VERSION, .floor = SEGUE_ABI_FLOOR};
    CHECK(enter(entry) == SEGUE_OK);
    CHECK(enter(NULL) == SEGUE_E_ARGUMENT);
    segue_entry future = {.size = sizeof future, .version = 1000, .floor = 1000};
    CHECK(enter(&future) == SEGUE_E_VERSION && future.version == SEGUE_ABI_VERSION);
    return library;
}

static void check_table(const segue_entry *entry) {
    static const segue_slot_info own[] = SEGUE_SLOT_TABLE;
    CHECK(entry->version == SEGUE_ABI_VERSION && entry->slots->version == SEGUE_ABI_VERSION);
    CHECK(entry->slots->size == sizeof(segue_slots));
    CHECK(entry->table_count == sizeof own / sizeof own[0]);
    for (uint32_t i = 0; i < entry->table_count; i++) {
        CHECK(strcmp(entry->table[i].name, own[i].name) == 0);
        CHECK(strcmp(entry->table[i].signature, own[i].signature) == 0);
        CHECK(entry->table[i].offset == own[i].offset && entry->table[i].thread == own[i].thread);
    }
}

static void *use_every_assignor(void *argument) {
    const segue_slots *slots = ((const segue_entry *)argument)->slots;
    segue_assignor_info info = {.size = sizeof info};
    uint32_t count = 0;
    for (; slots->describe(count, &info) == SEGUE_OK; count++) {
        segue_instance *instance = NULL;
        segue_error error = {.size = sizeof error};
        CHECK(slots->create(info.name, &instance, &error) == SEGUE_OK && instance);
        segue_memory memory = {.size = sizeof memory};
        CHECK(slots->read_memory(instance, &memory) == SEGUE_OK);
        slots->destroy(instance);
    }
    CHECK(count > 0);
    segue_instance *none = NULL;
    CHECK(slots->create("no-such-assignor", &none, NULL) == SEGUE_E_NAME && !none);
    slots->destroy(NULL);
    CHECK(!slots->get_extension("no-such-extension/1"));
    return NULL;
}

static void use_from_threads(segue_entry entries[2]) {
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++) {
        CHECK(pthread_create(&threads[i], NULL, use_every_assignor, &entries[i % 2]) == 0);
    }
    for (size_t i = 0; i < 4; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    char copy[4096];
    CHECK(snprintf(copy, sizeof copy, "%s/second-copy.so", argv[2]) < (int)sizeof copy);
    copy_file(argv[1], copy);
    segue_entry entries[2];
    void *libraries[2] = {open_plugin(argv[1], &entries[0]), open_plugin(copy, &entries[1])};
    CHECK(entries[0].slots != entries[1].slots);
    for (size_t i = 0; i < 2; i++) {
        check_table(&entries[i]);
        use_every_assignor(&entries[i]);
    }
    use_from_threads(entries);
    for (size_t i = 0; i < 2; i++) {
        CHECK(dlclose(libraries[i]) == 0);
    }
    use_from_threads(entries);
    return remove(copy);
}
