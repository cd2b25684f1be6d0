/* Worker parts: the way from a worker to its parts (floor: exec; used by the files that each part names). The parts lie
 * behind the worker in one block, so no pointer leads to them. */
#pragma once
#include "exec/thread/parts_state.h"
#include "exec/thread/worker_state.h"

/* Each worker lies in such a block, and the worker of a root does behind the root. */
struct fg_whole_worker {
	struct fg_worker worker;
	struct fg_worker_parts parts;
};

static inline struct fg_worker_parts *
fg_parts(const struct fg_worker *worker)
{
	return &((struct fg_whole_worker *)worker)->parts;
}
