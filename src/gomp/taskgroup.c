/* ABI: taskgroups (floor: gomp). Compiled code calls these, as team/inside.h says. team/tasks/taskgroup.h tells the
 * rest. */
#include "base/export.h"
#include "exec/roots/self.h"
#include "team/tasks/taskgroup.h"

FG_EXPORT void
GOMP_taskgroup_start(void)
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_taskgroup_start(self, false);
	fg_leave(self);
}

FG_EXPORT void
GOMP_taskgroup_end(void)
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_taskgroup_end(self);
	fg_leave(self);
}
