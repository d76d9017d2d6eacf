/* SPDX-License-Identifier: Apache-2.0 */
/* Clients and an empty layout over a draft, for tests of the steps that decide by process. */
#ifndef SGP_TEST_CLIENTS_SCENE_H
#define SGP_TEST_CLIENTS_SCENE_H

#include "solve/clients.h"
#include "solve/layout.h"
#include "test/solver.h"

typedef struct clients_scene {
    solver *solver;
    sgp_clients clients;
    sgp_layout layout;
} clients_scene;

/* One subtopology of stateful tasks, `members` processes of one thread each. */
draft *clients_draft(uint32_t tasks, uint32_t members);

/* Owns the draft from now on. */
clients_scene clients_open(draft *d, uint32_t ranks);
void clients_close(clients_scene *s);

/* Puts roles into the layout and counts them as load. */
void clients_serve(clients_scene *s, uint32_t task, uint32_t client);
void clients_stand_by(clients_scene *s, uint32_t task, uint32_t client);

#endif
