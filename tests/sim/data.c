/* Programs to be replayed, in which the place of the data decides how long a run takes. `data first`: the program's
 * first thread writes all data before the first region, then nested teams read them. `data placed`: the same, but an
 * allocator lays the pages round the nodes. `data tasks`: each task writes a block, and later tasks read it. */
#include <omp.h>
#include <string.h>
#include <sys/mman.h>
#include "forestgomp.h"

enum { TEAMS = 4, MEMBERS = 4, ROUNDS = 6, PART = 192 << 10, ALL = TEAMS * MEMBERS * PART, BLOCKS = 16 };

static char *
fresh(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static char *
interleaved(size_t bytes)
{
	omp_alloctrait_t trait = {omp_atk_partition, omp_atv_interleaved};
	return omp_alloc(bytes, omp_init_allocator(omp_default_mem_space, 1, &trait));
}

static void
teams(char *data)
{
	fgomp_sim_write(data, ALL);
	fgomp_sim_work(30000);
#pragma omp parallel num_threads(TEAMS)
	{
		int team = omp_get_thread_num();
#pragma omp parallel num_threads(MEMBERS)
		for (int round = 0; round < ROUNDS; round++) {
			fgomp_sim_read(data + (team * MEMBERS + omp_get_thread_num()) * PART, PART);
			fgomp_sim_work(20000);
#pragma omp barrier
		}
	}
}

static void
tasks(char *data)
{
#pragma omp parallel num_threads(TEAMS *MEMBERS)
#pragma omp single
	for (int round = 0; round < ROUNDS; round++) {
		for (int block = 0; block < BLOCKS; block++) {
#pragma omp task
			{
				fgomp_sim_read(data + (block + round) % BLOCKS * PART, PART);
				fgomp_sim_work(30000);
				fgomp_sim_write(data + block * PART, PART);
			}
		}
#pragma omp taskwait
	}
}

int
main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "first";
	omp_set_max_active_levels(2);
	if (strcmp(name, "tasks") == 0)
		tasks(fresh(BLOCKS * PART));
	else
		teams(strcmp(name, "placed") == 0 ? interleaved(ALL) : fresh(ALL));
	return 0;
}
