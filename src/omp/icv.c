/* Routines that read and write ICVs (floor: omp; OpenMP 5.2, 18.1 to 18.4). Where the standard leaves room, the
 * routines do the same as GCC 12. A routine that writes an ICV of the data environment makes an unknown pthread an
 * initial thread with ICVs of its own. omp_set_num_teams and omp_set_teams_thread_limit write ICVs of the device. The
 * program calls these on any pthread, outside the runtime. team/env/icv.h has the invariant: but for those two, each
 * writes a copy of its own. */
#include "base/export.h"
#include "exec/roots/self.h"
#include "omp/fortran.h"
#include "team/env/icv.h"
#include "team/places/procs.h"
#include "team/team.h"

static struct fg_icv *
writable(void)
{
	return fg_icv_writable(fg_self_or_root());
}

FG_EXPORT void
omp_set_num_threads(int count)
{
	writable()->nthreads = count > 0 ? (unsigned)count : 1;
}
FG_FORTRAN_SETTER(omp_set_num_threads)

FG_EXPORT int
omp_get_max_threads(void)
{
	unsigned nthreads = fg_icv_current()->nthreads;
	return (int)(nthreads ? nthreads : fg_env_nthreads(fg_self()));
}
FG_FORTRAN_GETTER(omp_get_max_threads)

FG_EXPORT int
omp_get_num_procs(void)
{
	return (int)fg_icv_num_procs();
}
FG_FORTRAN_GETTER(omp_get_num_procs)

FG_EXPORT int
omp_get_thread_limit(void)
{
	unsigned limit = fg_icv_current()->thread_limit;
	return limit > INT_MAX ? INT_MAX : (int)limit;
}
FG_FORTRAN_GETTER(omp_get_thread_limit)

FG_EXPORT void
omp_set_dynamic(int value)
{
	writable()->dynamic = value != 0;
}
FG_FORTRAN_SETTER(omp_set_dynamic)

FG_EXPORT int
omp_get_dynamic(void)
{
	return fg_icv_current()->dynamic;
}
FG_FORTRAN_GETTER(omp_get_dynamic)

FG_EXPORT void
omp_set_max_active_levels(int levels)
{
	if (levels >= 0)
		writable()->max_active_levels =
			levels > FG_ACTIVE_LEVELS_MAX ? FG_ACTIVE_LEVELS_MAX : (unsigned char)levels;
}
FG_FORTRAN_SETTER(omp_set_max_active_levels)

FG_EXPORT int
omp_get_max_active_levels(void)
{
	return fg_icv_current()->max_active_levels;
}
FG_FORTRAN_GETTER(omp_get_max_active_levels)

FG_EXPORT int
omp_get_supported_active_levels(void)
{
	return FG_ACTIVE_LEVELS_MAX;
}
FG_FORTRAN_GETTER(omp_get_supported_active_levels)

/* This routine is deprecated: max-active-levels-var decides about nesting. */
FG_EXPORT void
omp_set_nested(int value)
{
	struct fg_icv *icv = writable();
	if (value)
		icv->max_active_levels = FG_ACTIVE_LEVELS_MAX;
	else if (icv->max_active_levels > 1)
		icv->max_active_levels = 1;
}
FG_FORTRAN_SETTER(omp_set_nested)

FG_EXPORT int
omp_get_nested(void)
{
	struct fg_identity *self = fg_self();
	unsigned active = self && self->thread.team ? self->thread.team->active_level : 0;
	unsigned levels = fg_icv_current()->max_active_levels;
	return levels > 1 && levels > active;
}
FG_FORTRAN_GETTER(omp_get_nested)

FG_EXPORT void
omp_set_schedule(unsigned kind, int chunk)
{
	unsigned plain = kind & ~FG_MONOTONIC;
	if (plain < FG_STATIC || plain > FG_AUTO)
		return;
	struct fg_icv *icv = writable();
	if (plain != FG_AUTO)
		icv->run_sched_chunk = chunk >= 1 ? chunk : plain != FG_STATIC;
	icv->run_sched = kind;
}

FG_EXPORT void
omp_set_schedule_(const int32_t *kind, const int32_t *chunk)
{
	omp_set_schedule((unsigned)*kind, *chunk);
}

FG_EXPORT void
omp_set_schedule_8_(const int32_t *kind, const int64_t *chunk)
{
	omp_set_schedule((unsigned)*kind, fg_fortran_int(*chunk));
}

FG_EXPORT void
omp_get_schedule(unsigned *kind, int *chunk)
{
	const struct fg_icv *icv = fg_icv_current();
	*kind = icv->run_sched;
	*chunk = icv->run_sched_chunk;
}

/* Fortran programs do not get the monotonic bit, because it is younger than omp_sched_kind. */
FG_EXPORT void
omp_get_schedule_(int32_t *kind, int32_t *chunk)
{
	const struct fg_icv *icv = fg_icv_current();
	*kind = (int32_t)(icv->run_sched & ~FG_MONOTONIC);
	*chunk = icv->run_sched_chunk;
}

FG_EXPORT void
omp_get_schedule_8_(int32_t *kind, int64_t *chunk)
{
	const struct fg_icv *icv = fg_icv_current();
	*kind = (int32_t)(icv->run_sched & ~FG_MONOTONIC);
	*chunk = icv->run_sched_chunk;
}

FG_EXPORT void
omp_set_num_teams(int count)
{
	if (count >= 0)
		fg_env.nteams = (unsigned)count;
}
FG_FORTRAN_SETTER(omp_set_num_teams)

FG_EXPORT int
omp_get_max_teams(void)
{
	return (int)fg_env.nteams;
}
FG_FORTRAN_GETTER(omp_get_max_teams)

FG_EXPORT void
omp_set_teams_thread_limit(int limit)
{
	if (limit >= 0)
		fg_env.teams_thread_limit = (unsigned)limit;
}
FG_FORTRAN_SETTER(omp_set_teams_thread_limit)

FG_EXPORT int
omp_get_teams_thread_limit(void)
{
	return (int)fg_env.teams_thread_limit;
}
FG_FORTRAN_GETTER(omp_get_teams_thread_limit)

FG_EXPORT int
omp_get_cancellation(void)
{
	return fg_env.cancellation;
}
FG_FORTRAN_GETTER(omp_get_cancellation)

FG_EXPORT int
omp_get_proc_bind(void)
{
	return fg_icv_current()->bind;
}
FG_FORTRAN_GETTER(omp_get_proc_bind)
