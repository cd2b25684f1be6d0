/* Done: the line in which a worker, or a group of workers, tells the phase that is over (floor: exec; used by
 * worker_state.h, dock_line.h, groups.h and summary.c). One thread writes a line, or several write the same number. The
 * number never goes back. All workers of the team read it. */
#pragma once
#include <stdint.h>

#include "base/atomic.h"

/* Two of them are the lines with the last even and the last odd phase that have been completed. */
struct fg_done {
	_Alignas(128) struct fg_atomic_u64 phase;
	struct fg_atomic_u32
		stays; /* of a worker: members of its crew that stay in the region if it ends here (cut.c) */
};
