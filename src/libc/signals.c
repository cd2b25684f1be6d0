/* Signals of the calling thread (floor: libc). The C library's functions would reach the wrong kernel thread, or the
 * runtime's own handler:
 *
 *   pthread_sigmask, sigprocmask     set the mask of a kernel thread, which a member may leave at its next switch
 *   pthread_sigqueue, pthread_kill   send to the pthread's kernel thread, which may be parked (since version 2.34 of
 *                                    the C library, pthread_kill to the caller sends to its present kernel thread)
 *   sigaction, signal                show, and take away, the handler that preempts members, and that of windows
 *   sigaltstack                      sets the alternate stack of a kernel thread, where the preempting handler runs
 *
 * So the library defines these functions too, as it does sched_yield (yield.c). Each acts on the calling member. The
 * versions here are hidden, so the linker binds a program to the C library's names and versions. At run time the
 * dynamic linker takes the first library that has such a name and version. With -fopenmp this one precedes the C
 * library.
 *
 * Any pthread may call, also in a signal handler that has interrupted the runtime, or another of these calls. Only the
 * locks of preempt_signal.c and memory/windows.c are taken, and not by a caller that may hold them. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/export.h"
#include "exec/body/alternate.h"
#include "exec/body/mask.h"
#include "exec/watch/preempt_signal.h"
#include "memory/windows.h"
#include "platform/thread.h"
#include "trace/mapped.h"

/* FIRST is the C library's first version on each machine. A function that moved out of libpthread has a later version,
 * too. */
#ifdef __x86_64__
#define FIRST "GLIBC_2.2.5"
#else
#define FIRST "GLIBC_2.17"
#endif
__asm__(".symver fg_program_sigaction, sigaction@" FIRST);
__asm__(".symver fg_program_signal, signal@" FIRST);
__asm__(".symver fg_program_sysv_signal, __sysv_signal@" FIRST);
__asm__(".symver fg_program_sigprocmask, sigprocmask@" FIRST);
__asm__(".symver fg_program_sigaltstack, sigaltstack@" FIRST);
__asm__(".symver fg_program_sigmask, pthread_sigmask@" FIRST);
__asm__(".symver fg_program_sigmask_2_32, pthread_sigmask@GLIBC_2.32");
__asm__(".symver fg_program_kill, pthread_kill@" FIRST);
__asm__(".symver fg_program_kill_2_34, pthread_kill@GLIBC_2.34");
#ifdef __x86_64__
__asm__(".symver fg_program_sigqueue, pthread_sigqueue@GLIBC_2.11");
#else
__asm__(".symver fg_program_sigqueue, pthread_sigqueue@GLIBC_2.17");
#endif
__asm__(".symver fg_program_sigqueue_2_34, pthread_sigqueue@GLIBC_2.34");

static struct {
	/* The C library's functions serve all other threads. */
	int (*kill)(pthread_t thread, int number);
	int (*sigqueue)(pthread_t thread, int number, const union sigval value);
	/* They also serve all other signals, because siginterrupt changes the effect of these functions. */
	sighandler_t (*signal)(int number, sighandler_t handler);
	sighandler_t (*sysv_signal)(int number, sighandler_t handler);
} others;

__attribute__((constructor(105))) static void
find(void)
{
	*(void **)&others.kill = dlsym(RTLD_NEXT, "pthread_kill");
	*(void **)&others.sigqueue = dlsym(RTLD_NEXT, "pthread_sigqueue");
	*(void **)&others.signal = dlsym(RTLD_NEXT, "signal");
	*(void **)&others.sysv_signal = dlsym(RTLD_NEXT, "__sysv_signal");
}

FG_EXPORT int
fg_program_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return fg_mask_change(how, set, old);
}
FG_ABI_ALIAS(int, fg_program_sigmask_2_32, (int how, const sigset_t *set, sigset_t *old), fg_program_sigmask)

FG_EXPORT int
fg_program_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int error = fg_mask_change(how, set, old);
	if (error)
		errno = error;
	return error ? -1 : 0;
}

static bool
is_own_of_the_c_library(int number)
{
	return number == 32 || number == 33;
}

static int
change_action(int number, const struct sigaction *action, struct sigaction *old)
{
	bool windows = number == SIGSEGV && action;
	if (!windows && !fg_mapped_uses(number))
		return fg_preempt_sigaction(number, action, old);
	if (action)
		fg_preempt_handler(action);
	return windows ? fg_windows_sigaction(action, old) : fg_mapped_sigaction(action, old);
}

/* Ours stands in for the program's action, or must do something before. */
static bool
is_used(int number)
{
	return number == SIGSEGV || fg_preempt_uses(number) || fg_mapped_uses(number);
}

FG_EXPORT int
fg_program_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	return change_action(number, action, old);
}

FG_EXPORT int
fg_program_sigaltstack(const stack_t *stack, stack_t *old)
{
	return fg_alternate_change(stack, old);
}

static sighandler_t
put_handler(int number, sighandler_t handler, int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
	sigemptyset(&action.sa_mask);
	if (flags & SA_RESTART)
		sigaddset(&action.sa_mask, number);
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return change_action(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

FG_EXPORT sighandler_t
fg_program_signal(int number, sighandler_t handler)
{
	if (others.signal && !is_used(number))
		return others.signal(number, handler);
	return put_handler(number, handler, SA_RESTART);
}

FG_EXPORT sighandler_t
fg_program_sysv_signal(int number, sighandler_t handler)
{
	if (!others.sysv_signal || is_used(number))
		return put_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
	fg_preempt_handler(&(struct sigaction){.sa_handler = handler, .sa_flags = SA_NODEFER});
	return others.sysv_signal(number, handler);
}

/* Sends to the kernel thread that carries the caller. All signals are blocked meanwhile, so the caller stays on that
 * thread. The signal arrives when the mask is restored. */
static int
to_caller(int number, siginfo_t *info)
{
	int saved = errno, error = 0;
	uint64_t mask = fg_mask_now();
	fg_mask_set(FG_MASK_ALL);
	int tid = fg_thread_id();
	if ((info ? fg_thread_signal_info(tid, number, info) : fg_thread_signal(tid, number)) != 0)
		error = errno;
	fg_mask_set(mask);
	errno = saved;
	return error;
}

FG_EXPORT int
fg_program_kill(pthread_t thread, int number)
{
	if (others.kill && (!pthread_equal(thread, pthread_self()) || is_own_of_the_c_library(number)))
		return others.kill(thread, number);
	return to_caller(number, NULL);
}
FG_ABI_ALIAS(int, fg_program_kill_2_34, (pthread_t thread, int number), fg_program_kill)

FG_EXPORT int
fg_program_sigqueue(pthread_t thread, int number, const union sigval value)
{
	if (others.sigqueue && (!pthread_equal(thread, pthread_self()) || is_own_of_the_c_library(number)))
		return others.sigqueue(thread, number, value);
	siginfo_t info = {.si_signo = number, .si_code = SI_QUEUE};
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value = value;
	return to_caller(number, &info);
}
FG_ABI_ALIAS(int, fg_program_sigqueue_2_34, (pthread_t thread, int number, const union sigval value),
	     fg_program_sigqueue)
