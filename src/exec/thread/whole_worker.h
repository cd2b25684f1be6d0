/* Whole worker: a worker with its parts, as it lies in memory (floor: exec; used by the files that make workers). */
#pragma once
#include <stddef.h>

#include "exec/thread/parts_state.h"
#include "exec/thread/worker_state.h"

/* See fg_parts (worker_parts.h). */
struct fg_whole_worker {
	struct fg_worker_parts parts;
	struct fg_worker worker;
};
_Static_assert(offsetof(struct fg_whole_worker, worker) == sizeof(struct fg_worker_parts), "see fg_parts");
