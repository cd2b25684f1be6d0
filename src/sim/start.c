/* Start and end of a simulation (floor: sim): `forestgomp sim` hands its request over in the environment, and reads the
 * report. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/carrier.h"
#include "base/log.h"
#include "base/secure.h"
#include "exec/ground/options.h"
#include "platform/process.h"
#include "platform/stream.h"
#include "sim/homes.h"
#include "sim/memory.h"
#include "sim/actor.h"
#include "sim/rights.h"
#include "sim/seam.h"
#include "sim/sim.h"
#include "sim/stopwatch.h"
#include "sim/told.h"

extern struct fg_sim_seam fg_sim_seam __attribute__((weak, visibility("default")));

static int
is_here(void)
{
	struct fg_identity *self = fg_self();
	if (!fg_sim.on || fg_sim.busy || fg_sim.pid != fg_process_id())
		return 0;
	return self ? self->worker && !fg_own_load_relaxed(&self->in_runtime) : fg_carrier_sim_is_first();
}

static uint64_t
seam_now(void)
{
	return fg_carrier->now();
}

static void
affinity(size_t size, cpu_set_t *set)
{
	struct fg_cpuset all;
	fg_level_cpuset(fg_sim.model.machine, fg_sim.model.machine->root, &all);
	memset(set, 0, size);
	memcpy(set, &all, size < sizeof all ? size : sizeof all);
}

static void
pu_place(struct fg_sim_pu *pu, unsigned number)
{
	static const enum fg_level_kind caches[] = {FG_L3, FG_L2};
	struct fg_level *level = NULL;
	for (unsigned i = 0; i < sizeof caches / sizeof *caches && !level; i++)
		level = fg_level_above(fg_sim.model.machine->pus[number], caches[i]);
	pu->core = fg_model_core(&fg_sim.model, number);
	pu->beside = level ? level->first_pu : number;
	pu->n_beside = level ? level->n_pus : 1;
}

static void
transfers_make(void)
{
	unsigned n = fg_sim.n_pus;
	fg_sim.transfer = calloc((size_t)n * n, sizeof *fg_sim.transfer);
	fg_sim.pus = calloc(n + 1, sizeof *fg_sim.pus); /* the last one is for a caller on no PU */
	if (!fg_sim.transfer || !fg_sim.pus)
		fg_fatal("Out of memory for the simulated machine");
	for (unsigned pu = 0; pu < n; pu++)
		pu_place(&fg_sim.pus[pu], pu);
	fg_sim.unseen = UINT16_MAX;
	for (unsigned a = 0; a < n; a++)
		for (unsigned b = 0; b < n; b++) {
			uint16_t ns = fg_sim.transfer[a * n + b] = (uint16_t)fg_model_transfer(&fg_sim.model, a, b);
			if (a != b && ns / 2 < fg_sim.unseen)
				fg_sim.unseen = ns / 2;
		}
}

/* This runs before the environment is read, because that code asks for the PUs. */
__attribute__((constructor(101))) static void
prepare(void)
{
	const char *machine = getenv("FGSIM_MACHINE"), *seed = getenv("FGSIM_SEED"), *given = getenv("FGSIM_GIVEN"),
		   *pus = getenv("FGSIM_PUS"), *defer = getenv("FGSIM_DEFER");
	if (!machine || fg_secure())
		return;
	if (!fg_model_read(&fg_sim.model, machine) || (pus && !fg_model_resize(&fg_sim.model, (unsigned)atoi(pus))))
		fg_fatal("Simulated machine '%s': %s", machine, fg_sim.model.why);
	fg_sim.n_pus = fg_sim.model.machine->n_pus;
	fg_sim.given = given && *given == '1';
	fg_exec_options.defer_tasks = defer && *defer == '1';
	fg_sim.seed = seed ? strtoull(seed, NULL, 10) : 1;
	fg_sim.here = fg_actor->events;
	fg_sim.pid = fg_process_id();
	fg_sim.next = UINT64_MAX;
	fg_chance_init(&fg_sim.chance, fg_sim.seed);
	transfers_make();
	fg_rights_make();
	fg_lines_start();
	fg_sim.report_path = getenv("FGSIM_REPORT");
	if (&fg_sim_seam)
		fg_sim_seam = (struct fg_sim_seam){
			seam_now,	   fg_sim_sleep_until,	 fg_sim_wait_turn,   is_here,
			affinity,	   fg_sim_thread_create, fg_sim_thread_join, fg_sim_thread_detach,
			fg_sim_thread_exit};
	fg_carrier = &fg_carrier_sim;
	fg_exec_options.monitor = false; /* the watchdog and the overseer do its work */
	fg_home_start();
	fg_told_counts();
	fg_stopwatch_init();
}

/* Everything is ready, so the program's own time begins. */
__attribute__((constructor(104))) static void
begin(void)
{
	if (fg_sim.n_pus == 0)
		return;
	fg_watch_start();
	fg_sim.on = true;
	fg_stopwatch_start();
}

static void
print_distances(FILE *file, const char *what, const uint64_t *counts)
{
	for (unsigned i = 0; i < 16; i++)
		if (counts[i])
			fprintf(file, "%s %u %" PRIu64 "\n", what, i, counts[i]);
}

/* Names the library of another OpenMP runtime in the process. NULL: there is none. Clang's and Intel's compilers call
 * this function for each region. */
static const char *
other_runtime(void)
{
	Dl_info from;
	void *fork = dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
	return fork && dladdr(fork, &from) ? from.dli_fname : NULL;
}

static bool
met_regions(void)
{
	const struct fg_identity *self = fg_self();
	return self && (self->thread.team || self->free_teams);
}

static void
report_print(FILE *file)
{
	const char *other = other_runtime();
	if (other)
		fprintf(file, "other %s\n", other);
	fprintf(file, "regions %d\n", met_regions());
	fprintf(file, "time %" PRIu64 "\npus %u\nseed %" PRIu64 "\ngiven %d\n", fg_sim.clock, fg_sim.n_pus, fg_sim.seed,
		fg_sim.given);
	fprintf(file, "hit %" PRIu64 "\ncorrected %" PRIu64 "\npreempted %" PRIu64 "\n", fg_stopwatch.hit,
		fg_stopwatch.corrected, fg_sim.preempted);
	for (unsigned i = 0; i < fg_sim.n_pus; i++) {
		const struct fg_sim_pu *pu = &fg_sim.pus[i];
		fprintf(file, "pu %u", i);
		for (unsigned kind = 0; kind < FG_SPENT_KINDS; kind++)
			fprintf(file, " %" PRIu64, pu->spent[kind]);
		fprintf(file, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			pu->switches, pu->sleeps, pu->steals, pu->task_steals, pu->migrations, pu->transfers,
			fg_told_remote(i));
	}
	print_distances(file, "steals", fg_sim.distance_steals);
	print_distances(file, "task_steals", fg_sim.distance_task_steals);
	print_distances(file, "migrations", fg_sim.distance_migrations);
	print_distances(file, "transfers", fg_sim.distance_transfers);
	fprintf(file, "lines_own %" PRIu64 "\nlines_shared %" PRIu64 "\n", fg_sim.lines_own, fg_sim.lines_shared);
	print_distances(file, "lines_other", fg_sim.lines_other);
	print_distances(file, "lines_memory", fg_sim.lines_memory);
	fputs("end\n", file);
}

/* A shell that starts the program ends after the program, and has no regions. So it must not overwrite a report. */
__attribute__((destructor)) static void
finish(void)
{
	if (!fg_sim.on || fg_sim.pid != fg_process_id())
		return;
	fg_stopwatch_stop();
	fg_sim.busy = true;
	fg_sim_lap(false);
	fg_sim.on = false;
	FILE *file = fg_sim.report_path ? fg_stream_open(fg_sim.report_path, fg_self() ? "w" : "a") : NULL;
	if (!file)
		return;
	fseek(file, 0, SEEK_END);
	if (fg_sim.failed)
		fputs("failed 1\n", file);
	else if (ftell(file) == 0)
		report_print(file);
	fclose(file);
}
