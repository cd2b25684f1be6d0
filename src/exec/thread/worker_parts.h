/* Worker parts: the way from a worker to its parts (floor: exec; used by the files that each part names). The parts lie
 * before the worker in one block (whole_worker.h), so no pointer leads to them, and a file that needs a part alone does
 * not see the worker. */
#pragma once
#include "exec/thread/parts_state.h"

static inline struct fg_worker_parts *
fg_parts(const struct fg_worker *worker)
{
	return (struct fg_worker_parts *)worker - 1;
}
