/* ABI: the interop construct (floor: gomp). Every object is omp_interop_none (omp/interop.c). Compiled code calls
 * these, as team/inside.h says. They wait for what the construct depends on. */
#include "base/export.h"
#include "exec/roots/self.h"
#include "exec/thread/identity.h"
#include "gomp/device.h"
#include "team/tasks/depend_wait.h"

FG_EXPORT void
GOMP_interop(int device, int init_count, void ***init, const int *kinds, const char **prefer, int use_count, void **use,
	     int destroy_count, void ***destroy, unsigned flags, void **depend)
{
	if (init_count > 0)
		fg_device_resolve(device);
	if (depend) {
		struct fg_identity *self = fg_self_or_root();
		fg_enter(self);
		fg_task_wait_depend(self, depend);
		fg_leave(self);
	}
	for (int i = 0; i < init_count; i++)
		*init[i] = NULL;
	for (int i = 0; i < destroy_count; i++)
		*destroy[i] = NULL;
}
