/* Identities (floor: exec): see identity.h. */
#define _GNU_SOURCE
#include "exec/thread/identity.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/carrier.h"
#include "base/spinlock.h"
#include "exec/ground/above.h"
#include "exec/ground/options.h"
#include "platform/process.h"
#include "platform/pthread.h"
#include "platform/stack.h"

/* The number of threads that read identities which may end. A reader counts itself, makes a full fence, and reads
 * `current` of a worker. The thread that ends donors takes them out of the common pool, makes a full fence, and reads
 * the count. A donor comes into the pool after it has left `current` of its worker. So of a reader and that thread, at
 * least one sees the other: a reader that comes too late to be counted finds another identity in `current`. */
static struct fg_atomic_u32 readers;

void
fg_identities_read(void)
{
	fg_add_relaxed(&readers, 1);
	fg_fence_seq_cst();
}

void
fg_identities_read_end(void)
{
	assert(fg_load_stable(&readers) > 0);
	fg_sub_acq_rel(&readers, 1);
}

#define UNREAD_LOOKS 100
#define UNREAD_NS 100000

bool
fg_identities_unread(void)
{
	struct fg_atomic_u32 nap = {0};
	fg_fence_seq_cst();
	for (unsigned i = 0; fg_load_acquire(&readers); i++) {
		if (i >= UNREAD_LOOKS)
			return false;
		fg_carrier->wait(&nap, 0, UNREAD_NS);
	}
	return true;
}

void
fg_identities_after_fork(void)
{
	fg_store_relaxed(&readers, 0);
}

#define STACK_DEFAULT (8ul << 20)
#define STACK_MIN (64ul << 10)

size_t
fg_identity_stack_size(void)
{
	size_t size = fg_exec_options.stack_size;
	if (!size) {
		size_t limit = fg_stack_limit();
		size = limit && limit != SIZE_MAX ? limit : STACK_DEFAULT;
	}
	return size < STACK_MIN ? STACK_MIN : size;
}

#define ONE_FRAME 4096

void
fg_identity_stands_here(struct fg_identity *self)
{
	self->stack.high = (uintptr_t)__builtin_frame_address(0) + ONE_FRAME;
	self->stack.low = self->stack.high - fg_identity_stack_size();
	assert(self->stack.low < self->stack.high);
}

extern void *__libc_stack_end;
#define STACK_MAX (1ul << 30) /* for a thread without a limit */

/* The initial thread's stack grows, so its lower end is at its limit. The C library would read /proc to find it. */
static void
stand_of_initial(struct fg_identity *self)
{
	size_t limit = fg_stack_limit();
	self->stack.high = (uintptr_t)__libc_stack_end + ONE_FRAME;
	self->stack.low = self->stack.high - (limit < STACK_MAX ? limit : STACK_MAX);
	assert(self->stack.low < self->stack.high);
}

void
fg_identity_stands_in_program(struct fg_identity *self)
{
	size_t size;
	self->stack.low = self->stack.high = 0;
	if (self->tid == fg_process_id())
		stand_of_initial(self);
	else if (fg_pthread_stack(&self->stack.low, &size))
		self->stack.high = self->stack.low + size;
}

bool
fg_identity_is_on_own_stack(const struct fg_identity *self, uintptr_t sp)
{
	return sp >= self->stack.low && sp < self->stack.high;
}
