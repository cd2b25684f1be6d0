/* Preemption (floor: exec; design D6).
 *
 * The handler acts only on a thread in the program's code, standing on its own stack: not inside the runtime, not on an alternate
 * signal stack. It calls nothing of the C library that locks or allocates. It switches away inside the handler; the kernel's signal
 * frame stays on the suspended thread's stack, and its sigreturn runs on whatever worker resumes the thread: so the alternate
 * stack of that kernel thread is put into the frame before the return, or sigreturn would install the old worker's there.
 * SA_NODEFER, as the mask is the kernel thread's, not the thread's. */
#define _GNU_SOURCE
#include "exec/preempt.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "exec/options.h"
#include "exec/spare.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void
on_tick(int signal, siginfo_t *info, void *arg)
{
	(void)signal;
	(void)info;
	struct fg_identity *self = fg_self();
	if (!self || self->in_runtime || !self->worker->carries)
		return;
	int saved_errno = errno;
	stack_t stack;
	self->in_runtime = 1;
	fg_signal_fence();
	/* Only now: an entry into the runtime like any other (spare.c). */
	if (fg_spare_here(self) && sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_ONSTACK)) {
		fg_worker_preempt(self);
		ucontext_t *context = arg;
		if (sigaltstack(NULL, &stack) == 0)
			context->uc_stack = stack;
	}
	fg_leave(self);
	errno = saved_errno;
}

void
fg_preempt_install(void)
{
	struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER};
	sigemptyset(&action.sa_mask);
	sigaction(fg_exec_options.signal, &action, NULL);
}

static bool
timer_make(struct fg_worker *worker)
{
	if (worker->timer_tid == worker->tid)
		return true;
	if (worker->timer_tid)
		syscall(SYS_timer_delete, worker->timer);
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = fg_exec_options.signal};
	event.sigev_notify_thread_id = worker->tid;
	/* The clock of another thread of the process, as the kernel encodes it: clock_getcpuclockid(3) has the same for processes. */
	clockid_t clock = (clockid_t)((~(unsigned)worker->tid << 3) | 6);
	worker->timer_tid = syscall(SYS_timer_create, clock, &event, &worker->timer) == 0 ? worker->tid : 0;
	worker->timer_on = false;
	return worker->timer_tid != 0;
}

void
fg_preempt_timer(struct fg_worker *worker, bool on)
{
	if ((!on && !worker->timer_on) || fg_exec_options.slice_ns == 0)
		return;
	if (!timer_make(worker) || worker->timer_on == on)
		return;
	uint64_t ns = on ? fg_exec_options.slice_ns : 0;
	struct itimerspec spec = {{(time_t)(ns / 1000000000), (long)(ns % 1000000000)},
				  {(time_t)(ns / 1000000000), (long)(ns % 1000000000)}};
	if (syscall(SYS_timer_settime, worker->timer, 0, &spec, NULL) == 0)
		worker->timer_on = on;
	else { /* of a kernel thread that has ended, whose number came back */
		syscall(SYS_timer_delete, worker->timer);
		worker->timer_tid = 0;
	}
}

void
fg_preempt_kick(struct fg_worker *worker)
{
	syscall(SYS_tgkill, getpid(), worker->tid, fg_exec_options.signal);
}
