/* Roots (floor: exec): see root.h. */
#define _GNU_SOURCE
#include "exec/roots/root.h"
#include "exec/roots/self.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/carrier.h"
#include "base/log.h"
#include "exec/body/kernel_thread.h"
#include "exec/body/mask.h"
#include "exec/body/seat.h"
#include "exec/body/stack_overflow.h"
#include "exec/donor/donor_pool.h"
#include "exec/ground/above.h"
#include "exec/ground/hooks.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/fault.h"
#include "platform/memory.h"
#include "platform/process.h"
#include "platform/thread.h"

static struct {
	pthread_key_t key;
	pthread_once_t key_once;
	struct fg_spinlock lock;
	/* Roots of ended threads, never freed, because others read a root's worker a little longer. */
	struct fg_root *spare;
	/* Those of the program's threads for which the runtime keeps threads of its own: the initial thread until it
	 * ends, and each other root. When none is left, the process could end, but the runtime's threads would keep it.
	 * So the last one ends these. A thread of the runtime's own may be a root, because a malloc of the program may
	 * use OpenMP. It does not count, or the process would wait for it. */
	struct fg_atomic_u32 lasting;
	struct fg_atomic_u32 initial_over;
	struct fg_atomic_u32 environments;
} roots = {.key_once = PTHREAD_ONCE_INIT, .lock = FG_SPINLOCK_INIT(FG_RANK_POOL), .lasting = {1}};

static const char initial; /* the key's value in an initial thread that is no root */

#define END_TRIES 1000
#define END_NAP_NS 1000000

/* Another thread may open the docks or the gate at this moment, because it ends the threads as well. */
static void
last_ends(void)
{
	struct fg_atomic_u32 nap = {0};
	if (fg_sub_acq_rel(&roots.lasting, 1) != 1)
		return;
	for (unsigned i = 0; i < END_TRIES && fg_load_acquire(&roots.lasting) == 0 && !fg_exec_hooks.end_threads(NULL);
	     i++)
		fg_carrier->wait(&nap, 0, END_NAP_NS);
}

static bool
is_initial(void)
{
	return fg_thread_id() == fg_process_id() && !fg_load_relaxed(&roots.initial_over);
}

/* The root's pthread ends. The next new thread takes the root over, with its worker and the identities of its
 * members. */
static void
root_end(void *arg)
{
	struct fg_root *root = arg;
	struct fg_worker *worker = fg_root_worker(root);
	assert(fg_root_valid(root) && root->identity.tid == fg_thread_id());
	fg_exec_above.forget_root(&root->identity);
	fg_enter_unwatched(&root->identity); /* fg_self_or_root_slow leaves for the next thread */
	fg_donor_pool_return(worker);
	fg_exec_hooks.give_up(root);
	assert(!worker->donors.first && !fg_load_stable(&worker->spare));
	fg_self_pointer = NULL;
	fg_fault_stack_end(root->fault_stack);
	root->identity.tid = worker->tid = 0;
	fg_spinlock_lock(&roots.lock);
	root->next = roots.spare;
	roots.spare = root;
	fg_spinlock_unlock(&roots.lock);
}

static void
thread_end(void *arg)
{
	if (is_initial())
		fg_store_relaxed(&roots.initial_over, 1);
	if (arg != &initial)
		root_end(arg);
	if (!fg_stack_overflow_of_runtime())
		last_ends();
}

void
fg_root_end(void)
{
	struct fg_identity *self = fg_self();
	if (self && self->root)
		thread_end(self->root);
}

static void
key_make(void)
{
	pthread_key_create(&roots.key, thread_end);
}

/* The initial thread may end without having opened a region. */
__attribute__((constructor(105))) static void
initial_begin(void)
{
	pthread_once(&roots.key_once, key_make);
	if (is_initial())
		pthread_setspecific(roots.key, &initial);
}

struct fg_root *
fg_root_unused_take(void)
{
	fg_spinlock_lock(&roots.lock);
	struct fg_root *unused = roots.spare;
	roots.spare = NULL;
	fg_spinlock_unlock(&roots.lock);
	return unused;
}

void
fg_root_unused_give(struct fg_root *unused)
{
	while (unused) {
		struct fg_root *root = unused;
		unused = root->next;
		fg_spinlock_lock(&roots.lock);
		root->next = roots.spare;
		roots.spare = root;
		fg_spinlock_unlock(&roots.lock);
	}
}

static struct fg_root *
root_take(void)
{
	fg_spinlock_lock(&roots.lock);
	struct fg_root *root = roots.spare;
	if (root)
		roots.spare = root->next;
	fg_spinlock_unlock(&roots.lock);
	return root;
}

/* A new thread has the root: the members that are there begin anew. */
static void
environment_begin(struct fg_root *root)
{
	root->environment = fg_add_relaxed(&roots.environments, 1) + 1;
	root->size = 0;
}

static struct fg_root *
root_new(void)
{
	/* not the program's malloc, which may wait for a lock, and come here */
	struct fg_root *root = fg_memory_aligned(128, sizeof(struct fg_whole_root));
	if (!root)
		fg_fatal("Out of memory for a new thread");
	memset(root, 0, sizeof(struct fg_whole_root));
	root->identity.kind = FG_HOME;
	root->identity.root = root;
	root->identity.thread.size = 1;
	fg_levels_start();
	fg_worker_init(fg_root_worker(root), &root->identity, 0, fg_levels_leaf(0));
	assert(fg_root_valid(root));
	return root;
}

struct fg_identity *
fg_self_or_root_slow(void)
{
	if (fg_carrier->meet)
		fg_carrier->meet();
	pthread_once(&roots.key_once, key_make);
	if (!is_initial() && !fg_stack_overflow_of_runtime())
		fg_add_relaxed(&roots.lasting, 1);
	struct fg_root *root = root_take();
	if (!root)
		root = root_new();
	struct fg_worker *worker = fg_root_worker(root);
	assert(root->identity.tid == 0 && !fg_self());
	environment_begin(root);
	root->identity.context.tls = fg_context_tls();
	fg_seat_forget(worker);				     /* the last thread's */
	fg_own_store_release(&root->identity.in_runtime, 0); /* the root's last thread has left it set */
	fg_charge_leave();
	root->identity.at_home = true;
	root->identity.place = worker->place = 0;
	fg_self_pointer = &root->identity;
	fg_kernel_thread_enlist(worker);
	root->identity.signals.follows = 0;
	fg_mask_learn(worker);
	fg_identity_stands_in_program(&root->identity);
	root->may_carry = false;
	pthread_setspecific(roots.key, root);
	return &root->identity;
}

void
fg_root_after_fork(void)
{
	fg_spinlock_init(&roots.lock, FG_RANK_POOL);
	roots.spare = NULL;
	fg_store_relaxed(&roots.lasting, 1); /* the caller is the child's initial thread */
	fg_store_relaxed(&roots.initial_over, 0);
	if (!fg_self())
		pthread_setspecific(roots.key, &initial);
}
