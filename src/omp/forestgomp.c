/* The calls of include/forestgomp.h (floor: omp). The program calls these on any pthread, outside the runtime. Hints
 * lie in thread-local memory (team/hints/loads.h). */
#include "forestgomp.h"
#include "base/carrier.h"
#include "base/export.h"
#include "exec/grant/grant.h"
#include "team/hints/areas.h"
#include "team/hints/loads.h"

FG_EXPORT const char *
fgomp_version(void)
{
	return "ForestGOMP " FG_VERSION;
}

FG_EXPORT void
fgomp_set_next_team_load(double load)
{
	fg_hints_load(load);
}

FG_EXPORT void
fgomp_set_next_team_member_loads(unsigned n, const double *loads)
{
	fg_hints_member_loads(n, loads);
}

FG_EXPORT void
fgomp_add_next_team_area(const void *start, size_t bytes, unsigned access)
{
	fg_areas_hint_next(&(struct fg_area_hint){__func__, start, bytes, access}, FG_ALL_MEMBERS);
}

FG_EXPORT void
fgomp_add_next_team_member_area(unsigned number, const void *start, size_t bytes, unsigned access)
{
	if (number != FG_ALL_MEMBERS) /* no team has that many */
		fg_areas_hint_next(&(struct fg_area_hint){__func__, start, bytes, access}, number);
}

FG_EXPORT void
fgomp_attach_area(const void *start, size_t bytes, unsigned access)
{
	fg_areas_hint_attach(&(struct fg_area_hint){__func__, start, bytes, access});
}

FG_EXPORT void
fgomp_detach_area(const void *start, size_t bytes)
{
	fg_areas_hint_detach(&(struct fg_area_hint){__func__, start, bytes, FGOMP_READ});
}

FG_EXPORT void
fgomp_wait_begins(void)
{
	fg_grant_wait_begins();
}

FG_EXPORT void
fgomp_wait_ends(void)
{
	fg_grant_wait_ends();
}

FG_EXPORT void
fgomp_sim_work(unsigned long long ns)
{
	if (fg_carrier->work)
		fg_carrier->work(ns);
}

FG_EXPORT void
fgomp_sim_read(const void *start, size_t bytes)
{
	if (fg_carrier->touch)
		fg_carrier->touch(start, bytes, false);
}

FG_EXPORT void
fgomp_sim_write(const void *start, size_t bytes)
{
	if (fg_carrier->touch)
		fg_carrier->touch(start, bytes, true);
}
