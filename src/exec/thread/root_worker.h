/* The worker of a root: it lies behind the root in one block, so no pointer leads to it (floor: exec; used by the files
 * that go from a root to its worker). So a file that needs the root alone does not see the worker. */
#pragma once
#include "exec/thread/root_state.h"
#include "exec/thread/worker_state.h"

/* The parts of the worker follow (worker_parts.h), so a root takes FG_ROOT_SIZE bytes. */
struct fg_root_and_worker {
	struct fg_root root;
	struct fg_worker worker;
};
#define FG_ROOT_SIZE (sizeof(struct fg_root_and_worker) + sizeof(struct fg_worker_parts))

static inline struct fg_worker *
fg_root_worker(const struct fg_root *root)
{
	return &((struct fg_root_and_worker *)root)->worker;
}
