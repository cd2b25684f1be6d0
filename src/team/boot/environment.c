/* The environment is read once, when the library is loaded (floor: team). Start-up time is measured, so this reads no
 * files unless a variable asks for places. The messages come in libgomp's order.
 *
 * A constructor calls all of this. So the caller is the only thread that uses the library, outside. It writes fg_env,
 * the list of places and the affinity format. Afterwards few of these words change (env/icv.h). */
#include "base/log.h"
#include "base/options.h"
#include "exec/thread/identity.h"
#include "platform/pthread.h"
#include "platform/sanitizer.h"
#include "platform/shadow_stack.h"
#include "team/alloc/allocator.h"
#include "team/boot/display_env.h"
#include "team/env/icv.h"
#include "team/env/parse.h"
#include "team/places/affinity_format.h"
#include "team/places/list.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CHOICES(...)                                                                                                   \
	(const struct fg_choice[]){__VA_ARGS__},                                                                       \
		sizeof((const struct fg_choice[]){__VA_ARGS__}) / sizeof(struct fg_choice)

static void
read_device(void)
{
	unsigned number;
	if (fg_env_uint("OMP_DEFAULT_DEVICE", &number, true))
		fg_env.icv.default_device = (int)number;
	fg_env_choice("OMP_TARGET_OFFLOAD", CHOICES({"default", 0}, {"mandatory", 1}, {"disabled", 2}),
		      &fg_env.target_offload);
}

static void
read_thread_counts(void)
{
	unsigned long limit;
	if (fg_env_ulong("OMP_THREAD_LIMIT", &limit, false))
		fg_env.icv.thread_limit = limit > INT_MAX ? UINT_MAX : (unsigned)limit;
	unsigned debug; /* libgomp's debugging output: there is none here */
	fg_env_uint("GOMP_DEBUG", &debug, true);
	fg_env.num_procs = fg_places_read_mask();
	fg_env_list("OMP_NUM_THREADS", &fg_env.icv.nthreads, &fg_env.nthreads_list, &fg_env.nthreads_list_len);
	fg_env_uint("OMP_NUM_TEAMS", &fg_env.nteams, false);
	fg_env_uint("OMP_TEAMS_THREAD_LIMIT", &fg_env.teams_thread_limit, false);
}

static void
read_active_levels(void)
{
	unsigned long levels;
	bool nested;
	if (fg_env_ulong("OMP_MAX_ACTIVE_LEVELS", &levels, true))
		fg_env.icv.max_active_levels =
			levels > FG_ACTIVE_LEVELS_MAX ? FG_ACTIVE_LEVELS_MAX : (unsigned char)levels;
	else if (fg_env_bool("OMP_NESTED", &nested))
		fg_env.icv.max_active_levels = nested ? FG_ACTIVE_LEVELS_MAX : 1;
	else if (fg_env.nthreads_list || fg_env.bind_list)
		fg_env.icv.max_active_levels = FG_ACTIVE_LEVELS_MAX;
}

/* bind-var decides whether places are wanted. If bind-var was not given, the places that are found decide about it. */
static void
read_binding(void)
{
	bool given = fg_env_bind("OMP_PROC_BIND", &fg_env.icv.bind, &fg_env.bind_list, &fg_env.bind_list_len);
	bool unwanted = given && fg_env.icv.bind == FG_BIND_FALSE;
	read_active_levels();
	if (!fg_places_from_env(unwanted) && !unwanted && fg_env.icv.bind != FG_BIND_FALSE)
		fg_places_default();
	if (fg_place_list.count && fg_env.icv.bind == FG_BIND_FALSE)
		fg_env.icv.bind = FG_BIND_TRUE;
}

/* libgomp counts turns of its waiting loop, about 100,000 in a millisecond. The longest time still leaves room for a
 * sum of times. */
#define TURN_NS 10
#define SPIN_MAX_NS (UINT64_C(1) << 60)

static void
read_waiting(void)
{
	fg_env_choice("OMP_WAIT_POLICY", CHOICES({"active", 1}, {"passive", 0}), &fg_env.wait_policy);
	static const uint64_t presets[] = {300000, 0, UINT64_C(30000000000)}; /* unset, passive, active */
	fg_env.spin_count = presets[fg_env.wait_policy + 1];
	bool given = fg_env_turns("GOMP_SPINCOUNT", &fg_env.spin_count);
	if (fg_option_table[FG_OPTION_spin].given || (!given && fg_env.wait_policy < 0))
		fg_env.spin_ns = fg_options.spin;
	else
		fg_env.spin_ns = fg_env.spin_count > SPIN_MAX_NS / TURN_NS ? SPIN_MAX_NS : fg_env.spin_count * TURN_NS;
}

static void
read_stack_size(void)
{
	fg_env.stack_size = fg_options.stacksize;
	if (!fg_env_size("OMP_STACKSIZE", &fg_env.stack_size_text) &&
	    !fg_env_size("GOMP_STACKSIZE", &fg_env.stack_size_text))
		return;
	int error = fg_pthread_stack_refused(fg_env.stack_size_text);
	size_t least = fg_pthread_stack_least();
	if (error == EINVAL && fg_env.stack_size_text < least)
		fg_error("Stack size less than minimum of %zuk", (least + 1023) / 1024);
	else if (error == EINVAL)
		fg_error("Stack size larger than system limit");
	else if (error)
		fg_error("Stack size change failed: %s", strerror(error));
	else if (!fg_option_table[FG_OPTION_stacksize].given)
		fg_env.stack_size = fg_env.stack_size_text;
}

static void
read_options(void)
{
	fg_env.kernel_threads = strcmp(fg_options.threads, "kernel") == 0;
	/* A race detector tells members apart by their pthreads. So it would see no race between two members that one
	 * donor carries. It also holds signals back until the next call of the C library, where a handler must not
	 * switch. So no member could be preempted. */
	if (fg_watched() && !fg_env.kernel_threads) {
		if (fg_option_table[FG_OPTION_threads].given)
			fg_error("FGOMP_THREADS=user does not go with ThreadSanitizer, which needs a kernel thread for "
				 "each member; kernel is taken");
		fg_env.kernel_threads = true;
	}
	if (fg_shadow_stack_on() && !fg_env.kernel_threads) {
		if (fg_option_table[FG_OPTION_threads].given)
			fg_error("FGOMP_THREADS=user does not go with shadow stacks, which this process has; kernel is "
				 "taken");
		else
			fg_note("shadow stacks are on in this process: each member has a kernel thread");
		fg_env.kernel_threads = true;
	}
	/* valgrind lets one thread run at a time, and cannot bear a switch out of a signal handler. */
	if (!fg_option_table[FG_OPTION_threads].given && fg_on_valgrind())
		fg_env.kernel_threads = true;
	fg_env.slice_ns = fg_options.slice;
	fg_env.verbose = fg_options.verbose;
}

/* This runs after the options were read (101), and before all that starts from the values read here. */
__attribute__((constructor(102))) static void
read_environment(void)
{
	read_options();
	fg_env_schedule("OMP_SCHEDULE", &fg_env.icv.run_sched, &fg_env.icv.run_sched_chunk);
	fg_env_bool("OMP_DYNAMIC", &fg_env.icv.dynamic);
	fg_env_bool("OMP_CANCELLATION", &fg_env.cancellation);
	fg_env.plain_tasks = !fg_env.cancellation && !fg_watched();
	fg_env_bool("OMP_DISPLAY_AFFINITY", &fg_env.display_affinity);
	read_device();
	fg_env_uint("OMP_MAX_TASK_PRIORITY", &fg_env.max_task_priority, true);
	fg_env.icv.default_allocator = fg_allocator_from_env();
	read_thread_counts();
	read_binding();
	const char *format = getenv("OMP_AFFINITY_FORMAT");
	if (format)
		fg_affinity_format_set(format, strlen(format));
	read_waiting();
	read_stack_size();
	int display = 0;
	if (fg_env_choice("OMP_DISPLAY_ENV", CHOICES({"true", 1}, {"false", 0}, {"verbose", 2}), &display) && display)
		fg_env_display(display > 1);
	unsigned device;
	fg_env_uint("ACC_DEVICE_NUM", &device, true);
}
