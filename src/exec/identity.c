/* Donors: making them, parking them, and the pools of free ones (floor: exec; called by worker.c, birth.c, dock.c).
 *
 * A worker's own pool is touched by its own threads only. The common pool takes what a worker has too much of: threads that are
 * suspended on one worker and finish on another would drain the one and flood the other. */
#define _GNU_SOURCE
#include "exec/identity.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/spinlock.h"
#include "exec/guards.h"
#include "exec/options.h"
#include "exec/worker.h"
#include "platform/futex.h"
#include "platform/rseq.h"

#define POOL_MAX 64
#define STACK_DEFAULT (8ul << 20)
#define STACK_MIN (64ul << 10)
#define PARKING_ROOM                                                                                                   \
	8192 /* plus what a signal frame needs: glibc's setuid signal arrives where the kernel thread stands */

__thread struct fg_identity *fg_self_pointer __attribute__((tls_model("initial-exec")));

static struct fg_spinlock common_lock;
static struct fg_identity *common_pool;
static struct fg_atomic_u32 colour;

static pthread_once_t rseq_once = PTHREAD_ONCE_INIT;

static void *
donor_main(void *arg)
{
	struct fg_identity *identity = arg;
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	fg_rseq_unregister();
	pthread_setname_np(pthread_self(), "fg-identity");
	identity->tid = (int)syscall(SYS_gettid);
	fg_self_pointer = identity;
	fg_guard_member(identity);
	/* Nobody returns to these frames: members start right here, and the kernel thread stands at the far end of the stack. So a
	 * leak checker, which looks from where that stands upwards, sees all that members keep there. */
	identity->stack_high = (char *)((uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)15);
	identity->context.tls = fg_context_tls();
	uintptr_t stand = (uintptr_t)identity->stack.low + PARKING_ROOM + getauxval(AT_MINSIGSTKSZ);
	stand &= ~(uintptr_t)63;
	fg_stack_announce(&identity->stack, (char *)stand);
	fg_tsan_release(&identity->parked);
	fg_context_park((uint32_t *)&identity->parked, 1, (char *)stand);
	return NULL;
}

static size_t
stack_size(void)
{
	struct rlimit limit;
	size_t size = fg_exec_options.stack_size;
	if (!size && getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		size = limit.rlim_cur;
	if (!size)
		size = STACK_DEFAULT;
	return size < STACK_MIN ? STACK_MIN : size;
}

static int
donor_start(struct fg_identity *identity)
{
	pthread_attr_t attr;
	int error = fg_stack_map(&identity->stack, stack_size(), fg_add_relaxed(&colour, 1));
	if (error)
		return error;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, identity->stack.low, identity->stack.size);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_t thread;
	error = pthread_create(&thread, &attr, donor_main, identity);
	pthread_attr_destroy(&attr);
	if (error)
		fg_stack_unmap(&identity->stack);
	return error;
}

struct fg_identity *
fg_identity_donor(void (*entry)(void))
{
	pthread_once(&rseq_once, fg_rseq_find);
	struct fg_identity *identity = aligned_alloc(64, (sizeof *identity + 63) & ~(size_t)63);
	if (!identity)
		return NULL;
	memset(identity, 0, sizeof *identity);
	identity->kind = FG_DONOR;
	identity->in_runtime = 1;
	int error = donor_start(identity);
	if (error) {
		free(identity);
		errno = error;
		return NULL;
	}
	while (!fg_load_acquire(&identity->parked))
		fg_futex_wait(&identity->parked, 0, 0);
	fg_tsan_acquire(&identity->parked);
	fg_guard_setxid();
	fg_context_make(&identity->context, identity->stack_high, identity->context.tls, entry);
	return identity;
}

static struct fg_identity *
common_take(void)
{
	fg_spinlock_lock(&common_lock);
	struct fg_identity *identity = common_pool;
	if (identity)
		common_pool = identity->next;
	fg_spinlock_unlock(&common_lock);
	return identity;
}

struct fg_identity *
fg_identity_get(struct fg_worker *worker)
{
	struct fg_identity *identity = worker->pool;
	if (!identity)
		fg_fatal("Thread creation failed: no free identity left");
	worker->pool = identity->next;
	worker->pool_count--;
	return identity;
}

/* Half of a full pool goes to the common one: never its newest, which its worker may have left this moment. */
static void
spill(struct fg_worker *worker)
{
	struct fg_identity *keep = worker->pool;
	for (unsigned i = 1; i < POOL_MAX / 2; i++)
		keep = keep->next;
	struct fg_identity *first = keep->next, *last = first;
	while (last->next)
		last = last->next;
	keep->next = NULL;
	worker->pool_count = POOL_MAX / 2;
	fg_spinlock_lock(&common_lock);
	last->next = common_pool;
	common_pool = first;
	fg_spinlock_unlock(&common_lock);
}

void
fg_identity_put(void *arg)
{
	struct fg_identity *identity = arg;
	struct fg_worker *worker = identity->worker;
	identity->order.births = NULL;
	identity->next = worker->pool;
	worker->pool = identity;
	if (++worker->pool_count >= POOL_MAX)
		spill(worker);
}

bool
fg_identity_restock(struct fg_worker *worker)
{
	struct fg_identity *identity = common_take();
	if (!identity)
		return false;
	identity->worker = worker;
	fg_identity_put(identity);
	return true;
}

void
fg_identity_stock(void)
{
	fg_spinlock_lock(&common_lock);
	bool enough = common_pool && common_pool->next;
	fg_spinlock_unlock(&common_lock);
	struct fg_identity *identity = enough ? NULL : fg_identity_donor(fg_worker_carry);
	if (!identity)
		return;
	fg_spinlock_lock(&common_lock);
	identity->next = common_pool;
	common_pool = identity;
	fg_spinlock_unlock(&common_lock);
}

bool
fg_identity_reserve(struct fg_identity *self)
{
	while (!self->worker->pool) {
		struct fg_identity *identity = common_take();
		if (!identity) {
			int saved = errno;
			/* Like a call of the program: pthread_create may need a lock that a preempted thread of this worker holds. */
			fg_leave(self);
			identity = fg_identity_donor(fg_worker_carry);
			fg_enter(self);
			int error = errno;
			errno = saved;
			if (!identity)
				fg_fatal("Thread creation failed: %s", strerror(error));
		}
		identity->worker = self->worker;
		fg_identity_put(identity);
	}
	return true;
}

void
fg_identity_after_fork(void)
{
	fg_spinlock_init(&common_lock);
	common_pool = NULL;
}
