/* Glibc (floor: exec): see glibc.h. docs/threads.md tells what is left to the user. */
#define _GNU_SOURCE
#include "exec/body/glibc.h"

#include <pthread.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/log.h"
#include "exec/ground/hooks.h"
#include "exec/thread/identity.h"
#include "platform/rseq.h"
#include "platform/setxid.h"
#include "platform/thread.h"

#define ENDING_STEP_NS 10000000

static struct {
	pthread_key_t key;
	pthread_once_t once;
	bool key_made;
	struct fg_atomic_u32 told;
} found = {.once = PTHREAD_ONCE_INIT};

/* The C library unwinds a pthread that ends down to the pthread's own first frame. A donor, too, still has this
 * frame on its stack. There the C library calls this destructor, on any kernel thread that carries the donor.
 * Pthreads of the runtime otherwise end only where the runtime says so (fg_glibc_end). */
static void
ended(void *identity)
{
	(void)identity;
	fg_glibc_refuse_end();
}

/* If several threads end at once, there is one message. */
void
fg_glibc_refuse_end(void)
{
	while (fg_exchange_acq_rel(&found.told, 1))
		fg_thread_sleep(ENDING_STEP_NS);
	fg_fatal("A thread was ended inside a parallel region (pthread_exit), which then could never end; let it leave "
		 "the region first, or call exit to end the program");
}

static void
key_make(void)
{
	found.key_made = pthread_key_create(&found.key, ended) == 0;
}

void
fg_glibc_member(struct fg_identity *self)
{
	pthread_once(&found.once, key_make);
	if (found.key_made)
		pthread_setspecific(found.key, self);
}

void
fg_glibc_end(void)
{
	if (found.key_made)
		pthread_setspecific(found.key, NULL);
}

void
fg_glibc_leave_home(struct fg_identity *self)
{
	assert(self == fg_self() && self->at_home && self->kind == FG_HOME);
	self->at_home = false;
	fg_rseq_unregister();
}

void
fg_glibc_setxid(void)
{
	fg_setxid_guard(fg_exec_hooks.own_tls);
}
