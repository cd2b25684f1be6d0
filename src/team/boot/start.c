/* Boot: starts the runtime when the library is loaded (floor: team; called by the dynamic linker). Constructors run in
 * the order of their numbers: base/options.c (101), environment.c (102), this file (103), process_fork.c (104),
 * libc/signals.c (105).
 *
 * Each runs outside, before another thread can use the library. So this file may write options and tables that later
 * are only read. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/carrier.h"
#include "base/log.h"
#include "base/options.h"
#include "base/secure.h"
#include "base/statistics.h"
#include "base/uncancelled.h"
#include "exec/body/seat.h"
#include "exec/carrier/virtual.h"
#include "exec/ground/options.h"
#include "exec/thread/facts.h"
#include "exec/top/describe.h"
#include "exec/top/world.h"
#include "machine/machine.h"
#include "platform/context.h"
#include "platform/membarrier.h"
#include "platform/memory.h"
#include "platform/numa.h"
#include "platform/others.h"
#include "platform/sandbox.h"
#include "sched/in_force.h"
#include "sched/policy.h"
#include "share/kept.h"
#include "share/served.h"
#include "share/share.h"
#include "share/tokens.h"
#include "team/boot/names.h"
#include "team/boot/sched_option.h"
#include "team/env/features.h"
#include "team/env/icv.h"
#include "team/hints/pin.h"
#include "team/places/list.h"
#include "team/samples.h"
#include "team/stuck.h"

/* "virtual:SEED": all regions of the main thread run on one kernel thread, and the seed decides the order of the
 * members. */
static void
carrier_choose(const char *text)
{
	const char *name = fg_carrier_virtual.name;
	size_t length = strlen(name);
	char *end = NULL;
	if (!strcmp(text, fg_carrier_live.name))
		return;
	bool chosen = !strncmp(text, name, length) && (text[length] == ':' || !text[length]);
	uint64_t seed = chosen && text[length] ? strtoull(text + length + 1, &end, 10) : 1;
	if (!chosen || (end && (*end || end == text + length + 1))) {
		fg_error("FGOMP_CARRIER=%s is not valid; accepted: live, virtual, virtual:SEED; using live", text);
		return;
	}
	fg_virtual_seed(seed);
	fg_carrier = &fg_carrier_virtual;
	fg_exec_options.monitor = false; /* members switch only at the runtime's own calls */
}

static void
topology_choose(void)
{
	if (*fg_options.topology && !fg_machine_check(fg_options.topology))
		fg_options.topology = "";
}

static unsigned others_told;

/* The library's name, as it was loaded. */
static const char *
own_path(void)
{
	Dl_info info;
	return dladdr((void *)own_path, &info) && info.dli_fname ? info.dli_fname : "libgomp.so.1";
}

/* One line says what serves the program. `forestgomp run --check` reads it. */
static void
served_by(void)
{
	unsigned workers = fg_exec_options.n_pus;
	fg_note("served by ForestGOMP " FG_VERSION
		", %s: policy %s (FGOMP_SCHED=%s), up to %u workers, members are %s threads, %s",
		own_path(), fg_policy.sched->name, fg_options.sched, workers,
		fg_exec_options.kernel_threads ? "kernel" : "user-level",
		fg_place_list.count ? "bound to places" : "not bound");
}

static void
other_runtime(const char *path)
{
	fg_note("another OpenMP runtime is in the process: %s; each has threads of its own, and a function that both "
		"have goes to the one that the dynamic linker finds first",
		path);
}

/* FGOMP_VERBOSE. */
static void
tell(void)
{
	served_by();
	others_told = fg_others_each(other_runtime);
	if (fg_watched())
		fg_note("ThreadSanitizer is in the process: it is told what happens before what, and each member has a "
			"kernel thread");
}

/* The report of FGOMP_MEMORY. FGOMP_VERBOSE: prints the statistics of all workers, summed up, and the runtimes that
 * came by dlopen meanwhile. */
__attribute__((destructor)) static void
end(void)
{
	fg_samples_end();
	fg_share_end();
	fg_kept_end();
	if (!fg_options.verbose)
		return;
	if (fg_share_time())
		fg_note("had fewer PUs than alone, because other programs were active or by "
			"`forestgomp limit`: for %.3f s",
			(double)fg_share_time() * 1e-9);
	if (fg_others_each(NULL) > others_told)
		fg_others_each(other_runtime);
	struct fg_statistics sum = {0};
	fg_statistics_sum(&sum);
#define PRINT(field, text) fg_note("%s: %" PRIu64, text, sum.field);
	FG_STATISTICS(PRINT)
#undef PRINT
}

#ifndef FG_MEMORY_FOREIGN
/* True: the caller was outside, and has entered. So no tick preempts a holder of a lock of the memory. */
static bool
memory_enter(void)
{
	return !fg_enter_again(fg_self());
}

static void
memory_leave(void)
{
	fg_leave(fg_self());
}
#endif

static void
memory_start(void)
{
#ifndef FG_MEMORY_FOREIGN
	fg_memory_guard = (struct fg_memory_guard){memory_enter, memory_leave};
#endif
	fg_memory_shards(fg_exec_options.n_pus);
}

/* OMP_PROC_BIND and OMP_PLACES say more. */
static void
pins_choose(void)
{
	if (!*fg_options.pin)
		return;
	if (fg_exec_options.kernel_threads || fg_exec_options.binds || getenv("OMP_PROC_BIND"))
		fg_error("FGOMP_PIN=%s: OMP_PROC_BIND, OMP_PLACES or FGOMP_THREADS=kernel says where threads run; no "
			 "thread is pinned",
			 fg_options.pin);
	else
		fg_pins_start(fg_options.pin);
}

/* The user has said nothing about binding. The PUs of a made-up machine are not the kernel's. */
static void
seats_choose(void)
{
	if (fg_exec_options.kernel_threads || fg_exec_options.binds || getenv("OMP_PROC_BIND") ||
	    *fg_options.topology || fg_carrier != &fg_carrier_live || fg_exec_options.n_pus < 2)
		return;
	fg_seat_on = true;
	fg_seats.placed = fg_pins_on || fg_policy.sched->place || fg_policies.wants & FG_WANTS_BORN;
	fg_seats.nodes = fg_numa_nodes() > 1;
}

/* Where the threads are the system's, it alone decides. */
static void
share_choose(void)
{
	bool off = strcmp(fg_options.share, "off") == 0;
	if (off && *fg_options.learnt)
		fg_error("FGOMP_LEARNT needs FGOMP_SHARE=on, so nothing is learnt");
	if (off && fg_options.jobserver)
		fg_error("FGOMP_JOBSERVER needs FGOMP_SHARE=on, so the program takes no tokens of make");
	if (off || fg_secure() || fg_exec_options.kernel_threads || *fg_options.topology ||
	    fg_carrier != &fg_carrier_live)
		return;
	if (fg_options.jobserver)
		fg_tokens_start(getenv("MAKEFLAGS"));
	if (*fg_options.learnt)
		fg_kept_start(fg_options.learnt);
	fg_share_start(getenv("XDG_RUNTIME_DIR"));
	if (strcmp(fg_options.share, "server") == 0)
		fg_served_start(getenv("XDG_RUNTIME_DIR"));
}

/* The order counts. The sandbox comes first, because other files ask it. The options, the carrier and the world come
 * before the policy, which may read them as it starts. */
__attribute__((constructor(103))) static void
start(void)
{
	fg_sandbox_start();
	fg_exec_options.spin_ns = fg_env.spin_ns;
	fg_exec_options.slice_ns = fg_env.slice_ns;
	fg_exec_options.stack_size = fg_env.stack_size ? fg_env.stack_size : fg_options.stacksize;
	fg_exec_options.signal = fg_options.signal;
	fg_exec_options.n_pus = fg_env.num_procs;
	fg_exec_options.binds = fg_place_list.count != 0;
	fg_exec_options.kernel_threads = fg_env.kernel_threads;
	memory_start();
	carrier_choose(fg_options.carrier);
	topology_choose();
	fg_world_start();
	int cancel = fg_uncancelled_begin(); /* it loads plug-ins, and calls them */
	fg_scheduler_choose(fg_options.sched);
	fg_uncancelled_end(cancel);
	pins_choose();
	seats_choose();
	share_choose();
	fg_context_init();
	fg_sanitizer_find();
	fg_membarrier_start();
	if (fg_options.stuck)
		fg_stuck_open(fg_options.stuck);
	fg_samples_open();
	fg_trace_start(fg_worker_lane, fg_describe_run);
	fg_features |= (fg_recording.trace ? FG_FEATURE_TRACE : 0) | (fg_recording.sums ? FG_FEATURE_SUMS : 0) |
		       (fg_env.display_affinity ? FG_FEATURE_DISPLAY : 0) | (fg_pins_on ? FG_FEATURE_MORE : 0) |
		       (fg_env.cancellation ? FG_FEATURE_CANCEL : 0) | (fg_watched() ? FG_FEATURE_WATCH : 0) |
		       (fg_sharing.on && !fg_exec_options.binds ? FG_FEATURE_LEARN : 0);
	if (fg_options.verbose)
		tell();
	if (!fg_secure())
		fg_names_take(own_path());
}
