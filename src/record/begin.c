/* Begin (floor: record): the hooks of an object ask the library whether it writes a trace. The program may run on
 * another OpenMP runtime, and then nothing is counted. */
#define _GNU_SOURCE
#include "record/count.h"

#include <dlfcn.h>
#include <stdbool.h>

/* The object with this code must never go away, because the library calls it. The first object's constructor gets here,
 * and the linker takes this file because __tsan_init calls it. */
__attribute__((constructor)) void
fg_hooks_begin(void)
{
	static bool begun;
	static struct fgomp_recorder recorder = {.leave = fg_tables_leave, .end = fg_tables_end};
	const struct fgomp_recording *(*add)(struct fgomp_recorder *, unsigned) =
		(const struct fgomp_recording *(*)(struct fgomp_recorder *, unsigned))dlsym(RTLD_DEFAULT,
											    "fgomp_record");
	Dl_info here;
	if (begun || !add)
		return;
	begun = true;
	if (dladdr(&recorder, &here))
		dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	fg_tables_begin(add(&recorder, FGOMP_RECORD_VERSION));
}
