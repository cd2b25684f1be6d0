/* Timers of a kernel thread's CPU time (floor: platform): see thread_timer.h. */
#define _GNU_SOURCE
#include "platform/thread_timer.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "platform/thread_clock.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

bool
fg_thread_timer_make(int *timer, int tid, int number, const void *value)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
	event.sigev_notify_thread_id = tid;
	event.sigev_value.sival_ptr = (void *)value;
	clockid_t clock = fg_thread_clock(tid);
	return syscall(SYS_timer_create, clock, &event, timer) == 0;
}

bool
fg_thread_timer_set(int timer, uint64_t period_ns)
{
	struct itimerspec spec = {{(time_t)(period_ns / 1000000000), (long)(period_ns % 1000000000)},
				  {(time_t)(period_ns / 1000000000), (long)(period_ns % 1000000000)}};
	return syscall(SYS_timer_settime, timer, 0, &spec, NULL) == 0;
}

void
fg_thread_timer_delete(int timer)
{
	syscall(SYS_timer_delete, timer);
}
