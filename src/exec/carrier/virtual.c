/* The virtual carrier: workers are contexts on a single kernel thread, switched where the runtime pauses, waits or
 * wakes (floor: exec). The same seed and the same program give the same order, so a run that goes wrong can be
 * repeated.
 *
 * A started context borrows the stack and the thread-local storage of a parked pthread, as any donor does. The
 * kernel thread's own context is the one that starts the first. Within a context the runtime switches identities as
 * ever: the carrier saves and resumes whatever runs when it switches.
 *
 * Time is virtual. Each look at the clock takes a little. Each pause takes a little or a lot, as the seed decides,
 * so that spinning waits turn into sleeping ones now and then. When all contexts sleep, time jumps to the next
 * deadline. Other kernel threads of the program wait in the kernel as on the live carrier, and may wake contexts:
 * their regions are not virtual.
 *
 * A thread that spins in the program's own code, without a call of the runtime, is never switched away. */
#define _GNU_SOURCE
#include "exec/carrier/virtual.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"
#include "exec/carrier/chance.h"
#include "exec/donor/donor.h"
#include "exec/thread/identity.h"
#include "platform/futex.h"
#include "platform/process.h"
#include "platform/thread.h"

#define TICK_NS 100
#define PAUSE_DOUBLINGS 16 /* a pause takes TICK_NS times 1, 2, 4 ... */
#define STAYS_MAX 256
#define STUCK_NS 2000000000u

enum state { READY, WAITING, ENDED };

struct place {
	struct fg_context context; /* valid while it does not run */
	enum state state;
	int64_t priority;
	unsigned stays;		    /* it stays for so many pauses, as if the others were slow */
	struct fg_atomic_u32 *word; /* the word that it waits for */
	uint64_t deadline;	    /* in virtual time; 0: none */
	void (*start)(void *);
	void *arg;
	struct place *next;
};

/* `lock` guards all of this. It is never held over a switch. */
static struct {
	pthread_mutex_t lock;
	struct place first, *last, *current;
	pid_t kernel_thread; /* 0: nothing started yet */
	uint64_t now, switches, seed;
	struct fg_chance chance;
	struct fg_atomic_u32 kick; /* counted up by other kernel threads that wake a context */
	bool reported;		   /* that all contexts sleep */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .seed = 1};

static bool
is_here(void)
{
	return all.kernel_thread == fg_thread_id();
}

/* In the child of a fork only the caller's context is left. */
static void
after_fork(void)
{
	struct place *self = all.current;
	pthread_mutex_init(&all.lock, NULL);
	if (!all.kernel_thread)
		return;
	if (self != &all.first)
		all.first = *self;
	all.first.next = NULL;
	all.last = all.current = &all.first;
	all.kernel_thread = fg_thread_id();
}

static void
init_locked(void)
{
	fg_chance_init(&all.chance, all.seed);
	all.last = all.current = &all.first;
	all.first.priority = fg_chance_priority(&all.chance);
	all.kernel_thread = fg_thread_id();
	pthread_atfork(NULL, NULL, after_fork);
}

static void
wake_at_deadlines_locked(void)
{
	for (struct place *p = &all.first; p; p = p->next)
		if (p->state == WAITING && p->deadline && p->deadline <= all.now)
			p->state = READY;
}

static struct place *
pick_locked(void)
{
	struct place *best = NULL;
	wake_at_deadlines_locked();
	for (struct place *p = &all.first; p; p = p->next)
		if (p->state == READY && (!best || p->priority > best->priority))
			best = p;
	return best;
}

static bool
jump_to_deadline_locked(void)
{
	uint64_t first = 0;
	for (struct place *p = &all.first; p; p = p->next)
		if (p->state == WAITING && p->deadline && (!first || p->deadline < first))
			first = p->deadline;
	if (first > all.now)
		all.now = first;
	return first != 0;
}

static void
report_stuck_locked(void)
{
	fg_error("Virtual carrier, seed %lu: after %lu switches every worker sleeps and nothing can wake it but "
		 "another kernel thread of the program; going on to wait for that",
		 (unsigned long)all.seed, (unsigned long)all.switches);
}

/* All contexts sleep. Only another kernel thread can change that. */
static void
wait_for_kick_locked(void)
{
	uint32_t kick = fg_load_acquire(&all.kick);
	pthread_mutex_unlock(&all.lock);
	fg_futex_wait(&all.kick, kick, STUCK_NS);
	pthread_mutex_lock(&all.lock);
	if (fg_load_acquire(&all.kick) == kick && !all.reported) {
		all.reported = true;
		report_stuck_locked();
	}
}

/* Goes on with the context of the highest priority. Returns when the caller's context is chosen again. */
static void
go_on_locked(void)
{
	struct place *self = all.current, *next;
	while (!(next = pick_locked()))
		if (!jump_to_deadline_locked())
			wait_for_kick_locked();
	all.current = next;
	all.switches += next != self;
	pthread_mutex_unlock(&all.lock);
	if (next != self) {
		self->context.tls = fg_context_tls();
		fg_context_switch(&self->context, &next->context, NULL, NULL);
	}
}

static void
place_main(void)
{
	struct place *self = all.current;
	fg_self_pointer = NULL;
	self->start(self->arg);
	pthread_mutex_lock(&all.lock);
	all.current->state = ENDED;
	go_on_locked();
	abort();
}

static int
virtual_start(void (*start)(void *), void *arg, const char *thread_name)
{
	(void)thread_name;
	struct place *place = calloc(1, sizeof *place);
	struct fg_identity *donor = place ? fg_donor_new(place_main) : NULL;
	if (!donor) {
		int error = place ? errno : ENOMEM;
		free(place);
		return error;
	}
	place->context = donor->context;
	place->start = start;
	place->arg = arg;
	pthread_mutex_lock(&all.lock);
	if (!all.kernel_thread)
		init_locked();
	place->priority = fg_chance_priority(&all.chance);
	all.last = all.last->next = place;
	pthread_mutex_unlock(&all.lock);
	return 0;
}

static void
virtual_wait(struct fg_atomic_u32 *word, uint32_t value, uint64_t timeout_ns)
{
	if (!is_here()) {
		fg_futex_wait(word, value, timeout_ns);
		return;
	}
	pthread_mutex_lock(&all.lock);
	if (fg_load_seq_cst(word) != value) {
		pthread_mutex_unlock(&all.lock);
		return;
	}
	struct place *self = all.current;
	self->state = WAITING;
	self->word = word;
	self->deadline = timeout_ns ? all.now + timeout_ns : 0;
	go_on_locked();
}

static void
virtual_wake(struct fg_atomic_u32 *word, unsigned count)
{
	bool here = is_here();
	unsigned woken = 0;
	pthread_mutex_lock(&all.lock);
	for (struct place *p = &all.first; p && woken < count; p = p->next)
		if (p->state == WAITING && p->word == word) {
			p->state = READY;
			p->priority = fg_chance_priority(&all.chance);
			woken++;
		}
	if (woken && !here) {
		fg_add_release(&all.kick, 1);
		fg_futex_wake(&all.kick, 1);
	}
	if (here && all.kernel_thread) {
		all.current->priority = fg_chance_priority(&all.chance);
		go_on_locked();
	} else
		pthread_mutex_unlock(&all.lock);
	if (woken < count)
		fg_futex_wake(word, count - woken);
}

static void
virtual_pause(void)
{
	if (!is_here()) {
		fg_cpu_pause();
		return;
	}
	pthread_mutex_lock(&all.lock);
	all.now += (uint64_t)TICK_NS << fg_chance_below(&all.chance, PAUSE_DOUBLINGS);
	struct place *self = all.current;
	if (self->stays) {
		self->stays--;
		pthread_mutex_unlock(&all.lock);
		return;
	}
	if (fg_chance_below(&all.chance, 2) == 0)
		self->stays = fg_chance_below(&all.chance, STAYS_MAX);
	self->priority = fg_chance_step_back(&all.chance);
	go_on_locked();
}

/* There is no other kernel thread that could take the PU. */
static void
virtual_ran(struct fg_ran *ran)
{
	*ran = (struct fg_ran){0};
}

static uint64_t
virtual_now(void)
{
	pthread_mutex_lock(&all.lock);
	uint64_t now = all.now += TICK_NS;
	pthread_mutex_unlock(&all.lock);
	return now;
}

/* One kernel thread serves all contexts. So the regions of another thread of the program would wait for it, and it
 * perhaps for them. */
static void
virtual_meet(void)
{
	if (fg_thread_id() != fg_process_id())
		fg_fatal("FGOMP_CARRIER=virtual runs regions of the program's first thread only; this one was opened "
			 "by another pthread");
}

void
fg_virtual_seed(uint64_t seed)
{
	all.seed = seed;
}

const struct fg_carrier fg_carrier_virtual = {
	.name = "virtual",
	.start = virtual_start,
	.wait = virtual_wait,
	.wake = virtual_wake,
	.pause = virtual_pause,
	.now = virtual_now,
	.ran = virtual_ran,
	.meet = virtual_meet,
};
