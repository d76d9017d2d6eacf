/* SPDX-License-Identifier: Apache-2.0 */
#include "test/clients_scene.h"

#include "test/testing.h"

draft *clients_draft(uint32_t tasks, uint32_t members)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    return d;
}

clients_scene clients_open(draft *d, uint32_t ranks)
{
    clients_scene s = {.solver = solver_open(d)};
    sgp_region *region = &s.solver->region;
    assert_int_equal(sgp_clients_build(&s.clients, &s.solver->view, region), SEGUE_OK);
    assert_int_equal(sgp_layout_clear(&s.layout, s.solver->view.tasks, ranks, region), SEGUE_OK);
    return s;
}

void clients_close(clients_scene *s)
{
    solver_close(s->solver);
}

void clients_serve(clients_scene *s, uint32_t task, uint32_t client)
{
    s->layout.active[task] = client;
    s->clients.load[client]++;
}

void clients_stand_by(clients_scene *s, uint32_t task, uint32_t client)
{
    *sgp_standby_place(&s->layout, task, SEGUE_NONE) = client;
    s->clients.load[client]++;
}
