/* The wrapper over glibc's handler of signal 33 (floor: platform).
 *
 * setuid marks each pthread in its control block, sends its kernel thread the signal, and repeats that until all marks
 * are gone. The handler takes away the mark of the thread pointer's pthread. On a kernel thread that carries another,
 * that would be the wrong one, and setuid would go round for ever. So while the handler runs, the kernel thread gets
 * its own thread pointer. */
#include "platform/setxid.h"

#include "platform/context.h"

#include <errno.h>

/* Not inline: the compiler may keep the address of errno, which changes with the thread pointer. */
__attribute__((noinline)) static int
error_now(void)
{
	__asm__ volatile("");
	return errno;
}

int
fg_setxid_call(void *tls, fg_setxid_function *function, const unsigned long argument[3], int *error)
{
	void *carried = fg_context_tls();
	if (tls)
		fg_context_tls_set(tls);
	int result = function(argument[0], argument[1], argument[2]);
	*error = error_now();
	if (tls)
		fg_context_tls_set(carried);
	return result;
}

#ifdef __GLIBC__
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIGNAL 33
#define MASK_SIZE 8

/* As the kernel has it: sigaction(2) of the C library refuses this signal. */
struct kernel_action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static struct {
	void (*glibc_handler)(int, siginfo_t *, void *);
	void *(*find_own_tls)(void);
} setxid;

static void
wrapper(int signal, siginfo_t *info, void *context)
{
	void *own = setxid.find_own_tls();
	if (!own) {
		setxid.glibc_handler(signal, info, context);
		return;
	}
	void *carried = fg_context_tls();
	fg_context_tls_set(own);
	setxid.glibc_handler(signal, info, context);
	fg_context_tls_set(carried);
}

void
fg_setxid_guard(void *(*own_tls)(void))
{
	struct kernel_action action;
	if (syscall(SYS_rt_sigaction, SIGNAL, NULL, &action, MASK_SIZE) || action.handler == wrapper ||
	    !(action.flags & SA_SIGINFO))
		return;
	setxid.find_own_tls = own_tls;
	setxid.glibc_handler = action.handler;
	action.handler = wrapper;
	action.mask = UINT64_MAX; /* no other handler in between: it would see the wrong thread-local storage */
	syscall(SYS_rt_sigaction, SIGNAL, &action, NULL, MASK_SIZE);
}

#else

void
fg_setxid_guard(void *(*own_tls)(void))
{
	(void)own_tls;
}

#endif
