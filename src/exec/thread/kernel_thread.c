/* Starting the kernel threads of workers (floor: exec). */
#define _GNU_SOURCE
#include "exec/thread/kernel_thread.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/carrier.h"
#include "exec/thread/glibc.h"
#include "exec/watch/monitor.h"
#include "exec/thread/stack_overflow.h"

struct fg_atomic_u64 fg_start_crowded;

bool
fg_start_worker(void (*start)(void *worker), struct fg_worker *worker)
{
	if (fg_identity_made)
		fg_identity_made(NULL);
	return fg_carrier->start(start, worker, "fg-worker") == 0;
}

void
fg_start_kernel_thread(struct fg_worker *worker)
{
	struct fg_identity *self = worker->home;
	fg_self_pointer = self;
	if (fg_watched())
		fg_watch(self, false);
	self->context.tls = fg_context_tls();
	fg_monitor_enlist(worker);
	fg_mask_learn(worker);
	fg_identity_stands_here(self);
	fg_glibc_member(self);
	fg_stack_overflow_kernel_thread();
	self->at_home = true;
}
