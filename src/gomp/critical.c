/* ABI: critical constructs, and atomic operations that are too large for the processor (floor: gomp). Compiled code
 * calls these, as team/inside.h says. team/lock/critical.h has the locks. */
#include "base/export.h"
#include "team/lock/critical.h"

FG_EXPORT void
GOMP_critical_start(void)
{
	fg_lock_set(&fg_global_locks.critical.lock);
}

FG_EXPORT void
GOMP_critical_end(void)
{
	fg_lock_unset(&fg_global_locks.critical.lock);
}

FG_EXPORT void
GOMP_critical_name_start(void **symbol)
{
	fg_lock_set((struct fg_lock *)symbol);
}

FG_EXPORT void
GOMP_critical_name_end(void **symbol)
{
	fg_lock_unset((struct fg_lock *)symbol);
}

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
