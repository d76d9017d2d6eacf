/* SPDX-License-Identifier: Apache-2.0 */
/* preset.h - scenarios for the situations that people ask about, as documents that can be printed and changed. */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_PRESET_H
#define SEGUE_HOSTS_CLI_SIMULATE_PRESET_H

#include <stddef.h>
#include <stdint.h>

typedef struct sim_preset_shape {
    int64_t tasks, members, standbys;
    int64_t state_bytes;         /* of each task */
    int64_t restore_bytes_per_s; /* of each member */
    int64_t write_bytes_per_s;   /* of each task */
} sim_preset_shape;

/* What a size stands for; NULL-terminated names for messages. 0 when there is no such size. */
extern const char *const sim_size_names[];
int sim_size(const char *name, sim_preset_shape *shape);

typedef struct sim_preset {
    const char *name;
    const char *summary;
} sim_preset;

extern const sim_preset sim_presets[]; /* ends with a NULL name */

/* The document of a preset, for free(). NULL: no such preset, or no memory. */
char *sim_preset_write(const char *name, const sim_preset_shape *shape, size_t *size);

#endif
