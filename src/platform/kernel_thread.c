/* Threads as the kernel sees them (floor: platform): see kernel_thread.h. */
#include "platform/kernel_thread.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "platform/file.h"

/* /proc/self/task/TID/syscall: "running"; "-1 SP PC"; or the number of the call, six arguments, SP and PC. */
void
fg_kernel_thread_look(int tid, struct fg_kernel_thread *found)
{
	char path[64], text[256];
	*found = (struct fg_kernel_thread){.state = FG_KERNEL_UNKNOWN};
	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
	if (!fg_file_text(path, text, sizeof text))
		return;
	unsigned long argument = 0, sp = 0, pc = 0;
	if (text[0] == 'r')
		found->state = FG_KERNEL_RUNS;
	else if (sscanf(text, "-1 %lx %lx", &sp, &pc) == 2)
		found->call = -1;
	else if (sscanf(text, "%ld %lx %*x %*x %*x %*x %*x %lx %lx", &found->call, &argument, &sp, &pc) != 4)
		return;
	if (found->state != FG_KERNEL_RUNS)
		found->state = FG_KERNEL_CALL;
	found->argument = argument;
	found->sp = sp;
	found->pc = pc;
}

uint64_t
fg_kernel_thread_used(int tid)
{
	/* The clock of another thread of the process, as the kernel encodes it. */
	clockid_t clock = (clockid_t)((~(unsigned)tid << 3) | 6);
	struct timespec used;
	if (clock_gettime(clock, &used) != 0)
		return 0;
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

const char *
fg_kernel_call_name(long call)
{
	static const struct {
		long number;
		const char *name;
	} names[] = {
		{SYS_read, "read"},
		{SYS_write, "write"},
		{SYS_readv, "readv"},
		{SYS_writev, "writev"},
		{SYS_pread64, "pread64"},
		{SYS_pwrite64, "pwrite64"},
		{SYS_ppoll, "ppoll"},
		{SYS_pselect6, "pselect6"},
		{SYS_epoll_pwait, "epoll_pwait"},
		{SYS_nanosleep, "nanosleep"},
		{SYS_clock_nanosleep, "clock_nanosleep"},
		{SYS_accept, "accept"},
		{SYS_accept4, "accept4"},
		{SYS_connect, "connect"},
		{SYS_recvfrom, "recvfrom"},
		{SYS_recvmsg, "recvmsg"},
		{SYS_sendto, "sendto"},
		{SYS_sendmsg, "sendmsg"},
		{SYS_wait4, "wait4"},
		{SYS_waitid, "waitid"},
		{SYS_flock, "flock"},
		{SYS_fcntl, "fcntl"},
		{SYS_fsync, "fsync"},
		{SYS_openat, "openat"},
		{SYS_ioctl, "ioctl"},
		{SYS_rt_sigtimedwait, "rt_sigtimedwait"},
		{SYS_rt_sigsuspend, "rt_sigsuspend"},
		{SYS_semop, "semop"},
		{SYS_semtimedop, "semtimedop"},
		{SYS_msgrcv, "msgrcv"},
		{SYS_msgsnd, "msgsnd"},
		{SYS_futex, "futex"},
		{SYS_sched_yield, "sched_yield"},
#ifdef __x86_64__
		{SYS_poll, "poll"},
		{SYS_select, "select"},
		{SYS_epoll_wait, "epoll_wait"},
		{SYS_pause, "pause"},
		{SYS_open, "open"},
#endif
	};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].number == call)
			return names[i].name;
	return NULL;
}
