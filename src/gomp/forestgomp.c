/* The calls of include/forestgomp.h (floor: gomp). */
#include "forestgomp.h"
#include "base/carrier.h"
#include "gomp/abi.h"
#include "team/hints.h"

FG_ABI(const char *, fgomp_version, (void))
{
	return "ForestGOMP " FG_VERSION;
}

FG_ABI(void, fgomp_set_next_team_load, (double load))
{
	fg_hints_load(load);
}

FG_ABI(void, fgomp_set_next_team_member_loads, (unsigned n, const double *loads))
{
	fg_hints_member_loads(n, loads);
}

FG_ABI(void, fgomp_sim_work, (unsigned long long ns))
{
	if (fg_carrier->work)
		fg_carrier->work(ns);
}

FG_ABI(void, fgomp_sim_read, (const void *start, size_t bytes))
{
	if (fg_carrier->touch)
		fg_carrier->touch(start, bytes, false);
}

FG_ABI(void, fgomp_sim_write, (const void *start, size_t bytes))
{
	if (fg_carrier->touch)
		fg_carrier->touch(start, bytes, true);
}
