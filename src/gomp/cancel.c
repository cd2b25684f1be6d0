/* ABI: cancellation (floor: gomp). Compiled code calls these, as team/inside.h says. team/sync/cancel.h tells what they
 * do. */
#include "base/export.h"
#include "exec/roots/self.h"
#include "team/sync/cancel.h"

FG_EXPORT bool
GOMP_cancellation_point(int kind)
{
	if (!fg_env.cancellation)
		return false;
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	bool leave = fg_cancel_point(self, kind);
	fg_leave(self);
	return leave;
}

FG_EXPORT bool
GOMP_cancel(int kind, bool do_cancel)
{
	if (!fg_env.cancellation)
		return false;
	if (!do_cancel)
		return GOMP_cancellation_point(kind);
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	bool leave = fg_cancel(self, kind);
	fg_leave(self);
	return leave;
}
