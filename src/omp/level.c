/* Routines that tell where the caller is: thread number, team size, levels, ancestors, league (floor: omp). Compiled
 * code calls the first two for each static loop, so they only load from the running identity. An unknown pthread is a
 * team of one. The program calls these on any pthread, anywhere, and they write nothing. `team` of the caller and the
 * teams around it stay while it is a member. */
#include "base/export.h"
#include "omp/fortran.h"
#include "team/env/icv.h"
#include "team/team.h"

FG_EXPORT int
omp_get_thread_num(void)
{
	struct fg_identity *self = fg_self();
	return self ? (int)self->thread.num : 0;
}
FG_FORTRAN_GETTER(omp_get_thread_num)

FG_EXPORT int
omp_get_num_threads(void)
{
	struct fg_identity *self = fg_self();
	return self ? (int)self->thread.size : 1;
}
FG_FORTRAN_GETTER(omp_get_num_threads)

static const struct fg_team *
innermost(void)
{
	struct fg_identity *self = fg_self();
	return self ? self->thread.team : NULL;
}

FG_EXPORT int
omp_get_level(void)
{
	const struct fg_team *team = innermost();
	return team ? (int)team->level : 0;
}
FG_FORTRAN_GETTER(omp_get_level)

FG_EXPORT int
omp_get_active_level(void)
{
	const struct fg_team *team = innermost();
	return team ? (int)team->active_level : 0;
}
FG_FORTRAN_GETTER(omp_get_active_level)

FG_EXPORT int
omp_in_parallel(void)
{
	const struct fg_team *team = innermost();
	return team && team->active_level > 0;
}
FG_FORTRAN_GETTER(omp_in_parallel)

/* Finds the member of a level that is the caller or its ancestor. *team is its team. Returns false if there is no such
 * level. */
static bool
ancestor(int level, const struct fg_team **team, unsigned *num)
{
	struct fg_identity *self = fg_self();
	int inner = omp_get_level();
	if (level < 0 || level > inner)
		return false;
	*team = NULL;
	*num = 0;
	if (inner == 0)
		return true;
	const struct fg_thread *thread = &self->thread;
	for (; inner > level; inner--)
		thread = &thread->team->saved;
	*team = thread->team;
	*num = thread->team ? thread->num : 0;
	return true;
}

FG_EXPORT int
omp_get_ancestor_thread_num(int level)
{
	const struct fg_team *team;
	unsigned num;
	return ancestor(level, &team, &num) ? (int)num : -1;
}
FG_FORTRAN_QUERY(omp_get_ancestor_thread_num)

FG_EXPORT int
omp_get_team_size(int level)
{
	const struct fg_team *team;
	unsigned num;
	return !ancestor(level, &team, &num) ? -1 : team ? (int)team->size : 1;
}
FG_FORTRAN_QUERY(omp_get_team_size)

FG_EXPORT int
omp_get_num_teams(void)
{
	return (int)fg_icv_current()->league_size + 1;
}
FG_FORTRAN_GETTER(omp_get_num_teams)

FG_EXPORT int
omp_get_team_num(void)
{
	return (int)fg_icv_current()->league_num;
}
FG_FORTRAN_GETTER(omp_get_team_num)
