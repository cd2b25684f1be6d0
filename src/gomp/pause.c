/* omp_pause_resource (floor: gomp; OpenMP 5.2, 18.6). Soft and hard are the same here. */
#include "exec/top/shutdown.h"
#include "gomp/abi.h"
#include "team/team.h"

/* Not while a region is in flight, the caller's or another thread's. */
static int
pause_host(void)
{
	struct fg_identity *self = fg_self();
	return (self && self->thread.team) || !fg_shutdown(self) ? -1 : 0;
}

/* The host is the only device: number 0, since there are no others before it. */
FG_EXPORT int
omp_pause_resource(int kind, int device)
{
	return device == 0 ? pause_host() : -1;
}

FG_EXPORT int32_t
omp_pause_resource_(const int32_t *kind, const int32_t *device)
{
	return omp_pause_resource(*kind, *device);
}

FG_EXPORT int
omp_pause_resource_all(int kind)
{
	return pause_host();
}

FG_EXPORT int32_t
omp_pause_resource_all_(const int32_t *kind)
{
	return omp_pause_resource_all(*kind);
}
