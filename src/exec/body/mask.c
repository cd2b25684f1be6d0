/* Mask (floor: exec): see mask.h. */
#define _GNU_SOURCE
#include "exec/body/mask.h"

#include <errno.h>
#include <string.h>
#include <ucontext.h>

#include "exec/body/alternate.h"
#include "exec/thread/facts.h"
#include "exec/thread/identity.h"
#include "exec/thread/worker_parts.h"

void
fg_mask_learn(struct fg_worker *worker)
{
	fg_parts(worker)->mask = fg_mask_now();
}

static uint64_t
wanted(const struct fg_identity *thread, const struct fg_worker *worker)
{
	return thread->signals.follows & FG_MASK_OWN ? thread->signals.mask : fg_parts(worker)->mask;
}

uint64_t
fg_mask_of(const struct fg_identity *thread)
{
	return wanted(thread, thread->worker);
}

static void
note(struct fg_identity *self, uint64_t mask)
{
	self->signals.mask = mask;
	if (mask == fg_parts(self->worker)->mask)
		self->signals.follows &= (uint8_t)~FG_MASK_OWN;
	else
		self->signals.follows |= FG_MASK_OWN;
}

/* On a switch out of the handler that preempts, all signals stay blocked until the next context has been reached. */
void
fg_mask_switch(struct fg_identity *self, struct fg_identity *next, const struct fg_worker *worker)
{
	assert(self == fg_self());
	if ((self->signals.follows | next->signals.follows) & FG_ALTERNATE_OWN)
		fg_alternate_switch(self, next);
	if (self->signals.follows & FG_MASK_FRAME)
		return;
	uint64_t mask = next->signals.follows & FG_MASK_FRAME ? FG_MASK_HANDLER : wanted(next, worker), now;
	fg_kernel_mask_change(SIG_SETMASK, &mask, &now);
	note(self, now);
}

void
fg_mask_arrive(const struct fg_identity *now)
{
	assert(now == fg_self());
	if (!(now->signals.follows & FG_MASK_FRAME))
		fg_mask_set(fg_mask_of(now));
}

void
fg_mask_part(struct fg_identity *self)
{
	uint64_t all = FG_MASK_ALL, now;
	assert(self == fg_self());
	fg_kernel_mask_change(SIG_SETMASK, &all, &now);
	note(self, now);
	fg_alternate_part(self);
}

void
fg_mask_return(struct fg_identity *self)
{
	assert(self == fg_self());
	note(self, fg_mask_now());
}

uint64_t
fg_mask_in_frame(const void *signal_context)
{
	uint64_t mask;
	memcpy(&mask, &((const ucontext_t *)signal_context)->uc_sigmask, sizeof mask);
	return mask;
}

void
fg_mask_put_in_frame(void *signal_context, uint64_t mask)
{
	memcpy(&((ucontext_t *)signal_context)->uc_sigmask, &mask, sizeof mask);
}

/* Outside of regions the thread of the program sets the mask of all threads that its kernel thread carries. If a
 * spare has taken the caller's worker, the caller keeps its kernel thread for itself until it comes back. It needs no
 * note until then, because fg_mask_part and fg_mask_return read the mask of that kernel thread. */
static void
note_change(struct fg_identity *self, uint64_t mask)
{
	if (fg_is_taken(self))
		return;
	if (fg_root_is_outside(self))
		fg_parts(self->worker)->mask = mask;
	note(self, mask);
}

static uint64_t
changed(int how, uint64_t now, uint64_t set)
{
	return how == SIG_BLOCK ? now | set : how == SIG_UNBLOCK ? now & ~set : set;
}

/* The note comes first, because a signal that is let in may have a handler that never comes back here. Until both
 * steps are done, the note and the mask differ. So the caller is not preempted, because has_own_mask (preempt.c)
 * compares the two. (It adopts a mask only after several ticks that found the same one.) A handler of the program that
 * interrupted the runtime is no member. Its mask ends with it. */
int
fg_mask_change(int how, const sigset_t *set, sigset_t *old)
{
	struct fg_identity *self = fg_self();
	uint64_t mask = 0, was = fg_mask_now();
	bool member = self && !fg_own_load_relaxed(&self->in_runtime);
	if (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
		return EINVAL;
	if (set)
		memcpy(&mask, set, sizeof mask);
	if (how != SIG_UNBLOCK) /* the kernel drops the last two, and the note must be what it has */
		mask &= ~(FG_MASK_LIBRARY | UINT64_C(1) << (SIGKILL - 1) | UINT64_C(1) << (SIGSTOP - 1));
	if (old) {
		memset(old, 0, sizeof *old);
		memcpy(old, &was, sizeof was);
	}
	if (!set)
		return 0;
	if (member)
		note_change(self, changed(how, was, mask));
	fg_signal_fence();
	return fg_kernel_mask_change(how, &mask, NULL);
}
