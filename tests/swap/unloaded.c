/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unloaded LIBSEGUE PLUGIN OTHER ASSIGNOR: an application that loads libsegue, has a plan made by ASSIGNOR on a thread of its
 * own, and unloads libsegue again. As long as that thread is inside, libsegue and the plugin stay mapped, though another
 * plugin has taken over and the host is closed; where none is, libsegue goes. PLUGIN is the tests' rogue, OTHER has an
 * assignor "steady" as well.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"
#include "segue/host.h"

enum { ROUNDS = 200, PATIENCE_S = 60 };

#define GROUP_WITH(budget)                                                                                            \
    "{\"segue\": \"group/1\", \"config\": {\"segue.max.compute.ms\": " budget "},"                                    \
    " \"subtopologies\": [{\"id\": 0, \"partitions\": 1}], \"members\": [{\"id\": \"a\", \"active\": [\"0_0\"]}]}"

#define FUNCTIONS(X)                                                                                                  \
    X(segue_host_open)                                                                                                \
    X(segue_host_close)                                                                                               \
    X(segue_host_load)                                                                                                \
    X(segue_host_assign)                                                                                              \
    X(segue_document_read)                                                                                            \
    X(segue_document_free)                                                                                            \
    X(segue_document_group)                                                                                           \
    X(segue_document_config)

/* libsegue, while it is loaded, with a host that has the plugin. */
typedef struct application {
    void *library;
#define FIELD(name) __typeof__(&name) name;
    FUNCTIONS(FIELD)
#undef FIELD
    segue_host *host;
} application;

static void start(application *a, const char *library, const char *plugin)
{
    segue_host_options options = {.size = sizeof options, .only_path = 1, .plugin_path = plugin, .isolation = "thread"};
    a->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    CHECK(a->library != NULL);
#define FIND(name) CHECK((*(void **)&a->name = dlsym(a->library, #name)) != NULL);
    FUNCTIONS(FIND)
#undef FIND
    CHECK(a->segue_host_open(&options, &a->host, NULL) == SEGUE_OK);
}

static void stop(application *a)
{
    a->segue_host_close(a->host);
    CHECK(dlclose(a->library) == 0);
}

/* One plan; `report` says how it went. */
static void plan(application *a, const char *assignor, const char *group, segue_report *report)
{
    segue_document *document = NULL;
    uint32_t active[1], learner[1], start[2], standby[1];
    segue_plan p = {.size = sizeof p, .active = active, .learner = learner, .standby_start = start,
                    .standby_member = standby};
    *report = (segue_report){.size = sizeof *report};
    CHECK(a->segue_document_read(group, strlen(group), NULL, &document, NULL) == SEGUE_OK);
    CHECK(a->segue_host_assign(a->host, assignor, a->segue_document_group(document), a->segue_document_config(document), &p,
                               report, NULL) == SEGUE_OK);
    CHECK(active[0] == 0);
    a->segue_document_free(document);
}

static int is_mapped(const char *path)
{
    char line[4096], *real = realpath(path, NULL);
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL && real != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        found |= strstr(line, real) != NULL;
    }
    fclose(maps);
    free(real);
    return found;
}

static int count_threads(void)
{
    int count = -2; /* itself, and its parent */
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    while (readdir(tasks) != NULL) {
        count++;
    }
    closedir(tasks);
    return count;
}

static void unload_behind_threads_that_have_ended(char **files)
{
    for (int i = 0; i < ROUNDS; i++) {
        application a;
        segue_report report;
        start(&a, files[0], files[1]);
        plan(&a, "steady", GROUP_WITH("60000"), &report);
        CHECK(report.fallback == 0);
        stop(&a);
        CHECK(!is_mapped(files[0]));
    }
}

/* It is late, or has answered and does not come to its end. */
static void unload_behind_one_that_is_left_behind(char **files, const char *assignor)
{
    application a;
    segue_report report;
    int ends[2];
    char place[16];
    CHECK(pipe(ends) == 0);
    snprintf(place, sizeof place, "%d", ends[0]);
    setenv("SEGUE_TEST_PIPE", place, 1);
    start(&a, files[0], files[1]);
    plan(&a, assignor, GROUP_WITH("1"), &report);
    CHECK(a.segue_host_load(a.host, files[2], NULL) == SEGUE_OK);
    plan(&a, "steady", GROUP_WITH("60000"), &report);
    CHECK(report.fallback == 0 && strcmp(report.plugin, files[2]) == 0);
    stop(&a);

    CHECK(is_mapped(files[0]) && is_mapped(files[1]));
    CHECK(write(ends[1], "!", 1) == 1);
    for (time_t deadline = time(NULL) + PATIENCE_S; count_threads() > 1;) {
        CHECK(time(NULL) < deadline);
        usleep(1000);
    }
}

int main(int count, char **arguments)
{
    CHECK(count == 5);
    if (strcmp(arguments[4], "steady") == 0) {
        unload_behind_threads_that_have_ended(arguments + 1);
    } else {
        unload_behind_one_that_is_left_behind(arguments + 1, arguments[4]);
    }
    return 0;
}
