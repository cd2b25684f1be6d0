/* sched_yield (floor: libc). Libraries wait for other members with it, as OpenBLAS's level 3 does. The kernel would
 * only switch to another kernel thread, but the other member may need the caller's own. So the library defines the
 * function too, ahead of the C library in the order of symbols of programs linked with -fopenmp. The version is hidden,
 * so the linker never binds a program to this name.
 *
 * Any pthread may call. A caller that may not switch asks the kernel only: one without an identity, one inside, and a
 * signal handler on another stack or with another mask. */
#include <errno.h>

#include "base/carrier.h"
#include "base/export.h"
#include "exec/body/mask.h"
#include "exec/loop/loop.h"
#include "platform/thread.h"

#ifdef __x86_64__
__asm__(".symver fg_program_yield, sched_yield@GLIBC_2.2.5");
#else
__asm__(".symver fg_program_yield, sched_yield@GLIBC_2.17");
#endif

/* A signal handler may call it, too. The runtime must not switch on another stack, or with another mask than the
 * member's. */
static bool
may_enter(const struct fg_identity *self)
{
	return self && !fg_own_load_relaxed(&self->in_runtime) &&
	       fg_identity_is_on_own_stack(self, (uintptr_t)__builtin_frame_address(0));
}

FG_EXPORT int
fg_program_yield(void)
{
	struct fg_identity *self = fg_self();
	int saved = errno;
	bool yielded = false;
	if (may_enter(self) && !fg_sanitizer_has(__builtin_return_address(0))) {
		fg_enter(self);
		yielded = fg_worker_yields_here(self) && fg_mask_now() == fg_mask_of(self) && fg_worker_yields(self);
		if (!yielded)
			fg_carrier->pause(); /* virtual kernel threads may share this one */
		fg_leave(self);
		errno = saved;
	}
	return yielded ? 0 : fg_thread_yield();
}
