/* omp_pause_resource (floor: gomp; OpenMP 5.2, 18.6). Workers that have nothing to do sleep already, and are kept: children of the
 * process may be tied to the life of the one that made them. So there is nothing to give back, and nothing is lost either. */
#include "exec/identity.h"
#include "gomp/abi.h"
#include "team/team.h"

/* Not while the caller is in a region. */
static int
pause_host(void)
{
	struct fg_identity *self = fg_self();
	return self && self->thread.team ? -1 : 0;
}

/* The host is the only device: number 0, since there are no others before it. */
FG_ABI(int, omp_pause_resource, (int kind, int device))
{
	return device == 0 ? pause_host() : -1;
}

FG_ABI(int32_t, omp_pause_resource_, (const int32_t *kind, const int32_t *device))
{
	return omp_pause_resource(*kind, *device);
}

FG_ABI(int, omp_pause_resource_all, (int kind))
{
	return pause_host();
}

FG_ABI(int32_t, omp_pause_resource_all_, (const int32_t *kind))
{
	return omp_pause_resource_all(*kind);
}
