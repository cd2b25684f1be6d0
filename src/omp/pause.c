/* omp_pause_resource (floor: omp; OpenMP 5.2, 18.6). A soft and a hard pause do the same here. The program calls these
 * on any pthread, outside the runtime. exec/top/shutdown.h tells what is ended. */
#include "base/export.h"
#include "exec/top/shutdown.h"
#include "team/team.h"

/* Fails while the caller or another thread has a region in flight. */
static int
pause_host(void)
{
	struct fg_identity *self = fg_self();
	return (self && self->thread.team) || !fg_shutdown(self) ? -1 : 0;
}

/* The host is the only device. Its number is 0, because no other device comes before it. */
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
