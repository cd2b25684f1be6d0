/* Loosen (floor: exec): see loosen.h. */
#include "exec/move/loosen.h"

#include "exec/loop/loop.h"
#include "exec/loop/ready.h"

static void
ready_callback(void *thread)
{
	fg_worker_ready(thread);
}

void
fg_loosen_come_home(struct fg_identity *self)
{
	while (self->pinned && self->worker != self->pinned) {
		fg_worker_prepare_to_leave(self);
		if (self->worker != self->pinned)
			fg_worker_leave(self, ready_callback, self);
	}
}
