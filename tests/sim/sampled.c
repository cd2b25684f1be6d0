/* A program that takes samples of its own loads and stores, and prints them as `perf script` does:
 * `sampled KB ROUNDS SAMPLES`. In each round and region each of 8 members goes SAMPLES times to a line by chance: as
 * often to its own portion of KB as to one that it has in common with k ^ 4 in region 1, and with k ^ 1 in region 2. */
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MEMBERS = 8, REGIONS = 2, LINE = 64, LINE_PASSES = 200, PERIOD = 1000 };

struct sample {
	struct timespec time;
	volatile char *address;
	long tid;
	int stores;
};

static struct sample *samples[MEMBERS];
static volatile char *matrix; /* portions of members, then of pairs, by region */
static size_t portion;

static uint32_t
chance(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 32);
}

/* A member that another kernel thread took over meanwhile does it again. */
static struct sample
use(volatile char *line, int stores)
{
	struct sample sample = {.address = line, .stores = stores};
	do {
		sample.tid = syscall(SYS_gettid);
		for (int pass = 0; pass < LINE_PASSES; pass++)
			if (stores)
				*line = (char)pass;
			else
				(void)*line;
		clock_gettime(CLOCK_MONOTONIC, &sample.time);
	} while (sample.tid != syscall(SYS_gettid));
	return sample;
}

static void
go(unsigned region, unsigned member, unsigned partner, struct sample *found, unsigned n, uint64_t *state)
{
	unsigned pair = MEMBERS + region * MEMBERS + (member < partner ? member : partner);
	for (unsigned i = 0; i < n; i++) {
		uint32_t dice = chance(state);
		unsigned which = dice & 1 ? pair : member;
		found[i] = use(matrix + which * portion + chance(state) % (portion / LINE) * LINE, dice % 3 == 0);
	}
}

int
main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	portion = (size_t)atoi(argv[1]) << 10;
	unsigned rounds = (unsigned)atoi(argv[2]), n = (unsigned)atoi(argv[3]);
	size_t bytes = (1 + REGIONS) * MEMBERS * portion;
	matrix = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (matrix == MAP_FAILED)
		return 1;
	uint64_t states[MEMBERS];
	for (unsigned k = 0; k < MEMBERS; k++) {
		samples[k] = calloc((size_t)rounds * REGIONS * n, sizeof *samples[k]);
		if (!samples[k])
			return 1;
		states[k] = k;
	}
	for (unsigned round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(MEMBERS)
		{
			unsigned k = (unsigned)omp_get_thread_num();
			go(0, k, k ^ 4, samples[k] + (size_t)2 * round * n, n, &states[k]);
		}
#pragma omp parallel num_threads(MEMBERS)
		{
			unsigned k = (unsigned)omp_get_thread_num();
			go(1, k, k ^ 1, samples[k] + (size_t)(2 * round + 1) * n, n, &states[k]);
		}
	}
	for (unsigned k = 0; k < MEMBERS; k++)
		for (size_t i = 0; i < (size_t)rounds * REGIONS * n; i++) {
			const struct sample *one = &samples[k][i];
			printf("%7ld %5ld.%09ld: %10d %27s: ", one->tid, (long)one->time.tv_sec, one->time.tv_nsec,
			       PERIOD, one->stores ? "cpu/mem-stores/P" : "cpu/mem-loads,ldlat=30/P");
			printf("%16" PRIxPTR " %16x |OP %s|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A\n",
			       (uintptr_t)one->address, one->stores ? 0x5080144 : 0x5080142,
			       one->stores ? "STORE" : "LOAD");
		}
	return 0;
}
