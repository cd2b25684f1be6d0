/* The display of the environment (floor: team; see display_env.h). */
#include "team/boot/display_env.h"
#include "base/uncancelled.h"
#include "exec/thread/identity.h"
#include "team/alloc/allocator.h"
#include "team/env/icv.h"
#include "team/places/affinity_format.h"
#include "team/places/list.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *
truth(bool value)
{
	return value ? "TRUE" : "FALSE";
}

static void
display_num_threads(FILE *out)
{
	unsigned nthreads = fg_env.icv.nthreads;
	fprintf(out, "  OMP_NUM_THREADS = '%u", nthreads ? nthreads : fg_env_nthreads(fg_self()));
	for (unsigned i = 1; i < fg_env.nthreads_list_len; i++)
		fprintf(out, ",%u", fg_env.nthreads_list[i]);
	fprintf(out, "'\n");
}

static void
display_schedule(FILE *out)
{
	static const char *const names[] = {"RUNTIME", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
	unsigned kind = fg_env.icv.run_sched & ~FG_MONOTONIC;
	bool monotonic = fg_env.icv.run_sched & FG_MONOTONIC;
	const char *modifier = monotonic ? "MONOTONIC:" : "NONMONOTONIC:";
	/* A modifier that the kind implies is not printed. */
	fprintf(out, "  OMP_SCHEDULE = '%s%s", monotonic == (kind == FG_STATIC) ? "" : modifier, names[kind]);
	if (kind != FG_AUTO && fg_env.icv.run_sched_chunk != (kind != FG_STATIC))
		fprintf(out, ",%d", fg_env.icv.run_sched_chunk);
	fprintf(out, "'\n");
}

static void
display_bind(FILE *out)
{
	static const char *const names[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
	fprintf(out, "  OMP_PROC_BIND = '%s", names[fg_env.icv.bind]);
	for (unsigned i = 1; i < fg_env.bind_list_len; i++)
		fprintf(out, ",%s", names[fg_env.bind_list[i]]);
	fprintf(out, "'\n");
}

/* Writes a place as "0:4,8": the first CPU of a run, and its length. */
static void
display_place(FILE *out, const cpu_set_t *set)
{
	const char *comma = "";
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, set))
			continue;
		unsigned length = 1;
		while (cpu + length < CPU_SETSIZE && CPU_ISSET(cpu + length, set))
			length++;
		fprintf(out, "%s%u", comma, cpu);
		if (length > 1)
			fprintf(out, ":%u", length);
		comma = ",";
		cpu += length;
	}
}

static void
display_places(FILE *out)
{
	fprintf(out, "  OMP_PLACES = '");
	for (unsigned place = 0; place < fg_place_list.count; place++) {
		fprintf(out, place ? ",{" : "{");
		display_place(out, fg_place_cpus(place));
		fprintf(out, "}");
	}
	fprintf(out, "'\n");
}

static void
display_affinity_format(FILE *out)
{
	size_t length = fg_affinity_format_get(NULL, 0);
	char *format = malloc(length + 1);
	if (!format)
		return;
	fg_affinity_format_get(format, length + 1);
	fprintf(out, "  OMP_AFFINITY_FORMAT = '%s'\n", format);
	free(format);
}

static void
display_all(FILE *out, bool verbose)
{
	static const char *const offload[] = {"DEFAULT", "MANDATORY", "DISABLED"};
	const struct fg_icv *icv = &fg_env.icv;
	fprintf(out, "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n");
	fprintf(out, "  _OPENMP = '201511'\n");
	fprintf(out, "  OMP_DYNAMIC = '%s'\n", truth(icv->dynamic));
	fprintf(out, "  OMP_NESTED = '%s'\n", truth(icv->max_active_levels > 1));
	display_num_threads(out);
	display_schedule(out);
	display_bind(out);
	display_places(out);
	fprintf(out, "  OMP_STACKSIZE = '%" PRIu64 "'\n", fg_env.stack_size_text);
	fprintf(out, "  OMP_WAIT_POLICY = '%s'\n", fg_env.wait_policy > 0 ? "ACTIVE" : "PASSIVE");
	fprintf(out, "  OMP_THREAD_LIMIT = '%u'\n", icv->thread_limit);
	fprintf(out, "  OMP_MAX_ACTIVE_LEVELS = '%u'\n", icv->max_active_levels);
	fprintf(out, "  OMP_NUM_TEAMS = '%u'\n", fg_env.nteams);
	fprintf(out, "  OMP_TEAMS_THREAD_LIMIT = '%u'\n", fg_env.teams_thread_limit);
	fprintf(out, "  OMP_CANCELLATION = '%s'\n", truth(fg_env.cancellation));
	fprintf(out, "  OMP_DEFAULT_DEVICE = '%d'\n", icv->default_device);
	fprintf(out, "  OMP_MAX_TASK_PRIORITY = '%u'\n", fg_env.max_task_priority);
	fprintf(out, "  OMP_DISPLAY_AFFINITY = '%s'\n", truth(fg_env.display_affinity));
	display_affinity_format(out);
	fprintf(out, "  OMP_ALLOCATOR = '");
	fg_allocator_print(out, icv->default_allocator);
	fprintf(out, "'\n");
	fprintf(out, "  OMP_TARGET_OFFLOAD = '%s'\n", offload[fg_env.target_offload]);
	if (verbose) {
		fprintf(out, "  GOMP_CPU_AFFINITY = ''\n");
		fprintf(out, "  GOMP_STACKSIZE = '%" PRIu64 "'\n", fg_env.stack_size_text);
		fprintf(out, "  GOMP_SPINCOUNT = '%" PRIu64 "'\n", fg_env.spin_count);
	}
	fprintf(out, "OPENMP DISPLAY ENVIRONMENT END\n");
}

/* Writes all at once, so that the text stays in one piece while other threads write. */
void
fg_env_display(bool verbose)
{
	fg_assert_outside(fg_self());
	char *text = NULL;
	size_t length = 0;
	int cancel = fg_uncancelled_begin();
	FILE *out = open_memstream(&text, &length);
	if (!out) {
		fg_uncancelled_end(cancel);
		return;
	}
	display_all(out, verbose);
	if (fclose(out) == 0)
		fwrite(text, 1, length, stderr);
	free(text);
	fg_uncancelled_end(cancel);
}
