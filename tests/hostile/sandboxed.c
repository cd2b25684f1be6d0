// In a sandbox that ends the process for a system call which libgomp never makes, or refuses it: the program lives, and
// its members wait for each other as ever.
// finding: 12
// mode: spin
// mode: sem
// mode: read
// mode: memory
// under: KILL:perf_event_open
// under: KILL:membarrier
// under: KILL:get_mempolicy,move_pages,mbind
// under: KILL:process_vm_readv
// under: KILL:sched_setaffinity,sched_yield,getcpu
// under: KILL:perf_event_open,membarrier,move_pages,get_mempolicy,set_mempolicy,mbind noproc
// under: EPERM:perf_event_open,timer_create
// under: ENOSYS:rt_tgsigqueueinfo
#include "crowd.h"

/* Memory spread over the nodes, and some that is the nearest. */
static void
memory(void)
{
	static const omp_alloctrait_value_t places[] = {omp_atv_interleaved, omp_atv_nearest, omp_atv_blocked};

	for (int i = 0; i < 3; i++) {
		omp_alloctrait_t traits[] = {{omp_atk_partition, places[i]}, {omp_atk_alignment, 4096}};
		omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 2, traits);
		int sum = 0;

		CHECK(allocator != omp_null_allocator);
#pragma omp parallel num_threads(4) reduction(+ : sum)
		{
			char *block = omp_alloc(1 << 20, allocator);

			CHECK(block != NULL);
			memset(block, 1, 1 << 20);
			sum += block[4097];
			omp_free(block, allocator);
		}
		CHECK(sum == 4, "%d", sum);
		omp_destroy_allocator(allocator);
	}
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "spin";

	if (!strcmp(mode, "memory"))
		memory();
	else
		crowd_regions(mode, 8, 3);
	return check_end();
}
