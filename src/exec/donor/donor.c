/* Donors (floor: exec): see donor.h. */
#define _GNU_SOURCE
#include "exec/donor/donor.h"

#include <errno.h>
#include <pthread.h>

#include "base/carrier.h"
#include "exec/body/alternate.h"
#include "exec/body/glibc.h"
#include "exec/body/kernel_thread.h"
#include "exec/body/stack_overflow.h"
#include "exec/donor/donor_pool.h"
#include "exec/ground/above.h"
#include "exec/ground/hooks.h"
#include "exec/thread/identity.h"
#include "platform/futex.h"
#include "platform/kernel_mask.h"
#include "platform/nearby.h"
#include "platform/pthread.h"
#include "platform/rseq.h"
#include "platform/sandbox.h"
#include "platform/stack.h"
#include "platform/thread.h"

/* A donor's count of members begins where no other's comes, because a new donor may lie where one has ended. */
#define SERVED_BITS 40

struct fg_donors fg_donors = {.rseq_once = PTHREAD_ONCE_INIT};

/* The words between a donor and its maker, in the note of its stack. The kernel thread waits on the word until
 * the donor must end. */
struct birth_note {
	struct fg_stack stack;
	union {
		struct fg_identity *identity;
		struct birth_note *next; /* in the list of donors that were told to end */
	};
	struct fg_atomic_u32 parked; /* not 0 once the pthread is parked and the context may be used; 2: it must end */
	union {
		uint32_t number; /* of the donor, until its pthread runs */
		int tid;
	};
};
_Static_assert(sizeof(struct birth_note) <= FG_STACK_NOTE, "stack.h keeps too little room");

static struct birth_note *
note_of(const struct fg_stack *stack)
{
	return (struct birth_note *)(stack->low + stack->size);
}

/* The identity is a variable of the pthread's first own frame, which never returns. So it lies in a page that is
 * touched anyway. A leak checker looks from the position of the kernel thread, at the far end of the stack, upwards.
 * So it sees the identity and all memory that members keep. The threads that the donor carries run right below this
 * frame, where an address sanitizer must not expect other variables. */
__attribute__((no_sanitize("address"))) static void *
donor_main(void *arg)
{
	struct birth_note *note = arg;
	_Alignas(64) struct fg_identity here = {.kind = FG_DONOR, .in_runtime = {1}};
	struct fg_identity *identity = &here;
	fg_stack_overflow_room(NULL);
	fg_mask_set(FG_MASK_ALL);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	fg_rseq_unregister();
	if (fg_sandbox_allows(FG_SANDBOX_NAMES))
		fg_pthread_name("fg-identity");
	identity->served = (uint64_t)note->number << SERVED_BITS;
	identity->tid = note->tid = fg_thread_id();
	identity->note = note;
	fg_self_pointer = identity;
	if (fg_watched())
		fg_watch(identity, false);
	fg_glibc_member(identity);
	identity->context.tls = fg_context_tls();
	identity->stack.low = (uintptr_t)note->stack.low;
	identity->stack.high = identity->stack.low + note->stack.size;
	note->identity = identity;
	fg_tsan_release(&note->parked);
	fg_context_park((uint32_t *)&note->parked, 1, note->stack.parking, &identity->context);
}

static int
donor_start(struct fg_stack *stack, pthread_t *thread)
{
	uint32_t number = fg_add_relaxed(&fg_donors.made, 1);
	int error = fg_stack_map(stack, fg_identity_stack_size(), number);
	if (error)
		return error;
	struct birth_note *note = note_of(stack);
	note->stack = *stack;
	note->number = number; /* the donor itself must count nothing: on a simulated machine it runs on no PU */
	error = fg_pthread_make_on(thread, stack->low, stack->size, donor_main, note);
	if (error)
		fg_stack_unmap(stack);
	return error;
}

/* The first thing that a donor of the stock does, if the process wants all its memory locked. */
static void
carry_locked(void)
{
	fg_stack_lock(&fg_self()->note->stack);
	fg_exec_hooks.carry();
}

static struct fg_identity *
donor_await(struct fg_stack *stack, void (*entry)(void))
{
	struct birth_note *note = note_of(stack);
	while (!fg_load_acquire(&note->parked))
		fg_futex_wait(&note->parked, 0, 0);
	fg_tsan_acquire(&note->parked);
	fg_glibc_setxid();
	struct fg_identity *identity = note->identity;
	assert(identity->kind == FG_DONOR && identity->note == note && !identity->worker);
	if (note->stack.to_lock && entry == fg_exec_hooks.carry)
		entry = carry_locked;
	else if (note->stack.to_lock) /* a donor that is not for the stock */
		fg_stack_lock(&note->stack);
	fg_context_make(&identity->context, identity, identity->context.tls, entry);
	fg_exec_above.made(identity);
	return identity;
}

static void
donor_prepare(void)
{
	assert(fg_lock_order_none("makes a pthread with"));
	pthread_once(&fg_donors.rseq_once, fg_rseq_find);
	fg_stack_overflow_install();
	fg_alternate_prepare(fg_self());
}

struct fg_identity *
fg_donor_new(void (*entry)(void))
{
	struct fg_stack stack;
	struct fg_nearby nearby;
	pthread_t thread;
	assert(!fg_self() || !fg_load_stable(&fg_self()->in_runtime));
	donor_prepare();
	int error = donor_start(&stack, &thread);
	if (error) {
		errno = error;
		return NULL;
	}
	fg_nearby_pull(&nearby, thread);
	struct fg_identity *identity = donor_await(&stack, entry);
	fg_nearby_let_go(&nearby, thread);
	return identity;
}

static void
donor_exit(void)
{
	fg_tsan_acquire(&fg_self()->note->parked);
	fg_kernel_thread_exit();
}

/* The C library ends a pthread on the upper end of its stack. So after the wake the identity does not exist any
 * more. */
static void
donor_end(struct fg_identity *identity)
{
	struct birth_note *note = identity->note;
	assert(identity->kind == FG_DONOR && note->identity == identity && fg_load_stable(&note->parked) == 1);
	assert(!fg_load_stable(&identity->entity.holder) && !identity->park.on);
	fg_exec_above.forget(identity);
	fg_context_make(&identity->context, identity, identity->context.tls, donor_exit);
	note->next = fg_donors.ending;
	fg_donors.ending = note;
	fg_tsan_release(&note->parked);
	fg_store_release(&note->parked, 2);
	fg_futex_wake(&note->parked, 1);
}

/* Gives back the memory of those that have ended. One may take long, because destructors of the program may wait for
 * its locks. Then it stays in the list. */
static void
bury(unsigned steps)
{
	struct birth_note **link = &fg_donors.ending;
	while (*link) {
		struct birth_note *note = *link;
		if (!fg_kernel_thread_gone(note->tid, steps)) {
			link = &note->next;
			continue;
		}
		*link = note->next;
		struct fg_stack stack = note->stack;
		fg_stack_unmap(&stack);
	}
}

static void
end_list(struct fg_identity *list)
{
	for (struct fg_identity *next; list; list = next) {
		next = list->next;
		donor_end(list);
	}
}

void
fg_donor_end_all(struct fg_identity *list)
{
	end_list(list);
	bury(FG_GONE_STEPS);
}

/* Another thread may still read the identity of a free donor, between fg_identities_read and fg_identities_read_end. So
 * unused donors end only when fg_identities_unread says that none does. */
bool
fg_donor_end_unused(unsigned kept)
{
	bool more;
	if (!fg_sandbox_allows(FG_SANDBOX_SIGNALS) || !fg_thread_may_end())
		return true;
	struct fg_identity *list = fg_donor_pool_common_unused(kept, &more);
	bury(1);
	if (list && !fg_identities_unread())
		fg_donor_pool_common_add(list);
	else
		end_list(list);
	return more || fg_donors.ending;
}

/* On busy PUs the kernel lets a new thread wait for some milliseconds. So all pthreads are started first, and wait
 * at the same time. */
bool
fg_donor_stock(unsigned wanted)
{
	struct birth_note *started[FG_STOCK_MAX];
	struct fg_stack stack;
	pthread_t thread;
	assert(wanted <= FG_STOCK_MAX);
	unsigned there = fg_donor_pool_stocked(), count = 0;
	if (there < wanted)
		donor_prepare();
	while (there + count < wanted && count < FG_STOCK_MAX && donor_start(&stack, &thread) == 0)
		started[count++] = note_of(&stack);
	for (unsigned i = 0; i < count; i++) {
		struct fg_identity *identity = donor_await(&started[i]->stack, fg_exec_hooks.carry);
		identity->next = NULL;
		fg_donor_pool_common_add(identity);
	}
	return there + count >= wanted;
}

#define REFUSED_NS 2000000 /* the system is asked again no sooner than so long after a refusal */

static bool
is_refused(void)
{
	uint64_t until = fg_load_relaxed(&fg_donors.refused_until);
	return until && fg_carrier->now() < until;
}

#define SHORT_NS 1000000000 /* for so long after a refusal, a region counts on no more donors than there are */

unsigned
fg_donor_expect_slow(struct fg_identity *self, unsigned wanted)
{
	bool none = !fg_donor_pool_count(self->worker) && !fg_donor_reserve(self);
	uint64_t until = fg_load_relaxed(&fg_donors.refused_until);
	if (!none && (!until || fg_carrier->now() > until + SHORT_NS))
		return wanted;
	unsigned there = fg_donor_pool_count(self->worker) + fg_donor_pool_stocked();
	return there < wanted ? there : wanted;
}

bool
fg_donor_reserve(struct fg_identity *self)
{
	assert(self == fg_self() && fg_load_stable(&self->in_runtime));
	while (!fg_donor_pool_count(self->worker)) {
		fg_alternate_prepare(self);
		if (fg_donor_pool_restock(self->worker))
			break;
		/* A malloc of the program may wait for a lock, called by pthread_create. To make a donor for that wait
		 * would call it again. So that wait goes on as where the system has refused a thread. */
		if (is_refused() || self->makes_donor)
			return false;
		int saved = errno;
		/* The caller is outside here, because pthread_create may need a lock that a preempted thread of this
		 * worker holds. */
		self->makes_donor = true;
		fg_leave(self);
		struct fg_identity *identity = fg_donor_new(fg_exec_hooks.carry);
		fg_enter(self);
		self->makes_donor = false;
		errno = saved;
		if (!identity) {
			fg_store_relaxed(&fg_donors.refused_until, fg_carrier->now() + REFUSED_NS);
			continue;
		}
		identity->worker = self->worker;
		fg_donor_pool_put(identity);
	}
	return true;
}

void
fg_donor_after_fork(void)
{
	fg_donors.ending = NULL;
}
