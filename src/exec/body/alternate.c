/* Alternate (floor: exec): see alternate.h. */
#define _GNU_SOURCE
#include "exec/body/alternate.h"

#include <errno.h>

#include "exec/ground/hooks.h"
#include "exec/thread/facts.h"
#include "exec/thread/identity.h"
#include "exec/thread/root_state.h"
#include "platform/fault.h"
#include "platform/kernel_mask.h"

static bool
has_own(const struct fg_identity *thread)
{
	return thread->signals.follows & FG_ALTERNATE_OWN;
}

void
fg_alternate_switch(struct fg_identity *self, struct fg_identity *next)
{
	assert(self == fg_self() && (has_own(self) || has_own(next)));
	if (!has_own(next)) {
		fg_alternate_part(self);
		return;
	}
	stack_t was = {.ss_flags = SS_DISABLE};
	fg_fault_alternate(&next->signals.alternate.own, &was);
	next->signals.alternate.below = has_own(self) ? self->signals.alternate.below : was;
	if (has_own(self))
		self->signals.alternate.own = was;
}

/* A bare system call may have set another one. */
void
fg_alternate_part(struct fg_identity *self)
{
	if (has_own(self))
		fg_fault_alternate(&self->signals.alternate.below, &self->signals.alternate.own);
}

void
fg_alternate_forget(struct fg_identity *self)
{
	assert(self == fg_self());
	fg_alternate_part(self);
	self->signals.follows &= (uint8_t)~FG_ALTERNATE_OWN;
}

/* The runtime does not look after a root's own stack. So a root that runs only itself needs no alternate stack. A
 * root that has left its home was here before. */
void
fg_alternate_prepare(struct fg_identity *self)
{
	struct fg_root *root = self ? self->root : NULL;
	assert(fg_lock_order_none("makes a stack for signals with"));
	if (!root || root->may_carry || !self->at_home)
		return;
	root->may_carry = true;
	root->fault_stack = fg_fault_stack(root->fault_stack);
}

static stack_t
of_runtime(const struct fg_root *root)
{
	return root->fault_stack ? (stack_t){.ss_sp = root->fault_stack, .ss_size = FG_FAULT_STACK}
				 : (stack_t){.ss_flags = SS_DISABLE};
}

/* The program has set the stack that the kernel thread has now. */
static bool
is_of_program(const struct fg_identity *self, const stack_t *now)
{
	return has_own(self) || (fg_root_is_at_home(self) && now->ss_sp != self->root->fault_stack);
}

static int
set_of_kernel_thread(const stack_t *stack)
{
	return fg_fault_alternate(stack, NULL) == 0 ? 0 : errno;
}

static int
set_of_member(struct fg_identity *self, const stack_t *stack, const stack_t *now)
{
	int error = set_of_kernel_thread(stack);
	if (error)
		return error;
	if (!has_own(self))
		self->signals.alternate.below = *now;
	self->signals.alternate.own = *stack;
	self->signals.follows |= FG_ALTERNATE_OWN;
	return 0;
}

/* Takes the alternate stack away. If the runtime has a stack of its own there, that one is set again. */
static int
take_away(struct fg_identity *self)
{
	if (!has_own(self) && !fg_root_is_at_home(self))
		return 0;
	stack_t stack = has_own(self) ? self->signals.alternate.below : of_runtime(self->root);
	int error = set_of_kernel_thread(&stack);
	if (error == 0)
		self->signals.follows &= (uint8_t)~FG_ALTERNATE_OWN;
	return error;
}

static int
set(struct fg_identity *self, const stack_t *stack, const stack_t *now)
{
	if (stack->ss_flags & SS_DISABLE)
		return take_away(self);
	bool follows = !fg_root_is_outside(self) || has_own(self);
	int error = follows ? set_of_member(self, stack, now) : set_of_kernel_thread(stack);
	if (error == 0)
		fg_exec_hooks.alternate(stack->ss_size);
	return error;
}

/* The program sees no stack that it has not set. While a handler of the program runs on such a stack, the kernel
 * refuses to change it. With libgomp the stack would be changed, and changed back at the handler's end. */
static int
change(struct fg_identity *self, const stack_t *stack, stack_t *was)
{
	fg_fault_alternate(NULL, was);
	bool of_program = is_of_program(self, was);
	int error = stack ? set(self, stack, was) : 0;
	if (of_program)
		return error;
	*was = (stack_t){.ss_flags = SS_DISABLE};
	return error == EPERM ? 0 : error;
}

/* With all signals blocked the caller stays on its kernel thread, and no handler interrupts it before everything is
 * noted. */
int
fg_alternate_change(const stack_t *stack, stack_t *old)
{
	struct fg_identity *self = fg_self();
	if (!self || fg_own_load_relaxed(&self->in_runtime))
		return fg_fault_alternate(stack, old);
	int saved = errno;
	uint64_t mask = fg_mask_now();
	fg_mask_set(FG_MASK_ALL);
	stack_t was;
	int error = change(self, stack, &was);
	fg_mask_set(mask);
	if (error == 0 && old)
		*old = was;
	errno = error ? error : saved;
	return error ? -1 : 0;
}
