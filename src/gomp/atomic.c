/* ABI: atomic operations that are too large for the processor (floor: gomp). Compiled code calls these, as
 * team/inside.h says. The lock is the one of team/lock/critical.h. */
#include "base/export.h"
#include "team/lock/critical.h"

FG_EXPORT void
GOMP_atomic_start(void)
{
	fg_lock_set(&fg_global_locks.atomic.lock);
}

FG_EXPORT void
GOMP_atomic_end(void)
{
	fg_lock_unset(&fg_global_locks.atomic.lock);
}
