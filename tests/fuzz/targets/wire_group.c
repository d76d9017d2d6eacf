/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a group's message: refused, or a group that every assignor plans for, and that is the same message again. */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "fuzz.h"

/* Columns of a message that was read lie in the message, whatever it says. */
static void touch(const segue_group *g)
{
#define TOUCH(id, field, type, count, need) fuzz_touch(g->field, (count), sizeof(type));
    SEGUE_GROUP_COLUMNS(TOUCH)
#undef TOUCH
}

static void *encode(const segue_group *group, const segue_config *config, size_t *size)
{
    segue_wire_encode_group(group, config, NULL, 0, size, NULL);
    void *message = malloc(*size);
    fuzz_fault fault;
    int32_t status = segue_wire_encode_group(group, config, message, *size, size, fuzz_error(&fault));
    HOLD(status == SEGUE_OK, "a group that was read cannot be written: %s", fault.text);
    return message;
}

static void encode_twice(const segue_group *group, const segue_config *config)
{
    size_t size = 0, size_again = 0;
    segue_group again = {.size = sizeof again};
    segue_config config_again = {.size = sizeof config_again};
    void *message = encode(group, config, &size);
    fuzz_fault fault;
    int32_t status = segue_wire_decode_group(message, size, &again, &config_again, fuzz_error(&fault));
    HOLD(status == SEGUE_OK, "what was written cannot be read: %s", fault.text);
    void *message_again = encode(&again, &config_again, &size_again);
    HOLD(size == size_again && memcmp(message, message_again, size) == 0, "the message is another one");
    free(message_again);
    free(message);
}

static void plan(const segue_group *group, const segue_config *config, const void *message, size_t size)
{
    segue_plan *answer = fuzz_plan(group, config);
    size_t room = segue_wire_plan_room(message, size, 1);
    for (uint32_t i = 0; i < FUZZ_ASSIGNORS; i++) {
        size_t bytes = 0;
        fuzz_assign(&fuzz_assignors()[i], group, config, answer);
        segue_wire_encode_plan(answer, NULL, 0, &bytes, NULL);
        HOLD(bytes <= room, "a plan of %zu bytes and room for %zu", bytes, room);
    }
    segue_plan_free(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_fault fault;
    segue_group group = {.size = sizeof group};
    segue_config config = {.size = sizeof config};
    void *message = fuzz_copy(data, size);
    int32_t status = segue_wire_decode_group(message, size, &group, &config, fuzz_error(&fault));
    segue_wire_plan_room(message, size, 1);
    if (status != SEGUE_OK) {
        fuzz_hold_said(&fault, status);
    } else {
        touch(&group);
        encode_twice(&group, &config);
        status = segue_group_check(&group, fuzz_error(&fault));
        status = status == SEGUE_OK ? sgi_config_check(&config, fuzz_error(&fault)) : status;
        if (status != SEGUE_OK) {
            fuzz_hold_said(&fault, status);
        } else if (size < 20000 && config.num_standby_replicas < 100) {
            config.max_compute_us = 0;
            plan(&group, &config, message, size);
        }
    }
    free(message);
    return 0;
}
