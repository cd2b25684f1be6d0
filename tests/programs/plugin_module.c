/* A plug-in that uses OpenMP, loaded and unloaded by plugin.c, which does not. */
#include <omp.h>

static int priv;
#pragma omp threadprivate(priv)

int
plugin_sum(int size)
{
	int sum = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(size) reduction(+ : sum)
	{
		priv = omp_get_thread_num();
#pragma omp barrier
		sum += priv;
#pragma omp parallel num_threads(2)
#pragma omp atomic
		priv += omp_get_thread_num() * 0;
	}
	return sum;
}
