/* Opening the object of FGOMP_MEMORY and FGOMP_TRACE_USES (floor: team): see team/samples.h.
 *
 * start.c opens the object in a constructor. Other files call the functions after that, and each does nothing unless
 * the object is open. `object` is written before there are other threads, and then only read. */
#define _GNU_SOURCE
#include "team/samples.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/carrier.h"
#include "base/log.h"
#include "base/options.h"
#include "base/secure.h"
#include "base/uncancelled.h"
#include "exec/ground/options.h"
#include "exec/thread/all_workers.h"
#include "exec/thread/facts.h"
#include "exec/thread/identity.h"
#include "exec/thread/wake.h"
#include "exec/watch/preempt_signal.h"
#include "memory/where.h"
#include "platform/host.h"
#include "platform/kernel_mask.h"
#include "platform/symbol.h"
#include "exec/ground/above.h"
#include "team/boot/object.h"
#include "team/team.h"
#include "trace/format.h"
#include "trace/trace.h"

#define SIMULATED_NS 50000 /* simulated programs are short */
#define FILE_NAME "libforestgomp-samples.so"
#define NO_EFFECT "FGOMP_MEMORY has no effect: "
#define GOES_ON "the program goes on, and its memory stays where it is"
#define NO_USES "FGOMP_TRACE_USES has no effect: "
#define NOT_TOLD "the trace does not tell who uses what"

static const struct fg_samples_object *object;
static bool tells_of_one_node; /* a report is wanted, and the program has had no region yet */

static bool
sampler_start(void (*sampler_main)(void *))
{
	uint64_t mask = fg_mask_now();
	fg_mask_set(fg_options.trace_uses ? FG_MASK_HANDLER : FG_MASK_ALL);
	int error = fg_carrier->start(sampler_main, NULL, "fg-memory");
	fg_mask_set(mask);
	return error == 0;
}

static void
ask_root(void)
{
	fg_or_acq_rel(&fg_wanted, FG_WANTED_REPAIR);
}

static void
region_name(uintptr_t function, char *text, size_t size)
{
	Dl_info info;
	struct link_map *map = NULL;
	int cancel = fg_uncancelled_begin();
	if (dladdr1((const void *)function, &info, (void **)&map, RTLD_DL_LINKMAP) && info.dli_fname && map)
		fg_symbol_name(info.dli_fname, function - map->l_addr, text, size);
	else
		snprintf(text, size, "%#zx", (size_t)function);
	fg_uncancelled_end(cancel);
}

static struct fg_samples_library library = {
	.all_workers = &fg_all_workers.first,
	.carrier = &fg_carrier_live,
	.report = fg_report,
	.name = region_name,
	.sandbox_allows = fg_sandbox_allows,
	.start = sampler_start,
	.timer = fg_preempt_sample,
	.ask_root = ask_root,
};

static bool
is_asked_for(void)
{
	return fg_option_table[FG_OPTION_memory].given;
}

static const struct fg_samples_object *
table_find(const char *file, const char *no_effect, const char *goes_on)
{
	uint64_t layout = FG_SAMPLES_LAYOUT(fg_worker_bytes(), sizeof(struct fg_identity));
	return fg_object_open(file, FG_SAMPLES_OBJECT, layout, no_effect, goes_on);
}

static void
use(uint32_t bubble, uint32_t member, uint32_t how, uintptr_t address)
{
	fg_trace(FG_EVENT_use, bubble, member, how, address);
}

/* The thread of the object has a lane of its own. So its events take no room from those of the workers. Three quarters
 * of the lane are left, because its blocks are of different sizes. */
static bool
recorder_open(void)
{
	const char *why = !*fg_options.trace		   ? "FGOMP_TRACE names no file"
			  : fg_exec_options.kernel_threads ? "it is for user-level threads; " NOT_TOLD
			  : fg_carrier != &fg_carrier_live ? "it is for real machines; " NOT_TOLD
							   : NULL;
	if (fg_carrier->touch) /* the simulated machine knows all uses */
		return false;
	if (why) {
		fg_error(NO_USES "%s", why);
		return false;
	}
	const struct fg_samples_object *found = table_find(FILE_NAME, NO_USES, NOT_TOLD);
	library.use = use;
	library.uses = fg_options.trace_size / sizeof(struct fg_trace_record) / 4 * 3;
	if (found && found->begin(&library, false, false)) {
		if (is_asked_for())
			fg_error(NO_EFFECT "FGOMP_TRACE_USES takes the samples; " GOES_ON);
		object = found;
		return true;
	}
	library.use = NULL;
	return false;
}

/* Kernels before 5.11 may end a system call of the program with EINTR as a timer ends. A user may ask for that, but
 * the preset does not. On the simulated machine, runs with and without moves are compared: users ask for both. */
static bool
may_by_preset(void)
{
	return fg_carrier == &fg_carrier_live && !fg_exec_options.kernel_threads && library.nodes >= 2 &&
	       library.nodes <= FG_SAMPLES_NODES && !fg_secure() && fg_host_kernel_is(5, 11);
}

void
fg_samples_open(void)
{
	bool moves = strncmp(fg_options.memory, "auto", 4) == 0, tells = strstr(fg_options.memory, "report") != NULL;
	if (fg_options.trace_uses && recorder_open())
		return;
	if (!moves && !tells)
		return;
	library.where = fg_where;
	library.nodes = fg_where->nodes();
	if (!is_asked_for() && !may_by_preset())
		return;
	bool simulated = fg_carrier->touch != NULL;
	if ((fg_carrier != &fg_carrier_live && !simulated) || fg_exec_options.kernel_threads) {
		fg_error(NO_EFFECT "it is for user-level threads, live or on the simulated machine; " GOES_ON);
		return;
	}
	if (library.nodes < 2) {
		tells_of_one_node = tells;
		return;
	}
	if (library.nodes > FG_SAMPLES_NODES) {
		fg_error(NO_EFFECT "the machine has %u NUMA nodes, and %u are the limit; " GOES_ON, library.nodes,
			 FG_SAMPLES_NODES);
		return;
	}
	const struct fg_samples_object *found =
		table_find(simulated ? "../" FILE_NAME : FILE_NAME, NO_EFFECT, is_asked_for() ? GOES_ON : NULL);
	if (simulated) {
		library.carrier = fg_carrier;
		library.simulated_ns = SIMULATED_NS;
	}
	if (!found || !found->begin(&library, moves, tells))
		return;
	object = found;
	fg_exec_options.sample_ns = library.simulated_ns;
}

void
fg_samples_made(void)
{
	if (object)
		object->made();
	else if (__builtin_expect(tells_of_one_node, 0)) {
		tells_of_one_node = false;
		fg_report("memory: the machine has one NUMA node, so all memory is local");
	}
}

void
fg_samples_tick(const struct fg_identity *self, const void *signal_context)
{
	if (object)
		object->tick(self, signal_context);
}

void
fg_samples_touched(uintptr_t address, unsigned node, bool writes, unsigned times)
{
	const struct fg_identity *self = fg_self();
	const struct fg_team *team = self ? self->thread.team : NULL;
	if (object)
		object->touched(address, node, writes, team ? (const void *)(uintptr_t)team->fn : NULL, times);
}

void
fg_samples_repair(void)
{
	if (object)
		object->repair();
}

void
fg_samples_stop(void)
{
	if (object)
		object->stop();
}

void
fg_samples_end(void)
{
	if (object)
		object->end();
}

void
fg_samples_after_fork(void)
{
	if (object)
		object->after_fork();
	if (library.use) /* the trace is the parent's */
		object = NULL;
}
