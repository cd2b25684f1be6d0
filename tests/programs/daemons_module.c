/* The scheduler of daemons.c. Its daemon sleeps, locks and allocates; with daemon_stays it does not return. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../include/forestgomp/sched.h"

unsigned daemon_calls, daemon_several, daemon_stays, daemon_finished, daemon_idles;

static unsigned inside;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The thread that held it is not in the child of a fork. */
static void
renew(void)
{
	pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void
prepare(void)
{
	pthread_atfork(NULL, NULL, renew);
}

static void
rests(void *self)
{
	(void)self;
	if (__atomic_add_fetch(&inside, 1, __ATOMIC_ACQ_REL) != 1)
		daemon_several++;
	pthread_mutex_lock(&lock);
	free(malloc(100));
	pthread_mutex_unlock(&lock);
	usleep(10000);
	unsigned asked = 1;
	__atomic_compare_exchange_n(&daemon_stays, &asked, 2, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	while (__atomic_load_n(&daemon_stays, __ATOMIC_ACQUIRE) == 2)
		usleep(1000);
	__atomic_sub_fetch(&inside, 1, __ATOMIC_ACQ_REL);
	__atomic_add_fetch(&daemon_calls, 1, __ATOMIC_ACQ_REL);
}

static void
finished(void *self, struct fg_bubble *bubble, unsigned number, struct fg_runqueue *leaf)
{
	(void)self, (void)leaf;
	if (number < fgomp_bubble_size(bubble))
		__atomic_add_fetch(&daemon_finished, 1, __ATOMIC_ACQ_REL);
}

static void
idles(void *self, struct fg_runqueue *leaf, uint64_t idle_for)
{
	(void)self, (void)leaf;
	if (idle_for >= 20000000)
		__atomic_add_fetch(&daemon_idles, 1, __ATOMIC_ACQ_REL);
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "rests",
	.summary = "has a daemon that sleeps",
	.daemon = rests,
	.period = 1000000,
	.finished = finished,
	.idles = idles,
	.idle_after = 20000000,
};
