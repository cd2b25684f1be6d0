/* `forestgomp sim --calibrate`: caches and memory. A chain of pointers through the lines in random order gives the
 * latencies. A sum over consecutive lines gives the bandwidths. PU 0 is the first to touch all of this memory. */
#include "sim_calibrate.h"
#include "base/atomic.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINE 64
#define ROUNDS 3
#define STEPS 300000
#define THREADS 256
#define LEAST_BYTES ((size_t)64 << 20)
#define MOST_BYTES ((size_t)1 << 30)

struct spot {
	_Alignas(LINE) struct spot *next;
};

/* Large pages, if the system has them, keep the lookup of pages out of the figures. */
static struct spot *
get(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

/* Links all spots to one ring in random order (Sattolo's shuffle). */
static void
link_up(struct spot *spots, size_t n)
{
	uint64_t random = 1;
	for (size_t i = 0; i < n; i++)
		spots[i].next = &spots[i];
	for (size_t i = n - 1; i > 0; i--) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		size_t other = (random >> 20) % i;
		struct spot *next = spots[i].next;
		spots[i].next = spots[other].next;
		spots[other].next = next;
	}
}

static double
latency(struct spot *spots, size_t bytes)
{
	double best = -1;
	struct spot *volatile at = spots;
	link_up(spots, bytes / LINE);
	for (int round = 0; round < ROUNDS; round++) {
		struct spot *spot = at;
		double start = calibrate_now();
		for (int i = 0; i < STEPS; i++)
			spot = spot->next;
		calibrate_keep_lowest(&best, (calibrate_now() - start) / STEPS);
		at = spot;
	}
	return best;
}

static struct {
	const struct spot *spots;
	size_t lines; /* for each thread */
	struct fg_atomic_u32 ready, sum;
	unsigned n;
} readers;

struct reader {
	unsigned number, cpu;
	double began, ended;
	pthread_t thread;
};

/* Reads one word of each line. The loads are independent, so the core fetches as many lines at a time as it can. */
static void *
read_part(void *arg)
{
	struct reader *self = arg;
	const struct spot *spots = readers.spots + self->number * readers.lines;
	uintptr_t sum[4] = {0};
	calibrate_bind(self->cpu);
	fg_add_acq_rel(&readers.ready, 1);
	while (fg_load_acquire(&readers.ready) < readers.n)
		;
	self->began = calibrate_now();
	for (size_t i = 0; i + 4 <= readers.lines; i += 4)
		for (int j = 0; j < 4; j++)
			sum[j] += (uintptr_t)spots[i + j].next;
	self->ended = calibrate_now();
	fg_add_acq_rel(&readers.sum, (uint32_t)(sum[0] + sum[1] + sum[2] + sum[3]));
	return arg;
}

/* Returns the MB/s of the first n PUs together, or 0 if no thread could be created. */
static double
bandwidth(const struct fg_machine *machine, unsigned n, const struct spot *spots, size_t bytes)
{
	struct reader reader[THREADS];
	double best = -1;
	n = n < THREADS ? n : THREADS;
	readers.spots = spots;
	readers.lines = bytes / LINE / n;
	for (int round = 0; round < ROUNDS; round++) {
		double from = 0, to = 0;
		readers.n = n;
		fg_store_relaxed(&readers.ready, 0);
		for (unsigned i = 0; i < n; i++) {
			reader[i] = (struct reader){.number = i, .cpu = machine->pus[i]->os_index};
			if (pthread_create(&reader[i].thread, NULL, read_part, &reader[i]) != 0) {
				fputs("forestgomp: no threads to measure the memory with\n", stderr);
				exit(1);
			}
		}
		for (unsigned i = 0; i < n; i++) {
			pthread_join(reader[i].thread, NULL);
			from = i == 0 || reader[i].began < from ? reader[i].began : from;
			to = i == 0 || reader[i].ended > to ? reader[i].ended : to;
		}
		calibrate_keep_lowest(&best, to - from);
	}
	return (double)(readers.lines * n * LINE) / best * 1e3;
}

/* Returns the size that hwloc tells, else the C library's, else 0. */
static size_t
cache_size(const struct fg_machine *machine, enum fg_level_kind kind, int name)
{
	const struct fg_level *level = fg_level_above(machine->pus[0], kind);
	long size = sysconf(name);
	return level && level->cache_bytes ? level->cache_bytes : size > 0 ? (size_t)size : 0;
}

/* Returns more than the caches hold, but at most a quarter of the memory. */
static size_t
enough(size_t cache)
{
	size_t quarter = (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE), bytes = 4 * cache;
	bytes = bytes < LEAST_BYTES ? LEAST_BYTES : bytes > MOST_BYTES ? MOST_BYTES : bytes;
	return bytes < quarter ? bytes : quarter;
}

void
calibrate_memory(const struct fg_machine *machine)
{
	size_t l2 = cache_size(machine, FG_L2, _SC_LEVEL2_CACHE_SIZE),
	       l3 = cache_size(machine, FG_L3, _SC_LEVEL3_CACHE_SIZE);
	size_t bytes = enough(l3 > l2 ? l3 : l2);
	const struct fg_level *node = fg_level_above(machine->pus[0], FG_NUMA_NODE);
	calibrate_bind(machine->pus[0]->os_index);
	struct spot *spots = get(bytes);
	if (!spots) {
		puts("# No memory to measure memory with: its figures are missing");
		return;
	}
	if (l2)
		printf("cache.l2 = %zu # as the system tells\n", l2 / 1024);
	if (l3)
		printf("cache.l3 = %zu # as the system tells\n", l3 / 1024);
	if (l3 > 4 * l2 && l2)
		printf("cache.l3.latency = %.0f # measured: through %zu KB\n", latency(spots, 4 * l2), 4 * l2 / 1024);
	printf("memory.read = %.0f # measured: through %zu MB that PU %u has touched first\n", latency(spots, bytes),
	       bytes >> 20, machine->pus[0]->os_index);
	printf("memory.bandwidth.core = %.0f # measured: one thread\n", bandwidth(machine, 1, spots, bytes));
	unsigned n = node ? node->n_pus : machine->n_pus;
	printf("memory.bandwidth.node = %.0f # measured: %u threads\n", bandwidth(machine, n, spots, bytes), n);
	munmap(spots, bytes);
}
