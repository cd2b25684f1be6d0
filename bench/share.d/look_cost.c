/* The cost of a look at the board (share/share.h) by the number of programs on it: see bench/share.py --look.
 *
 * The other programs are made up: their entries are written by this process. All are active. So this is the time of the
 * code alone, with a board that is in the cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../programs/bench.h"
#include "share/entry.h"
#include "share/share.h"

#define ROUNDS 201
#define LOOKS 20
#define LOOK_NS 2000000

static const struct {
	unsigned programs;
	double wanted;
} rows[] = {{1, 0}, {4, 0.3}, {16, 0}, {64, 2}, {250, 8}};

static uint64_t now;

static struct fg_board *
board(void)
{
	return fg_load_relaxed(&fg_sharing.board);
}

/* Programs of one weight each want all PUs. Those of several weights want from one to all. */
static void
put(unsigned programs, unsigned pus, const struct fg_cpuset *cpus, bool several)
{
	for (unsigned i = 1; i < programs; i++) {
		struct fg_fair_entry told = {pus * 1000, FG_FAIR_WEIGHT};
		if (several)
			told = (struct fg_fair_entry){1000 * (1 + i * 7 % pus), fg_fair_weight((int)(i % 20))};
		fg_store_relaxed(&board()->entry[i].taken, i);
		fg_entry_tell(board(), i, now, &told, cpus);
	}
	for (unsigned i = programs > 1 ? programs : 1; i < FG_BOARD_ENTRIES; i++)
		fg_store_relaxed(&board()->entry[i].taken, 0);
	fg_store_relaxed(&board()->used, programs);
}

static void
measure(unsigned row, unsigned pus, bool several)
{
	struct bench_samples samples = {.count = ROUNDS};
	struct fg_cpuset cpus = {0};
	for (unsigned i = 0; i < pus; i++)
		fg_cpuset_add(&cpus, i);
	struct fg_share_state state = {.in_region = true, .busy = pus, .pus = pus};
	unsigned share = 0;
	for (int round = 0; round < samples.count; round++) {
		now += 100 * LOOK_NS;
		put(rows[row].programs, pus, &cpus, several);
		double start = bench_now();
		for (unsigned i = 0; i < LOOKS; i++)
			share = fg_share_look(now += LOOK_NS / LOOKS, &state, &cpus);
		samples.ns[round] = (bench_now() - start) / LOOKS;
	}
	bench_samples_sort(&samples);
	char wanted[16] = "";
	if (rows[row].wanted > 0)
		snprintf(wanted, sizeof wanted, "%.1f", rows[row].wanted);
	printf("%8u %6u  %-14s %8u %10.3f %10.3f %8s\n", rows[row].programs, pus,
	       several ? "several" : "one, all PUs", share, bench_min(&samples) / 1000,
	       bench_median(&samples) / 1000, wanted);
}

int
main(void)
{
	char folder[] = "/tmp/fg-look-XXXXXX", path[64];
	struct fg_cpuset cpus = {{1}};
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof path, "%s/forestgomp-2", folder);
	fg_share_start(folder);
	fg_share_join(64, false, &cpus);
	unlink(path);
	rmdir(folder);
	if (!board()) {
		fprintf(stderr, "bench/share.py: there is no board; nothing was measured\n");
		return 1;
	}
	now = fg_load_relaxed(&board()->entry[0].stamp);
	printf("%8s %6s  %-14s %8s %10s %10s %8s\n", "programs", "PUs", "weights", "share", "us minimum", "median",
	       "wanted");
	for (unsigned pus = 64; pus <= 1024; pus *= 4)
		for (unsigned row = 0; row < sizeof rows / sizeof *rows; row++)
			for (unsigned several = 0; several < 2; several++)
				measure(row, pus, several);
	fg_share_end();
	return 0;
}
