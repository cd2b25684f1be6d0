/* Threads of the kernel (floor: platform): see thread.h. */
#define _GNU_SOURCE
#include "platform/thread.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
fg_thread_id(void)
{
	return (int)syscall(SYS_gettid);
}

int
fg_thread_signal(int tid, int number)
{
	return (int)syscall(SYS_tgkill, getpid(), tid, number);
}

int
fg_thread_signal_value(int tid, int number, const void *value)
{
	int process = getpid();
	siginfo_t info = {.si_signo = number, .si_code = SI_QUEUE};
	info.si_pid = process;
	info.si_value.sival_ptr = (void *)value;
	return (int)syscall(SYS_rt_tgsigqueueinfo, process, tid, number, &info);
}

int
fg_thread_signal_info(int tid, int number, siginfo_t *info)
{
	return (int)syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, number, info);
}

int
fg_thread_yield(void)
{
	return (int)syscall(SYS_sched_yield);
}

void
fg_thread_sleep(uint64_t ns)
{
	const struct timespec period = {0, (long)ns};
	syscall(SYS_nanosleep, &period, NULL);
}

void
fg_thread_switches(uint64_t *blocked, uint64_t *forced)
{
	struct rusage usage = {0};
	getrusage(RUSAGE_THREAD, &usage);
	*blocked = (uint64_t)usage.ru_nvcsw;
	*forced = (uint64_t)usage.ru_nivcsw;
}
