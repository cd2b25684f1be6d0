/* The worker of a root: it lies behind the root in one block, so no pointer leads to it (floor: exec; used by the files
 * that go from a root to its worker). So a file that needs the root alone does not see the worker. */
#pragma once
#include "exec/thread/root_state.h"
#include "exec/thread/whole_worker.h"

struct fg_whole_root {
	struct fg_root root;
	struct fg_whole_worker whole;
};

static inline struct fg_worker *
fg_root_worker(const struct fg_root *root)
{
	return &((struct fg_whole_root *)root)->whole.worker;
}
