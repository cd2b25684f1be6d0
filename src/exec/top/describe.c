/* Describe (floor: exec): see describe.h. */
#define _GNU_SOURCE
#include "exec/top/describe.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/carrier.h"
#include "base/options.h"
#include "exec/ground/options.h"
#include "exec/thread/identity.h"
#include "machine/machine.h"
#include "platform/file.h"
#include "platform/host.h"
#include "platform/path.h"
#include "sched/policy.h"
#include "trace/file.h"
#include "trace/recorder.h"

/* Writes the words of the command line, as one line. */
static void
arguments(FILE *text)
{
	struct fg_file_reading words;
	bool there = fg_file_reading_begin(&words, "/proc/self/cmdline");
	bool gap = false;
	char piece[256];
	fputs("command=", text);
	for (ssize_t n; there && (n = fg_file_reading_next(&words, piece, sizeof piece)) > 0;)
		for (ssize_t i = 0; i < n; i++) {
			if (gap)
				fputc(' ', text);
			gap = piece[i] == '\0';
			if (!gap)
				fputc((unsigned char)piece[i] < ' ' ? '?' : piece[i], text);
		}
	if (there)
		fg_file_reading_end(&words);
	fputc('\n', text);
}

/* Two processes with the same text here have one clock. */
static void
clock_told(FILE *text)
{
	char boot[64], space[64] = "";
	if (fg_carrier != &fg_carrier_live || !fg_file_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot))
		return;
	fg_path_leads_to("/proc/self/ns/time", space, sizeof space);
	fprintf(text, "clock=%.36s %s\n", boot, space);
}

static void
facts(void)
{
	char *text = NULL, host[256] = "";
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return;
	fg_host_name(host, sizeof host);
	arguments(stream);
	fprintf(stream, "version=%s\nhost=%s\npolicy=%s\ncarrier=%s\nthreads=%s\n", FG_VERSION, host,
		fg_policy.sched->name, fg_carrier->name, fg_exec_options.kernel_threads ? "kernel" : "user");
	fprintf(stream, "sched=%s\n", fg_options.sched);
	if (fg_recorders_are_hooks())
		fputs("recorder=hooks\n", stream);
	clock_told(stream);
	if (fg_carrier->describe)
		fg_carrier->describe(stream);
	if (fclose(stream) == 0)
		fg_trace_file_append(FG_TRACE_FACTS, size, text, size);
	free(text);
}

static struct fg_machine *
machine_of_run(void)
{
	struct fg_cpuset pus = fg_exec_options.cpus;
	struct fg_machine *machine = fg_machine_load(fg_options.topology, &pus);
	if (!machine || machine->n_pus == fg_exec_options.n_pus)
		return machine;
	fg_machine_free(machine);
	fg_cpuset_clear(&pus);
	for (unsigned i = 0; i < fg_exec_options.n_pus; i++)
		fg_cpuset_add(&pus, i);
	return fg_machine_flat(&pus);
}

static void
levels(void)
{
	struct fg_machine *machine = machine_of_run();
	struct fg_trace_level *all = machine ? calloc(machine->n_levels, sizeof *all) : NULL;
	for (unsigned i = 0; all && i < machine->n_levels; i++) {
		const struct fg_level *level = machine->levels[i];
		all[i] =
			(struct fg_trace_level){level->kind,	 level->kinds, level->os_index,	   level->depth,
						level->first_pu, level->n_pus, level->cache_bytes, level->memory_bytes};
	}
	if (all)
		fg_trace_file_append(FG_TRACE_MACHINE, machine->n_levels, all, machine->n_levels * sizeof *all);
	free(all);
	if (machine)
		fg_machine_free(machine);
}

void
fg_describe_run(void)
{
	assert(!fg_self() || !fg_load_stable(&fg_self()->in_runtime));
	facts();
	levels();
}
