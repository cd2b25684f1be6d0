/* The running identity, and its way into the runtime and out of it (floor: exec): see identity.h. */
#include "exec/ground/hooks.h"
#include "exec/thread/identity.h"
#include "platform/sanitizer.h"

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
