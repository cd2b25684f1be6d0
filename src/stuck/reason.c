/* Reasons (floor: stuck): see reason.h. */
#include "stuck/reason.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exec/flat/dock.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/futex.h"
#include "stuck/peek.h"
#include "stuck/library.h"
#include "team/lock/lock.h"
#include "team/tasks/task.h"

#define NEST "omp_set_nest_lock"

/* The reasons by the function that the program has called. The first that fits is taken. */
static const struct call {
	const char *name;
	enum fg_reason reason;
	const char *text;
} calls[] = {
	{"GOMP_barrier", FG_REASON_BARRIER, "waits in a barrier"},
	{"GOMP_loop_end", FG_REASON_BARRIER, "waits in the barrier at the end of a loop"},
	{"GOMP_sections_end", FG_REASON_BARRIER, "waits in the barrier at the end of sections"},
	{"GOMP_single_copy_start", FG_REASON_BARRIER, "waits for the copyprivate data of a single construct"},
	{"GOMP_single_copy_end", FG_REASON_BARRIER, "waits in the barrier of a single construct with copyprivate"},
	{"GOMP_workshare_task_reduction", FG_REASON_BARRIER,
	 "waits in the barrier at the end of a construct with task reductions"},
	{"GOMP_parallel", FG_REASON_END, "has reached the end of the region"},
	{"GOMP_teams", FG_REASON_END, "has reached the end of the region"},
	{"GOMP_target", FG_REASON_END, "has reached the end of the target region"},
	{"GOMP_taskwait_depend", FG_REASON_WAITS, "waits for the tasks that a taskwait depends on"},
	{"GOMP_taskwait", FG_REASON_WAITS, "waits for its child tasks, in a taskwait"},
	{"GOMP_taskgroup_end", FG_REASON_WAITS, "waits for the tasks of a taskgroup"},
	{"GOMP_taskloop", FG_REASON_WAITS, "waits for the tasks of a taskloop"},
	{"GOMP_taskyield", FG_REASON_WAITS, "gives way in a taskyield"},
	{"GOMP_task", FG_REASON_WAITS, "makes a task, and waits for others first"},
	{"GOMP_critical", FG_REASON_WAITS, "waits for"},
	{"GOMP_atomic", FG_REASON_WAITS, "waits for"},
	{"omp_set_lock", FG_REASON_WAITS, "waits for"},
	{NEST, FG_REASON_WAITS, "waits for"},
	{"GOMP_ordered", FG_REASON_WAITS, "waits for its turn in an ordered loop"},
	{"GOMP_loop_ordered", FG_REASON_WAITS, "waits for its turn in an ordered loop"},
	{"GOMP_loop_ull_ordered", FG_REASON_WAITS, "waits for its turn in an ordered loop"},
	{"GOMP_doacross", FG_REASON_WAITS, "waits for another iteration of a doacross loop"},
};

static const struct call *
call_named(const char *name)
{
	for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
		if (strncmp(name, calls[i].name, strlen(calls[i].name)) == 0)
			return &calls[i];
	return NULL;
}

/* Most members stand in the same functions, so each of these is looked up once. */
#define MET 256
static struct {
	uintptr_t function;
	const struct call *call;
} met[MET];

static const struct call *
call_exported(uintptr_t function)
{
	char name[100];
	unsigned at = (unsigned)(function >> 4) % MET;
	if (met[at].function != function) {
		met[at].function = function;
		met[at].call = fg_place_exported(function, name, sizeof name) ? call_named(name) : NULL;
	}
	return met[at].call;
}

/* Returns the program's innermost call that has not returned, as far as it is a call of the runtime. *at is its place
 * among the functions. */
static const struct call *
call_of(const struct fg_place *place, unsigned *at)
{
	for (*at = 0; *at < place->n_functions; ++*at) {
		const struct call *call = call_exported(place->function[*at]);
		if (call)
			return call;
	}
	for (unsigned k = 0; k < fg_library->n_calls; k++) {
		int i = fg_place_within(place, fg_library->calls[k].function);
		*at = (unsigned)i;
		if (i >= 0)
			return call_named(fg_library->calls[k].name);
	}
	return NULL;
}

/* True: the last statement of the program's function is the call, and has become a jump. So the function has left its
 * stack, and the place that was found lies behind the call in its caller. */
static bool
was_jumped_to(const struct fg_post *post)
{
	const struct fg_place *place = &post->stand.place;
	unsigned at;
	const struct call *call = call_of(place, &at);
	if (!call || call->reason == FG_REASON_END)
		return false;
	if (!place->pc)
		return true;
	return post->number == 0 && fg_place_within(place, fg_library->region) > (int)at;
}

/* True: the member of a flat team is among those of its worker's crew that have not had their turn since the last
 * barrier. */
FG_READS_HINTS static bool
has_no_turn(const struct fg_identity *thread)
{
	const struct fg_crew *crew = &thread->crew_of->crew;
	const struct fg_identity *at = crew->next;
	for (unsigned i = fg_load_relaxed(&crew->waiting); at && i > 0; i--, at = at->in_crew.next)
		if (at == thread)
			return true;
	return false;
}

/* True: the member's worker has taken up the team's region. */
FG_READS_HINTS static bool
crew_began(const struct fg_post *post)
{
	const struct fg_worker *worker = post->identity->crew_of;
	const struct fg_worker *primary = fg_root_worker(post->team->primary->root);
	return worker && worker->crew.root == primary->crew.root && worker->crew.region == primary->crew.region;
}

/* True: the stand is in the member's body, not before it or behind its end. It is also true where that is not known. */
static bool
is_in_body(const struct fg_stand *stand)
{
	unsigned at;
	return stand->place.pc || !stand->place.end || call_of(&stand->place, &at);
}

FG_READS_HINTS static enum fg_reason
of_docked(const struct fg_post *post)
{
	const struct fg_stand *stand = &post->stand;
	if (!crew_began(post))
		return FG_REASON_UNBORN;
	bool no_turn = stand->kind == FG_STAND_SUSPENDED && has_no_turn(post->identity);
	if (is_in_body(stand))
		return no_turn ? FG_REASON_READY : FG_REASON_NONE;
	return no_turn ? FG_REASON_UNBORN : FG_REASON_END;
}

FG_READS_HINTS static enum fg_reason
of_kernel_team(const struct fg_post *post)
{
	const struct fg_births *births = &post->team->births;
	const struct fg_past *past = &fg_parts(post->identity->worker)->past;
	bool noted = fg_load_relaxed(&past->births) == births && past->member == post->number &&
		     fg_load_relaxed(&past->region) == births->rejoin.region;
	return noted ? FG_REASON_END : FG_REASON_UNBORN;
}

/* True: the member has used CPU time of late. It computes, or would if it had a CPU, or does something in between. */
static bool
is_busy(const struct fg_stand *stand)
{
	return (stand->kind == FG_STAND_RUNS || stand->kind == FG_STAND_AWAY) &&
	       (stand->kernel.state == FG_KERNEL_RUNS || !stand->at_rest);
}

static enum fg_reason
of_absent(const struct fg_post *post)
{
	if (post->number == 0)
		return FG_REASON_NONE;
	if (post->team->mode == FG_TEAM_DOCKED)
		return of_docked(post);
	return post->team->mode == FG_TEAM_KERNEL && !is_in_body(&post->stand) ? of_kernel_team(post) : FG_REASON_NONE;
}

void
fg_reason_find(struct fg_post *post)
{
	const struct fg_stand *stand = &post->stand;
	unsigned at;
	post->reason = post->inner ? FG_REASON_INNER : of_absent(post);
	if (post->reason != FG_REASON_NONE || (post->number && !is_in_body(stand)))
		return;
	const struct call *call = call_of(&stand->place, &at);
	if (stand->kind == FG_STAND_READY && !stand->place.futex)
		post->reason = FG_REASON_READY;
	else if (is_busy(stand))
		post->reason = FG_REASON_COMPUTES;
	else
		post->reason = call ? call->reason : FG_REASON_WAITS;
}

static void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void
append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;
	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

static void
owner_text(const struct fg_post *owner, const struct fg_post *post, char *text, size_t size)
{
	if (!owner)
		append(text, size, ", held by somebody outside of these regions");
	else if (owner == post)
		append(text, size, ", which it holds itself");
	else if (owner->team == post->team)
		append(text, size, ", held by member %u", owner->number);
	else
		append(text, size, ", held by member %u of a region %s", owner->number,
		       owner->team->level < post->team->level ? "around" : "elsewhere");
}

/* True: the thread's current task has this number, or (OpenMP 2.5) the thread itself has it. The task may be gone. */
FG_READS_HINTS static bool
is_owner(const struct fg_identity *thread, uint64_t id)
{
	struct fg_task task;
	if (thread->thread.lock_owner == id || (uintptr_t)thread == id)
		return true;
	return thread->thread.task && fg_peek((uintptr_t)thread->thread.task, &task, sizeof task) &&
	       task.lock_owner == id;
}

/* Finds the owner's innermost place. NULL: the owner is not known. */
static const struct fg_post *
find_owner(const struct fg_post *posts, unsigned n_posts, uint64_t id)
{
	for (unsigned i = 0; i < n_posts; i++)
		if (!posts[i].inner && is_owner(posts[i].identity, id))
			return &posts[i];
	return NULL;
}

static void
nest_lock_text(const struct fg_post *post, const struct fg_post *posts, unsigned n_posts, char *text, size_t size)
{
	struct fg_nest_lock lock;
	if (!fg_peek((uintptr_t)post->stand.address, &lock, sizeof lock))
		return;
	uint64_t id = fg_load_relaxed(&lock.owner);
	if (id)
		owner_text(find_owner(posts, n_posts, id), post, text, size);
	else
		append(text, size, ", which nobody holds now");
}

static void
plain_lock_text(const struct fg_post *post, const struct fg_post *posts, unsigned n_posts, char *text, size_t size)
{
	struct fg_lock lock;
	if (!fg_peek((uintptr_t)post->stand.address, &lock, sizeof lock))
		return;
	uint64_t id = fg_library->lock_owner_of(post->stand.address);
	if (fg_lock_is_free(fg_load_relaxed(&lock.state)))
		append(text, size, ", which nobody holds now");
	else if (id)
		owner_text(find_owner(posts, n_posts, id), post, text, size);
}

#define CRITICAL ".gomp_critical_user_"

/* Writes "the lock at 0x4040 (name)" or "critical (name)", and its owner. */
static void
lock_text(bool nest, const struct fg_post *post, const struct fg_post *posts, unsigned n_posts, char *text, size_t size)
{
	char name[200];
	const void *lock = post->stand.address;
	if (!lock) {
		append(text, size, " a lock");
		return;
	}
	bool named = fg_place_variable((uintptr_t)lock, name, sizeof name);
	if (lock == fg_library->critical_lock)
		append(text, size, " the critical construct without a name");
	else if (lock == fg_library->atomic_lock)
		append(text, size, " an atomic construct");
	else if (named && strncmp(name, CRITICAL, strlen(CRITICAL)) == 0)
		append(text, size, " critical (%s)", name + strlen(CRITICAL));
	else
		append(text, size, named ? " the %slock at %p (%s)" : " the %slock at %p", nest ? "nest " : "", lock,
		       name);
	(nest ? nest_lock_text : plain_lock_text)(post, posts, n_posts, text, size);
}

/* A mutex of the C library has its owner's kernel thread in the third word. That is the thread of the owner's own
 * pthread. */
static void
mutex_text(uintptr_t futex, const struct fg_post *post, const struct fg_post *posts, unsigned n_posts, char *text,
	   size_t size)
{
	int32_t words[3];
	if (!fg_peek(futex, words, sizeof words) || words[2] <= 0)
		return;
	for (unsigned i = 0; i < n_posts; i++)
		if (!posts[i].inner && posts[i].identity->tid == words[2]) {
			owner_text(&posts[i], post, text, size);
			return;
		}
	append(text, size, ", held by the thread %d", words[2]);
}

static void
futex_text(const struct fg_post *post, const struct fg_post *posts, unsigned n_posts, char *text, size_t size)
{
	char call[100];
	bool named = fg_place_entry(&post->stand.place, call, sizeof call);
	uintptr_t futex = post->stand.place.futex ? post->stand.place.futex : post->stand.kernel.argument;
	append(text, size, "waits in %s, for the futex at 0x%lx", named ? call : "the C library", (unsigned long)futex);
	if (named && strstr(call, "mutex_lock"))
		mutex_text(futex, post, posts, n_posts, text, size);
}

static void
system_call_text(const struct fg_post *post, const struct fg_post *posts, unsigned n_posts, char *text, size_t size)
{
	const struct fg_kernel_thread *kernel = &post->stand.kernel;
	char call[100];
	const char *name = fg_kernel_call_name(kernel->call);
	bool named = fg_place_entry(&post->stand.place, call, sizeof call);
	if (fg_futex_is_call(kernel->call)) {
		futex_text(post, posts, n_posts, text, size);
		return;
	}
	if (kernel->call < 0)
		append(text, size, "waits in the kernel, in no system call");
	else if (name)
		append(text, size, "is in the system call %s", name);
	else
		append(text, size, "is in the system call number %ld", kernel->call);
	if (named && !(name && strcmp(name, call) == 0))
		append(text, size, ", called by %s", call);
}

static void
waiting_text(const struct fg_post *post, const struct fg_post *posts, unsigned n_posts, char *text, size_t size)
{
	const struct fg_stand *stand = &post->stand;
	unsigned at;
	const struct call *call = call_of(&stand->place, &at);
	char name[100];
	bool runs = stand->kind == FG_STAND_RUNS || stand->kind == FG_STAND_AWAY;
	if (call) {
		append(text, size, "%s", call->text);
		if (strcmp(call->text, "waits for") == 0)
			lock_text(strcmp(call->name, NEST) == 0, post, posts, n_posts, text, size);
	} else if (stand->place.futex) {
		futex_text(post, posts, n_posts, text, size);
	} else if (runs && !stand->inside && stand->kernel.state == FG_KERNEL_CALL) {
		system_call_text(post, posts, n_posts, text, size);
	} else if (runs && !stand->inside) {
		append(text, size, "does something that is not known");
	} else if (fg_place_entry(&stand->place, name, sizeof name)) {
		append(text, size, "waits in %s", name);
	} else {
		append(text, size, "waits in the runtime");
	}
}

void
fg_reason_text(const struct fg_post *post, const struct fg_post *posts, unsigned n_posts, char *text, size_t size)
{
	char name[300];
	const struct fg_place *place = &post->stand.place;
	text[0] = '\0';
	switch (post->reason) {
	case FG_REASON_NONE:
		return;
	case FG_REASON_UNBORN:
		append(text, size, "has not begun");
		return;
	case FG_REASON_COMPUTES:
		append(text, size, post->stand.inside ? "computes, in the runtime at the moment" : "computes");
		break;
	case FG_REASON_READY:
		append(text, size, "is ready to run, and waits for its turn");
		break;
	case FG_REASON_INNER:
		append(text, size, "is in a region of its own");
		return;
	case FG_REASON_END:
		append(text, size, "has reached the end of the region");
		return;
	case FG_REASON_BARRIER:
	case FG_REASON_WAITS:
		waiting_text(post, posts, n_posts, text, size);
	}
	if (post->identity->thread.task)
		append(text, size, ", in an explicit task");
	if (was_jumped_to(post)) {
		fg_place_name((uintptr_t)post->team->fn, false, name, sizeof name);
		append(text, size, ", at the end of %s", name);
		return;
	}
	if (!place->pc)
		return;
	fg_place_name(place->pc, place->called, name, sizeof name);
	append(text, size, ", %s %s", place->near ? "near" : "in", name);
	if (!place->caller)
		return;
	fg_place_name(place->caller, true, name, sizeof name);
	append(text, size, ", called from %s", name);
}
