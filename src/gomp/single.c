/* ABI: single constructs (floor: gomp). Compiled code calls these, as team/inside.h says. team/share/single.h has the
 * invariant. */
#include "base/export.h"
#include "exec/roots/self.h"
#include "team/share/single.h"

FG_EXPORT bool
GOMP_single_start(void)
{
	return fg_single_start(fg_self_or_root());
}

FG_EXPORT void *
GOMP_single_copy_start(void)
{
	return fg_single_copy_start(fg_self_or_root());
}

FG_EXPORT void
GOMP_single_copy_end(void *data)
{
	fg_single_copy_end(fg_self_or_root(), data);
}
