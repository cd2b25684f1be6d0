/* Makes contexts, and chooses how the thread pointer is written (floor: platform): see context.h. */
#include "platform/context.h"

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/float.h"

void fg_context_trampoline(void);

#ifdef FG_TSAN
#undef fg_context_switch

struct announcement {
	const struct fg_context *to;
	void (*callback)(void *);
	void *arg;
};

/* Runs as *to. The announcement lies on the stack of the context that was left. It may be gone as soon as the callback
 * has published that context. */
__attribute__((no_sanitize("thread"))) static void
arrive(void *arg)
{
	struct announcement here = *(struct announcement *)arg;
	fg_tsan_acquire((void *)here.to);
	if (here.callback)
		here.callback(here.arg);
}

void
fg_context_switch_announced(struct fg_context *from, const struct fg_context *to, void (*callback)(void *), void *arg)
{
	struct announcement announcement = {to, callback, arg};
	fg_tsan_release((void *)to);
	fg_context_switch(from, to, arrive, &announcement);
}
#endif

/* Gives up the frames on which the context stood. */
static inline void
forget_frames(const struct fg_context *context, void *top)
{
	if (context->sp)
		fg_asan_forget(context->sp, top);
}

#if defined(__x86_64__)

__attribute__((visibility("hidden"))) unsigned char fg_context_by_syscall = 1;

#define FRAME_WORDS 8
#define HWCAP2_FSGSBASE_BIT 2UL /* the kernel has set CR4.FSGSBASE (Linux 5.9) */

void
fg_context_make(struct fg_context *context, void *top, void *tls, void (*entry)(void))
{
	forget_frames(context, top);
	uint64_t *frame = (uint64_t *)top - FRAME_WORDS;
	memset(frame, 0, FRAME_WORDS * sizeof *frame);
	struct fg_float here = fg_float_get();
	memcpy(&frame[0], &here, sizeof here);
	frame[5] = (uint64_t)entry; /* rbx */
	frame[7] = (uint64_t)fg_context_trampoline;
	context->sp = frame;
	context->tls = tls;
}

void *
fg_context_tls(void)
{
	void *tls;
	__asm__("movq %%fs:0, %0" : "=r"(tls));
	return tls;
}

void
fg_context_tls_set(void *tls)
{
	if (fg_context_by_syscall)
		syscall(SYS_arch_prctl, 0x1002 /* ARCH_SET_FS */, tls);
	else
		__asm__ volatile("wrfsbase %0" : : "r"(tls) : "memory");
}

void
fg_context_init(void)
{
	fg_context_by_syscall =
		!(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT) || fg_on_valgrind(); /* valgrind knows no wrfsbase */
}

#elif defined(__aarch64__)

#define FRAME_WORDS 22

void
fg_context_make(struct fg_context *context, void *top, void *tls, void (*entry)(void))
{
	forget_frames(context, top);
	uint64_t *frame = (uint64_t *)top - FRAME_WORDS;
	memset(frame, 0, FRAME_WORDS * sizeof *frame);
	frame[0] = (uint64_t)entry;		     /* x19 */
	frame[11] = (uint64_t)fg_context_trampoline; /* x30 */
	struct fg_float here = fg_float_get();
	memcpy(&frame[20], &here, sizeof here);
	context->sp = frame;
	context->tls = tls;
}

void *
fg_context_tls(void)
{
	return __builtin_thread_pointer();
}

void
fg_context_tls_set(void *tls)
{
	__asm__ volatile("msr tpidr_el0, %0" : : "r"(tls) : "memory");
}

void
fg_context_init(void)
{
}

#else
#error "ForestGOMP supports x86-64 and aarch64"
#endif
