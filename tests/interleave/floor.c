/* The floor under scenarios of exec. It gives virtual threads the functions of the operating system and the C
 * library. A donor's pthread is a context of its own that runs up to the point where it parks. It has its own image
 * of the thread-local storage.
 *
 * With: no_trace
 * Sources: base/lock_order.c base/spinlock.c forest/holder.c forest/runqueue.c forest/bubble.c forest/move.c
 * Sources: forest/fetch.c
 * Sources: machine/cpuset.c platform/float.c platform/pthread.c platform/thread.c
 * Sources: forest/biased_lock.c forest/live.c sched/slices.c sched/thickness.c sched/time_calls.c
 * Sources: sched/affinity.c sched/api.c sched/api_machine.c sched/aside.c sched/cache.c sched/compact.c sched/deal.c
 * Sources: sched/global.c sched/hand.c sched/haste.c sched/parts.c sched/policy.c
 * Sources: sched/decision.c sched/default.c sched/home.c sched/in_force.c sched/random.c sched/registry.c
 * Sources: sched/spread.c sched/bring.c sched/rob.c sched/steal.c sched/subtree.c sched/world.c sched/layer.c
 * Sources: sched/layer_give.c
 * Sources: sched/areas.c sched/attraction.c sched/memory.c sched/stray.c sched/untold.c sched/request.c memory/area.c
 * Sources: memory/haul.c memory/migrate.c memory/plan.c memory/where.c platform/map.c
 * Sources: platform/file.c platform/numa.c platform/private_file.c
 * Sources: share/board.c share/choice.c share/distance.c share/fair.c share/entry.c share/outside.c share/set.c
 * Sources: share/own_set.c share/message.c share/served.c share/share.c share/trial.c platform/local_socket.c
 * Sources: share/jobserver.c share/tokens.c platform/path.c platform/pipe.c
 * Sources: share/curve.c share/kept.c share/learnt.c share/lesson.c share/notebook.c share/want.c
 * Sources: sched/layer_start.c sched/live_tree.c sched/tune.c sched/redistribute.c exec/loop/idle_mark.c
 * Sources: exec/body/binding.c exec/thread/clock.c exec/donor/donor.c exec/donor/donor_pool.c
 * Sources: exec/thread/grain.c sched/theft.c exec/thread/doorbell.c exec/thread/facts.c exec/thread/identity.c
 * Sources: exec/body/kernel_thread.c exec/thread/levels.c exec/body/seat.c exec/thread/self.c exec/thread/valid.c
 * Sources: exec/thread/wake.c exec/thread/worker.c
 * Sources: exec/ground/options.c exec/grant/cpu_share.c exec/loop/chores.c exec/loop/idle.c exec/loop/idling.c
 * Sources: exec/loop/inbox.c exec/loop/loop.c exec/loop/park.c exec/loop/ready.c exec/grant/ride.c exec/loop/crew.c
 * Sources: exec/loop/search.c exec/loop/starve.c exec/loop/thief.c
 * Sources: exec/grant/valid.c exec/loop/valid.c exec/loop/work.c exec/relief/board.c exec/relief/hold.c
 * Sources: exec/relief/spare.c
 * Sources: exec/relief/spare_list.c exec/pool/berths.c exec/pool/hiring.c exec/pool/part.c
 * Sources: exec/pool/valid.c exec/pool/workers.c exec/flat/anchor.c exec/flat/dock.c exec/flat/dock_setup.c
 * Sources: exec/flat/cut.c exec/flat/forks.c exec/flat/groups.c exec/flat/summary.c exec/flat/help.c
 * Sources: exec/move/exchange.c exec/move/loosen.c exec/move/move.c exec/move/stop.c exec/move/transfer.c
 * Sources: exec/flat/layout.c exec/flat/seating.c exec/flat/lend.c exec/flat/crews.c exec/flat/valid.c
 * Sources: exec/flat/placement.c exec/nested/birth.c exec/nested/rejoin.c exec/nested/valid.c exec/helpers/helpers.c
 * Constants: base/spinlock.c SPIN_TURNS=1
 * Constants: exec/nested/birth.c JOIN_SPINS=1
 * Constants: exec/flat/lend.c ASKS_SEIZE=1
 * Constants: exec/loop/idle.c CHECK_TURNS=1
 * Constants: exec/loop/thief.c THIEF_WAIT_MAX=2 THIEF_WAIT_ASK=1
 * Wraps: sched_getaffinity pthread_create pthread_exit pthread_setcancelstate pthread_setname_np syscall
 */
#define _GNU_SOURCE
#include "interleave/floor.h"
#include "base/above.h"
#include "base/options.h"
#include "exec/body/kernel_thread.h"
#include "exec/body/stack_overflow.h"
#include "exec/flat/dock.h"
#include "exec/flat/help.h"
#include "exec/flat/lend.h"
#include "exec/grant/grant.h"
#include "exec/ground/above.h"
#include "exec/ground/hooks.h"
#include "exec/ground/options.h"
#include "exec/helpers/helpers.h"
#include "exec/loop/loop.h"
#include "exec/move/stop.h"
#include "exec/nested/birth.h"
#include "exec/nested/rejoin.h"
#include "exec/relief/board.h"
#include "exec/relief/spare.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/levels.h"
#include "interleave/model.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker_parts.h"
#include "machine/load.h"
#include "platform/nearby.h"
#include "platform/rseq.h"
#include "platform/sandbox.h"
#include "platform/stack.h"
#include "platform/system_call.h"
#include "trace/texts.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

struct fg_options fg_options;

/* The monitor runs, and does nothing. */
static void
monitor_wake(void)
{
}

static void
monitor_start(struct fg_identity *self)
{
	(void)self;
}

/* A scenario with grant.c has these functions. In the others no PU is taken. */
__attribute__((weak)) void
fg_grant_call(const struct fg_worker *worker)
{
	(void)worker;
}

__attribute__((weak)) void
fg_grant_suspect(struct fg_worker *worker, bool outside)
{
	(void)worker;
	(void)outside;
}

/* The load of the machine is not known here. */
__attribute__((weak)) bool
fg_load_since(struct fg_load *last, const struct fg_cpuset *mask, double *others)
{
	(void)last;
	(void)mask;
	(void)others;
	return false;
}

/* There are no ticks here. */
static void
hasten(struct fg_worker *worker, const struct fg_identity *thread)
{
	(void)worker;
	(void)thread;
}

__attribute__((weak)) bool
fg_grant_glance(struct fg_worker *worker)
{
	(void)worker;
	return false;
}

/* The floor team keeps nothing here. The tasks are the scenario's. */
const struct fg_help *floor_help;

static bool
help_waiting(void *job)
{
	return floor_help->waiting(job);
}

static bool
help_past(void *job, uint32_t phase)
{
	return floor_help->past(job, phase);
}

static void
help_call(void *job, const struct fg_worker *but)
{
	floor_help->call(job, but);
}

static unsigned
help_run(struct fg_identity *self)
{
	return floor_help->run(self);
}

static void
help_finish(struct fg_identity *self)
{
	floor_help->finish(self);
}

static unsigned
help_come_back(void *job, unsigned member)
{
	return floor_help->come_back(job, member);
}

static void
forget(struct fg_identity *identity)
{
	(void)identity;
}

static void
last(void)
{
}

static struct fg_policy *
policy(unsigned kinds, struct fg_policy *above)
{
	(void)kinds;
	return above;
}

const struct fg_exec_above fg_exec_above = {
	.help = {help_waiting, help_past, help_call, help_run, help_finish, help_come_back},
	.forget_root = forget,
	.forget = forget,
	.last = last,
	.made = forget,
	.policy = policy,
};

const struct fg_base_above fg_base_above = {.preemptible = fg_self_preemptible};

const struct fg_exec_hooks fg_exec_hooks = {
	.board = fg_board,
	.reserve = fg_spare_reserve,
	.resume = fg_spare_resume,
	.glance = fg_grant_glance,
	.carry = fg_worker_carry,
	.come_back = fg_spare_come_back,
	.lend = fg_lend_answer,
	.ask = fg_lend_ask,
	.pass_on = fg_help_pass_on,
	.populate = fg_births_run,
	.rejoin = fg_rejoin_assigned,
	.called_here = fg_helpers_called_here,
	.take = fg_helpers_take,
	.keep = fg_stop_keep,
	.hasten = hasten,
	.give_up = fg_dock_give_up,
	.monitor_wake = monitor_wake,
	.monitor_start = monitor_start,
};

/* No counters run. */
struct fg_thread_counters fg_thread_counters;

void
fg_thread_counters_in(struct fg_identity *thread)
{
	(void)thread;
}

void
fg_thread_counters_out(struct fg_identity *thread)
{
	(void)thread;
}

void
fg_thread_counters_tell(void)
{
}

void
fg_tick_renew(struct fg_tick *tick)
{
	(void)tick;
}

/* One pthread at a time is being made. It runs on its maker's virtual thread until it parks. */
static struct {
	struct fg_context maker, donor;
	void *(*main)(void *);
	void *arg;
} birth;

static void
donor_begin(void)
{
	birth.main(birth.arg);
	model_fail("a donor's start function returned");
}

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*main)(void *), void *arg)
{
	void *low;
	size_t size;
	pthread_attr_getstack(attr, &low, &size);
	*thread = (pthread_t)low;
	if (birth.main)
		/* Another virtual thread makes one. This cannot happen, because no switch point lies in between. */
		return EAGAIN;
	model_racy(&birth, sizeof birth);
	birth.main = main;
	birth.arg = arg;
	birth.maker.tls = fg_context_tls();
	fg_context_make(&birth.donor, (char *)low + size, model_tls_new(), donor_begin);
	model_atomically(true);
	fg_context_switch(&birth.maker, &birth.donor, NULL, NULL);
	model_atomically(false);
	birth.main = NULL;
	return 0;
}

_Noreturn void
fg_context_park(uint32_t *word, uint32_t value, void *stack, const struct fg_context *then)
{
	(void)stack;
	(void)then;
	fg_store_release((struct fg_atomic_u32 *)word, value);
	struct fg_context parked;
	fg_context_switch(&parked, &birth.maker, NULL, NULL);
	model_fail("a donor's pthread was resumed where it had parked");
}

void
fg_futex_wait(struct fg_atomic_u32 *word, uint32_t value, uint64_t timeout_ns)
{
	(void)word, (void)value, (void)timeout_ns;
	model_fail("nobody waits for a donor: it is made in one go");
}

void
fg_futex_wake(struct fg_atomic_u32 *word, unsigned count)
{
	(void)word, (void)count;
}

int
fg_stack_map(struct fg_stack *stack, size_t size, unsigned colour)
{
	(void)colour;
	stack->size = size;
	stack->to_lock = false;
	stack->map = stack->low = model_stack_new(size);
	return 0;
}

void
fg_stack_unmap(struct fg_stack *stack)
{
	(void)stack;
}

void
fg_mask_set(uint64_t mask)
{
	(void)mask;
}

int
__wrap_pthread_setcancelstate(int state, int *old)
{
	(void)state, (void)old;
	return 0;
}

int
__wrap_pthread_setname_np(pthread_t thread, const char *name)
{
	(void)thread, (void)name;
	return 0;
}

struct fg_atomic_u64 floor_cpus;
bool floor_binds;

int
__wrap_sched_getaffinity(pid_t tid, size_t size, cpu_set_t *cpus)
{
	uint64_t mask = floor_binds ? fg_add_acq_rel(&floor_cpus, 0) : fg_load_relaxed(&floor_cpus);
	(void)tid;
	if (!mask)
		return -1;
	memset(cpus, 0, size);
	memcpy(cpus, &mask, sizeof mask);
	return 0;
}

int
fg_system_call_affinity(pid_t tid, size_t size, cpu_set_t *cpus)
{
	return __wrap_sched_getaffinity(tid, size, cpus);
}

int
fg_system_call_bind(pid_t tid, size_t size, const cpu_set_t *cpus)
{
	uint64_t mask = 0;
	(void)tid;
	if (!floor_binds)
		return -1;
	memcpy(&mask, cpus, size < sizeof mask ? size : sizeof mask);
	fg_exchange_acq_rel(&floor_cpus, mask); /* the kernel takes a lock */
	return 0;
}

/* Signal handlers and the like belong to the operating system. */
void
fg_glibc_member(struct fg_identity *self)
{
	(void)self;
}

void
fg_glibc_setxid(void)
{
}

void
fg_glibc_leave_home(struct fg_identity *self)
{
	(void)self;
}

void
fg_alternate_prepare(struct fg_identity *self)
{
	(void)self;
}

void
fg_stack_overflow_install(void)
{
}

void
fg_stack_overflow_room(void *memory)
{
	(void)memory;
}

void
fg_stack_overflow_kernel_thread(void)
{
}

void
fg_glibc_end(void)
{
}

void
fg_stack_overflow_kernel_thread_end(void)
{
}

size_t
fg_stack_limit(void)
{
	return SIZE_MAX;
}

void
fg_rseq_find(void)
{
}

void
fg_rseq_unregister(void)
{
}

struct fg_machine *
fg_machine_load(const char *topology, const struct fg_cpuset *allowed)
{
	(void)topology, (void)allowed;
	static struct fg_machine unknown; /* PUs that no worker uses: the tree stays flat */
	return &unknown;
}

void
fg_machine_free(struct fg_machine *machine)
{
	(void)machine;
}

struct fg_identity *
fg_self_or_root_slow(void)
{
	model_fail("a virtual thread without an identity entered the runtime");
}

/* A virtual thread cannot end on another context than its first. So it sleeps. */
_Noreturn void
__wrap_pthread_exit(void *result)
{
	static struct fg_atomic_u32 never;
	(void)result;
	for (;;)
		fg_carrier->wait(&never, 0, 0);
}

/* Kernel threads are virtual threads. One that is asked for by a signal has just ended. */
long
__wrap_syscall(long number, ...)
{
	if (number == SYS_tgkill)
		return -1;
	if (number != SYS_gettid)
		model_fail("system call %ld is not part of these scenarios", number);
	return 1000 + model_self();
}

void
floor_setup(void)
{
	fg_store_relaxed(&fg_doorbell.monitor_awake, 1);
	fg_exec_options = (struct fg_exec_options){.spin_ns = 0, .stack_size = 64 << 10, .n_pus = 2};
}

struct fg_root *
floor_root(bool carries)
{
	struct fg_root *root = model_alloc(sizeof(struct fg_whole_root));
	root->identity.kind = FG_HOME;
	root->identity.root = root;
	root->identity.thread.size = 1;
	fg_own_store_relaxed(&root->identity.in_runtime, 1);
	root->identity.context.tls = fg_context_tls();
	fg_root_worker(root)->carries = carries;
	fg_levels_start();
	fg_worker_init(fg_root_worker(root), &root->identity, 0, fg_levels_leaf(0));
	fg_kernel_thread_enlist(fg_root_worker(root));
	fg_self_pointer = &root->identity;
	return root;
}

/* The light side of the asymmetric fence is modelled as a full fence. Light and heavy fence together order as two
 * full fences do. In a scenario that sets this variable the light side orders the compiler alone. */
bool fg_membarrier_usable;

void
fg_fence_heavy_slow(void)
{
	if (fg_membarrier_usable && !model_broken("no heavy fence"))
		model_fence_all();
}

void
fg_fence_all_threads(void)
{
	if (!model_broken("no membarrier"))
		model_fence_all();
}

bool
fg_sandbox_allows(enum fg_sandbox_call call)
{
	(void)call;
	return true;
}

void
fg_nearby_pull(struct fg_nearby *nearby, pthread_t thread)
{
	(void)nearby, (void)thread;
}

void
fg_nearby_let_go(const struct fg_nearby *nearby, pthread_t thread)
{
	(void)nearby, (void)thread;
}

struct fg_nearby_kept
fg_nearby_keep_off(int tid)
{
	(void)tid;
	return (struct fg_nearby_kept){0};
}

void
fg_nearby_let_back(struct fg_nearby_kept kept)
{
	(void)kept;
}

int
fg_nearby_here(void)
{
	return -1;
}

void
fg_nearby_go_to(unsigned cpu, int like)
{
	(void)cpu, (void)like;
}

void
fg_stack_lock(const struct fg_stack *stack)
{
	(void)stack;
}

/* Signals belong to the operating system, too. */
void
fg_mask_learn(struct fg_worker *worker)
{
	(void)worker;
}

void
fg_mask_switch(struct fg_identity *self, struct fg_identity *next, const struct fg_worker *worker)
{
	(void)self, (void)next;
}

void
fg_mask_arrive(const struct fg_identity *now)
{
	(void)now;
}

void
fg_mask_part(struct fg_identity *self)
{
	(void)self;
}

void
fg_mask_return(struct fg_identity *self)
{
	(void)self;
}

void
fg_alternate_part(struct fg_identity *self)
{
	(void)self;
}

void
fg_alternate_forget(struct fg_identity *self)
{
	(void)self;
}
