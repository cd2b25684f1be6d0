/* The running identity, and its way into the runtime and out of it (floor: exec): see identity.h.
 *
 * fg_watch and fg_come_back act on the running thread, with in_runtime set; in fg_come_back it waits for its holder.
 * Only the thread itself writes fg_self_pointer while it runs. */
#include "exec/ground/hooks.h"
#include "exec/thread/identity.h"
#include "exec/thread/worker_parts.h"
#include "platform/kernel_mask.h"
#include "platform/sanitizer.h"

#ifndef NDEBUG
#include <signal.h>
#endif

__thread struct fg_identity *fg_self_pointer __attribute__((tls_model("initial-exec")));

/* A thread that begins inside the runtime has told the detector nothing yet. So the flag counts both directions. */
void
fg_watch(struct fg_identity *self, bool program)
{
	if (self->unwatched != program)
		return;
	self->unwatched = !program;
	if (program)
		__tsan_ignore_thread_end();
	else
		__tsan_ignore_thread_begin();
}

void
fg_come_back(struct fg_identity *self)
{
	fg_exec_hooks.come_back(self);
}

/* The runtime's own threads block all signals. Their identities come from a malloc of the program that uses OpenMP. */
bool
fg_self_preemptible(void)
{
	struct fg_identity *self = fg_self_pointer;
	const struct fg_worker *worker = self ? self->worker : NULL;
	return worker && !fg_own_load_relaxed(&self->in_runtime) && !fg_mask_has(fg_parts(worker)->mask, SIGTERM);
}
