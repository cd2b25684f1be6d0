/* Stand (floor: stuck): see stand.h.
 *
 * The place in the program where a thread stands is read from its stack. The stack of a suspended thread begins at
 * its context. The stack of a thread that sleeps in the kernel begins where /proc says. A thread that computes is
 * asked by the signal that preempts: the handler notes the registers, and stays there until the stack has been read. */
#define _GNU_SOURCE
#include "stuck/stand.h"

#include "base/carrier.h"
#include "exec/thread/worker.h"
#include "stuck/library.h"

#define ANSWER_NS 1000000000 /* so long the watcher waits for the answer */
#define STAY_NS 200000000    /* a thread that has answered stays so long at most */
#define STEP_NS 200000
#define USES 4096 /* a power of two */
#define BUSY_PART 20

static struct {
	struct fg_spinlock lock;
	struct fg_atomic_ptr donors;
	/* The CPU time of kernel threads, by their numbers. Only the watcher touches this table. */
	struct use {
		int tid;
		uint64_t used, looked_at, busy_at;
	} uses[USES];
	uint64_t rest;
	/* The question to a kernel thread, and its answer. */
	struct {
		struct fg_atomic_u32 state;
		int tid;
		struct fg_unwind unwind;
	} question;
} threads = {.lock = FG_SPINLOCK_INIT(FG_RANK_POOL)};

void
fg_stand_made(struct fg_identity *donor)
{
	bool inside = fg_library->lock(&threads.lock);
	donor->made_before = fg_load_relaxed(&threads.donors);
	fg_store_release(&threads.donors, donor);
	fg_library->unlock(&threads.lock, inside);
}

void
fg_stand_gone(struct fg_identity *donor)
{
	bool inside = fg_library->lock(&threads.lock);
	struct fg_identity *at = fg_load_relaxed(&threads.donors), *newer = NULL;
	for (; at && at != donor; at = at->made_before)
		newer = at;
	if (at && newer)
		newer->made_before = at->made_before;
	else if (at)
		fg_store_relaxed(&threads.donors, at->made_before);
	fg_library->unlock(&threads.lock, inside);
}

/* First come the homes of all workers, then the donors. */
struct fg_identity *
fg_stand_next(const struct fg_identity *before)
{
	struct fg_worker *worker = fg_load_acquire(fg_library->all_workers);
	if (before && before->kind == FG_DONOR)
		return before->made_before;
	while (before && worker && worker->home != before)
		worker = worker->all_next;
	if (before && worker)
		worker = worker->all_next;
	return worker ? worker->home : fg_load_acquire(&threads.donors);
}

static struct use *
use_of(int tid)
{
	for (unsigned i = 0; i < 16; i++) {
		struct use *use = &threads.uses[((unsigned)tid * 0x9e3779b1u / 64 + i) % USES];
		if (use->tid == tid || !use->tid)
			return use;
	}
	return NULL;
}

static void
count_one(int tid, uint64_t now)
{
	struct use *use = tid ? use_of(tid) : NULL;
	if (!use)
		return;
	uint64_t used = fg_kernel_thread_used(tid);
	if (use->tid != tid || used < use->used)
		*use = (struct use){tid, used, now, now};
	if (used - use->used > (now - use->looked_at) / BUSY_PART)
		use->busy_at = now;
	use->used = used;
	use->looked_at = now;
}

FG_READS_HINTS void
fg_stand_count(uint64_t now, uint64_t rest_ns)
{
	threads.rest = rest_ns;
	for (struct fg_worker *worker = fg_load_acquire(fg_library->all_workers); worker; worker = worker->all_next)
		count_one(worker->tid, now);
	for (struct fg_identity *thread = fg_stand_next(NULL); thread; thread = fg_stand_next(thread))
		if (fg_is_taken(thread))
			count_one(thread->away_tid, now);
}

static bool
at_rest(int tid, uint64_t now)
{
	const struct use *use = use_of(tid);
	return use && use->tid == tid && now - use->busy_at >= threads.rest;
}

enum { NOBODY, ASKED, ANSWERED };

bool
fg_stand_answer(const void *value, const void *signal_context)
{
	if (value != &threads.question)
		return false;
	if (fg_load_acquire(&threads.question.state) != ASKED || threads.question.tid != fg_library->thread_id())
		return true; /* the question is over: the thread had the signal blocked until now */
	fg_unwind_signal(&threads.question.unwind, signal_context);
	uint64_t until = fg_library->carrier->now() + STAY_NS;
	fg_store_release(&threads.question.state, ANSWERED);
	uint32_t answered = ANSWERED;
	while (fg_load_acquire(&threads.question.state) == ANSWERED && fg_library->carrier->now() < until)
		fg_library->carrier->pause();
	fg_cas_acq_rel(&threads.question.state, &answered, NOBODY);
	return true;
}

/* Asks a kernel thread that is in no system call. */
static void
ask(int tid, struct fg_stand *stand)
{
	struct fg_atomic_u32 nap = {0};
	if (fg_library->options->slice_ns == 0)
		return; /* the user wants no signals */
	threads.question.tid = tid;
	fg_store_release(&threads.question.state, ASKED);
	fg_library->preempt_send(tid, &threads.question);
	for (uint64_t waited = 0; waited < ANSWER_NS && fg_load_acquire(&threads.question.state) == ASKED;
	     waited += STEP_NS)
		fg_library->carrier->wait(&nap, 0, STEP_NS);
	uint32_t answered = ANSWERED;
	if (fg_load_acquire(&threads.question.state) == ANSWERED) {
		struct fg_unwind unwind = threads.question.unwind;
		fg_place_find(&unwind, &stand->place);
	}
	if (!fg_cas_acq_rel(&threads.question.state, &answered, NOBODY)) {
		stand->place = (struct fg_place){0}; /* the thread has left too early, or has not answered */
		fg_store_release(&threads.question.state, NOBODY);
	}
}

FG_READS_HINTS static bool
in_inbox(const struct fg_worker *worker, const struct fg_identity *thread)
{
	const struct fg_identity *at = worker ? worker->pinned.first : NULL;
	for (unsigned i = 0; at && at != thread && i < 100000; i++)
		at = at->next;
	return at;
}

FG_READS_HINTS static void
kind_find(struct fg_identity *thread, struct fg_stand *stand)
{
	struct fg_worker *worker = stand->worker = thread->worker;
	stand->inside = fg_own_load_relaxed(&thread->in_runtime);
	if (fg_is_taken(thread)) {
		stand->kind = FG_STAND_AWAY;
		stand->tid = thread->away_tid;
	} else if (worker && fg_load_relaxed(&worker->current) == thread) {
		stand->kind = FG_STAND_RUNS;
		stand->tid = worker->tid;
	} else if (fg_load_relaxed(&thread->entity.holder) || in_inbox(thread->pinned, thread)) {
		stand->kind = FG_STAND_READY;
	} else if (thread->park.on) {
		stand->kind = FG_STAND_PARKED;
	} else {
		stand->kind = FG_STAND_SUSPENDED;
	}
	stand->address = thread->park.on;
}

void
fg_stand_kernel(int tid, struct fg_kernel_thread *found)
{
	*found = (struct fg_kernel_thread){.state = FG_KERNEL_UNKNOWN};
	if (fg_library->sandbox_allows(FG_SANDBOX_FILES))
		fg_kernel_thread_look(tid, found);
}

void
fg_stand_find(struct fg_identity *thread, uint64_t now, struct fg_stand *stand)
{
	struct fg_unwind unwind;
	*stand = (struct fg_stand){0};
	kind_find(thread, stand);
	if (stand->kind != FG_STAND_RUNS && stand->kind != FG_STAND_AWAY) {
		if (fg_unwind_context(&unwind, &thread->context))
			fg_place_find(&unwind, &stand->place);
		return;
	}
	fg_stand_kernel(stand->tid, &stand->kernel);
	stand->at_rest = at_rest(stand->tid, now);
	if (stand->kernel.state == FG_KERNEL_RUNS) {
		ask(stand->tid, stand);
	} else if (stand->kernel.sp) {
		fg_unwind_kernel(&unwind, stand->kernel.sp, stand->kernel.pc);
		fg_place_find(&unwind, &stand->place);
	}
}

void
fg_stand_after_fork(void)
{
	fg_spinlock_init(&threads.lock, FG_RANK_POOL);
	fg_store_relaxed(&threads.donors, NULL);
	fg_store_relaxed(&threads.question.state, NOBODY);
}
