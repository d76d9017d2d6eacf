/* SPDX-License-Identifier: Apache-2.0 */
#include "retell.h"

#include <stdlib.h>

#include "kin.h"
#include "story.h"

struct retelling {
    kin *kin;
    story **stories; /* by group */
    uint32_t count;
    uint32_t step, steps; /* the next one, and those that were there when the groups were found */
};

static int find_groups(retelling *it, FILE *file)
{
    char why[256];
    frame step;
    int failed = 0;
    while (!failed && frame_read(file, &step, why, sizeof why) == FRAME_READ) {
        failed = kin_take(it->kin, &step.group) != 0;
        it->steps++;
        frame_free(&step);
    }
    it->count = kin_settle(it->kin);
    return failed || fseeko(file, 0, SEEK_SET) != 0 ? -1 : 0;
}

/* The file's name; where it has several groups also which of them, and who was the first in it. */
static story *open_story(const retelling *it, uint32_t group, const char *name, FILE *events)
{
    char *title = NULL;
    const char *member = kin_member(it->kin, group);
    if (it->count == 1) {
        return story_open(name, events);
    }
    if (asprintf(&title, "%s, group %u of %u (%s%s)", name, group + 1, it->count, member == NULL ? "nobody" : member,
                 member == NULL ? "" : " …") < 0) {
        return NULL;
    }
    story *told = story_open(title, events);
    free(title);
    return told;
}

retelling *retell_open(const char *name, FILE *file, FILE *events)
{
    retelling *it = calloc(1, sizeof *it);
    if (it == NULL) {
        return NULL;
    }
    it->kin = kin_open();
    int failed = it->kin == NULL || find_groups(it, file) != 0;
    it->stories = failed ? NULL : calloc((size_t)it->count + 1, sizeof(story *));
    failed |= it->stories == NULL;
    for (uint32_t group = 0; !failed && group < it->count; group++) {
        it->stories[group] = open_story(it, group, name, events);
        failed = it->stories[group] == NULL;
    }
    if (failed) {
        retell_close(it);
        return NULL;
    }
    return it;
}

int retell_step(retelling *it, const frame *step)
{
    /* A host that still records may have added some meanwhile. */
    if (it->step == it->steps) {
        return 0;
    }
    return story_tell(it->stories[kin_of(it->kin, it->step++)], step);
}

int retell_end(retelling *it)
{
    int failed = 0;
    for (uint32_t group = 0; !failed && group < it->count; group++) {
        failed = story_end(it->stories[group]) != 0;
    }
    return failed ? -1 : 0;
}

void retell_close(retelling *it)
{
    if (it == NULL) {
        return;
    }
    for (uint32_t group = 0; it->stories != NULL && group < it->count; group++) {
        story_close(it->stories[group]);
    }
    kin_close(it->kin);
    free(it->stories);
    free(it);
}
