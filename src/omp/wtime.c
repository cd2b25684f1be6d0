/* Time routines (floor: omp; OpenMP 5.2, 18.10). The program calls these on any pthread, anywhere, and nothing is
 * kept. */
#include "base/export.h"
#include "platform/clock.h"

FG_EXPORT double
omp_get_wtime(void)
{
	struct timespec now = fg_clock_time(CLOCK_MONOTONIC);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
FG_ABI_ALIAS(double, omp_get_wtime_, (void), omp_get_wtime)

FG_EXPORT double
omp_get_wtick(void)
{
	struct timespec tick = fg_clock_step(CLOCK_MONOTONIC);
	return (double)tick.tv_sec + (double)tick.tv_nsec / 1e9;
}
FG_ABI_ALIAS(double, omp_get_wtick_, (void), omp_get_wtick)
