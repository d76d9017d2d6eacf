/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for what is still being written; each unit takes its functions from here. */
#include "segue/host.h"

int32_t segue_host_open(const segue_host_options *o, segue_host **h, segue_error *e) { (void)o; (void)h; (void)e; return SEGUE_E_INTERNAL; }
void segue_host_close(segue_host *h) { (void)h; }
int32_t segue_host_load(segue_host *h, const char *p, segue_error *e) { (void)h; (void)p; (void)e; return SEGUE_E_INTERNAL; }
int32_t segue_host_plugin(segue_host *h, uint32_t i, segue_plugin_row *r, segue_error *e) { (void)h; (void)i; (void)r; (void)e; return SEGUE_E_INTERNAL; }
int32_t segue_host_assignor(segue_host *h, uint32_t i, segue_assignor_row *r, segue_error *e) { (void)h; (void)i; (void)r; (void)e; return SEGUE_E_INTERNAL; }
int32_t segue_host_assign(segue_host *h, const char *a, const segue_group *g, const segue_config *c, segue_plan *p, segue_report *r, segue_error *e)
{ (void)h; (void)a; (void)g; (void)c; (void)p; (void)r; (void)e; return SEGUE_E_INTERNAL; }
int32_t segue_host_assign_wire(segue_host *h, const char *a, uint32_t w, const void *g, size_t gs, void *p, size_t pc, size_t *ps, segue_report *r, segue_error *e)
{ (void)h; (void)a; (void)w; (void)g; (void)gs; (void)p; (void)pc; (void)ps; (void)r; (void)e; return SEGUE_E_INTERNAL; }
size_t segue_wire_plan_room(const void *g, size_t s, uint32_t w) { (void)g; (void)s; (void)w; return 0; }
int32_t segue_wire_encode_group(const segue_group *g, const segue_config *c, void *b, size_t n, size_t *s, segue_error *e)
{ (void)g; (void)c; (void)b; (void)n; (void)s; (void)e; return SEGUE_E_INTERNAL; }
int32_t segue_wire_decode_group(const void *b, size_t n, segue_group *g, segue_config *c, segue_error *e)
{ (void)b; (void)n; (void)g; (void)c; (void)e; return SEGUE_E_INTERNAL; }
int32_t segue_wire_encode_plan(const segue_plan *p, void *b, size_t n, size_t *s, segue_error *e)
{ (void)p; (void)b; (void)n; (void)s; (void)e; return SEGUE_E_INTERNAL; }
int32_t segue_wire_decode_plan(void *b, size_t n, segue_plan *p, segue_error *e)
{ (void)b; (void)n; (void)p; (void)e; return SEGUE_E_INTERNAL; }
