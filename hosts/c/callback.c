/* SPDX-License-Identifier: Apache-2.0 */
#include "callback.h"

#include <stdlib.h>
#include <string.h>

#include "elf_note.h"
#include "error.h"

/* Where a report and a list say that it comes from. */
static char place[] = "(registered)";
static const sgi_plugin registered = {.path = place};

/* What the first version of the record has to have. */
#define FLOOR (offsetof(segue_callback, assign) + sizeof(segue_assign_function))

void sgi_callbacks_init(sgi_callbacks *callbacks)
{
    memset(callbacks, 0, sizeof *callbacks);
    pthread_mutex_init(&callbacks->lock, NULL);
}

/* One user less; the last one tells the owner of the context. */
static void drop(sgi_callbacks *callbacks, sgi_callback *callback)
{
    pthread_mutex_lock(&callbacks->lock);
    int is_last = --callback->users == 0;
    pthread_mutex_unlock(&callbacks->lock);
    if (is_last) {
        if (callback->given.release != NULL) {
            callback->given.release(callback->given.context);
        }
        sgi_health_close(&callback->assignor.health);
        free(callback);
    }
}

void sgi_callbacks_close(sgi_callbacks *callbacks)
{
    for (uint32_t i = 0; i < callbacks->count; i++) {
        drop(callbacks, callbacks->rows[i]);
    }
    for (uint32_t i = 0; i < callbacks->text_count; i++) {
        free(callbacks->texts[i]);
    }
    free(callbacks->rows);
    free(callbacks->texts);
    pthread_mutex_destroy(&callbacks->lock);
}

/* ---- under the lock ---------------------------------------------------------------------------------------------- */

/* Room for one more pointer. */
static void *grown(void *rows, uint32_t count)
{
    return realloc(rows, (count + 1) * sizeof(void *));
}

/* The list's own copy of a text, NULL without memory. */
static const char *keep_text(sgi_callbacks *callbacks, const char *text)
{
    text = text == NULL ? "" : text;
    for (uint32_t i = 0; i < callbacks->text_count; i++) {
        if (strcmp(callbacks->texts[i], text) == 0) {
            return callbacks->texts[i];
        }
    }
    char **texts = grown(callbacks->texts, callbacks->text_count);
    callbacks->texts = texts == NULL ? callbacks->texts : texts;
    char *copy = texts == NULL ? NULL : strdup(text);
    if (copy != NULL) {
        callbacks->texts[callbacks->text_count++] = copy;
    }
    return copy;
}

static int keep_texts(sgi_callbacks *callbacks, segue_callback *given)
{
    given->name = keep_text(callbacks, given->name);
    given->version = keep_text(callbacks, given->version);
    given->summary = keep_text(callbacks, given->summary);
    return given->name != NULL && given->version != NULL && given->summary != NULL;
}

/* The row of that name, or the one behind the last. */
static uint32_t row_of(const sgi_callbacks *callbacks, const char *name)
{
    uint32_t row = 0;
    while (row < callbacks->count && strcmp(callbacks->rows[row]->given.name, name) != 0) {
        row++;
    }
    return row;
}

/* Puts it in the place of an older one, which is *replaced then; 0 without memory. */
static int put(sgi_callbacks *callbacks, sgi_callback *made, sgi_callback **replaced)
{
    segue_callback *given = &made->given;
    if (!keep_texts(callbacks, given)) {
        return 0;
    }
    made->assignor.info =
        (segue_assignor_info){sizeof made->assignor.info, given->traits, given->name, given->version, given->summary};
    uint32_t row = row_of(callbacks, made->given.name);
    if (row < callbacks->count) {
        *replaced = callbacks->rows[row];
    } else {
        sgi_callback **rows = grown(callbacks->rows, callbacks->count);
        if (rows == NULL) {
            return 0;
        }
        callbacks->rows = rows;
        callbacks->count++;
    }
    callbacks->rows[row] = made;
    return 1;
}

/* ---- from outside ------------------------------------------------------------------------------------------------ */

int32_t sgi_callbacks_add(sgi_callbacks *callbacks, const segue_callback *given, segue_error *error)
{
    sgi_callback *replaced = NULL;
    if (given == NULL || given->size < FLOOR || given->assign == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "registering an assignor needs its record, and a function in it");
    }
    if (given->name == NULL || !sgi_is_assignor_name(given->name)) {
        return sgi_fail(error, SEGUE_E_ARGUMENT,
                        "an assignor is called by up to %d lower-case letters, digits and dashes: \"%.100s\" is given",
                        SGI_NAME_MOST, given->name == NULL ? "" : given->name);
    }
    sgi_callback *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory to register %s", given->name);
    }
    memcpy(&made->given, given, given->size < sizeof made->given ? given->size : sizeof made->given);
    made->users = 1;
    made->assignor.plugin = &registered;
    sgi_health_init(&made->assignor.health);
    pthread_mutex_lock(&callbacks->lock);
    int is_put = put(callbacks, made, &replaced);
    pthread_mutex_unlock(&callbacks->lock);
    if (!is_put) {
        sgi_health_close(&made->assignor.health);
        free(made);
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory to register %s", given->name);
    }
    if (replaced != NULL) {
        drop(callbacks, replaced);
    }
    return SEGUE_OK;
}

int32_t sgi_callbacks_remove(sgi_callbacks *callbacks, const char *name, segue_error *error)
{
    sgi_callback *removed = NULL;
    pthread_mutex_lock(&callbacks->lock);
    uint32_t row = row_of(callbacks, name);
    if (row < callbacks->count) {
        removed = callbacks->rows[row];
        callbacks->count--;
        memmove(callbacks->rows + row, callbacks->rows + row + 1, (callbacks->count - row) * sizeof removed);
    }
    pthread_mutex_unlock(&callbacks->lock);
    if (removed == NULL) {
        return sgi_fail(error, SEGUE_E_NAME, "no assignor %.100s is registered", name);
    }
    drop(callbacks, removed);
    return SEGUE_OK;
}

sgi_callback *sgi_callbacks_take(sgi_callbacks *callbacks, const char *name)
{
    sgi_callback *found = NULL;
    pthread_mutex_lock(&callbacks->lock);
    uint32_t row = row_of(callbacks, name);
    if (row < callbacks->count) {
        found = callbacks->rows[row];
        found->users++;
    }
    pthread_mutex_unlock(&callbacks->lock);
    return found;
}

void sgi_callbacks_give(sgi_callbacks *callbacks, sgi_callback *callback)
{
    drop(callbacks, callback);
}

int sgi_callbacks_row(sgi_callbacks *callbacks, uint32_t index, segue_assignor_row *row)
{
    pthread_mutex_lock(&callbacks->lock);
    int is_there = index < callbacks->count;
    if (is_there) {
        *row = sgi_assignor_row(&callbacks->rows[index]->assignor);
    }
    pthread_mutex_unlock(&callbacks->lock);
    return is_there;
}

int sgi_callbacks_have(sgi_callbacks *callbacks, const char *name)
{
    pthread_mutex_lock(&callbacks->lock);
    int have = row_of(callbacks, name) < callbacks->count;
    pthread_mutex_unlock(&callbacks->lock);
    return have;
}

uint32_t sgi_callbacks_reinstate(sgi_callbacks *callbacks, const char *name)
{
    uint32_t found = 0;
    pthread_mutex_lock(&callbacks->lock);
    for (uint32_t i = 0; i < callbacks->count; i++) {
        if (name == NULL || strcmp(callbacks->rows[i]->given.name, name) == 0) {
            sgi_health_reinstate(&callbacks->rows[i]->assignor.health);
            found++;
        }
    }
    pthread_mutex_unlock(&callbacks->lock);
    return found;
}

uint32_t sgi_callbacks_aside(sgi_callbacks *callbacks)
{
    uint32_t aside = 0;
    pthread_mutex_lock(&callbacks->lock);
    for (uint32_t i = 0; i < callbacks->count; i++) {
        aside += sgi_health_read(&callbacks->rows[i]->assignor.health).aside;
    }
    pthread_mutex_unlock(&callbacks->lock);
    return aside;
}
