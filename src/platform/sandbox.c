/* Sandbox (floor: platform): see sandbox.h.
 *
 * The child is a copy of the process. It must not share its memory: when a filter ends a process with a core dump,
 * older kernels end all processes that share it. Before each call the child notes it on a shared page. Where the notes
 * end, the call was deadly. */
#define _GNU_SOURCE
#include "platform/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic.h"
#include "platform/file.h"

#define WAITING (FG_SANDBOX_CALLS + 1u) /* the child tries to wait for a child */

static struct {
	bool filtered; /* when the library was loaded */
	/* A filter came later. Kernel threads that are no PU of the simulated machine look, so it must not charge. */
	struct fg_atomic_u32 shut;
	bool deadly[FG_SANDBOX_CALLS];
} sandbox;

/* Each of these either does nothing or is refused. */
static void
try_membarrier(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
}

static void
try_perf(void)
{
	syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0);
	syscall(SYS_ioctl, -1, 0, 0);
	syscall(SYS_fcntl, -1, F_SETSIG, 0);
}

static void
try_files(void)
{
	struct fg_file_reading reading;
	if (fg_file_reading_begin(&reading, "/proc/self/stat"))
		fg_file_reading_end(&reading);
	syscall(SYS_pread64, -1, NULL, 0, 0);
}

static void
try_own_files(void)
{
	fg_file_part();
}

static void
try_pages(void)
{
	syscall(SYS_get_mempolicy, NULL, NULL, 0, NULL, 0);
	syscall(SYS_move_pages, 0, 0, NULL, NULL, NULL, 0);
	syscall(SYS_mbind, NULL, 0, 0, NULL, 0, 0);
	syscall(SYS_msync, NULL, 0, MS_ASYNC);
}

static void
try_reads(void)
{
	syscall(SYS_process_vm_readv, -1, NULL, 0, NULL, 0, 0);
}

static void
try_signals(void)
{
	siginfo_t info = {.si_code = SI_QUEUE};
	timer_t timer = NULL;
	syscall(SYS_timer_create, -1, NULL, &timer);
	syscall(SYS_timer_settime, -1, 0, NULL, NULL);
	syscall(SYS_timer_delete, -1);
	syscall(SYS_rt_tgsigqueueinfo, -1, -1, 0, &info);
	syscall(SYS_sigaltstack, NULL, NULL);
}

static void
try_names(void)
{
	char name[16] = "";
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, name);
}

static void
try_places(void)
{
	unsigned cpu;
	syscall(SYS_sched_setaffinity, -1, 0, NULL);
	syscall(SYS_getcpu, &cpu, NULL, NULL);
	syscall(SYS_sched_yield);
}

static void
try_board(void)
{
	syscall(SYS_openat, -1, "", O_RDWR | O_TMPFILE, 0);
	syscall(SYS_linkat, -1, "", -1, "", AT_SYMLINK_FOLLOW);
	syscall(SYS_unlinkat, -1, "", 0);
	syscall(SYS_renameat2, -1, "", -1, "", 0);
	syscall(SYS_mkdirat, -1, "", 0);
	syscall(SYS_fallocate, -1, 0, 0, 0);
	syscall(SYS_getpriority, PRIO_PROCESS, 0);
	syscall(SYS_geteuid);
	syscall(SYS_kill, getpid(), 0);
	syscall(SYS_mmap, NULL, 0, PROT_READ, MAP_SHARED, -1, 0);
}

static void
try_server(void)
{
	struct sockaddr none = {.sa_family = AF_UNSPEC};
	syscall(SYS_socket, AF_UNIX, -1, 0);
	syscall(SYS_connect, -1, &none, sizeof none);
	syscall(SYS_sendto, -1, NULL, 0, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
	syscall(SYS_recvfrom, -1, NULL, 0, MSG_DONTWAIT, NULL, NULL);
	syscall(SYS_ppoll, NULL, 1, NULL, NULL, 0);
	syscall(SYS_getsockopt, -1, SOL_SOCKET, SO_PEERCRED, NULL, NULL);
	syscall(SYS_fstat, -1, NULL);
	syscall(SYS_fcntl, -1, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static void
try_stand_ins(void)
{
	syscall(SYS_memfd_create, NULL, -1);
	syscall(SYS_fcntl, -1, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	syscall(SYS_pwrite64, -1, NULL, 0, 0);
	syscall(SYS_getdents64, -1, NULL, 0);
}

static void (*const tries[FG_SANDBOX_CALLS])(void) = {
	[FG_SANDBOX_MEMBARRIER] = try_membarrier, [FG_SANDBOX_PERF] = try_perf,
	[FG_SANDBOX_FILES] = try_files,		  [FG_SANDBOX_OWN_FILES] = try_own_files,
	[FG_SANDBOX_PAGES] = try_pages,		  [FG_SANDBOX_READS] = try_reads,
	[FG_SANDBOX_SIGNALS] = try_signals,	  [FG_SANDBOX_NAMES] = try_names,
	[FG_SANDBOX_PLACES] = try_places,	  [FG_SANDBOX_BOARD] = try_board,
	[FG_SANDBOX_SERVER] = try_server,	  [FG_SANDBOX_STAND_INS] = try_stand_ins,
};

/* In the child: makes the calls from this one on. */
static _Noreturn void
try_from(volatile uint32_t *reached, uint32_t call)
{
	*reached = WAITING;
	syscall(SYS_wait4, -1, NULL, WNOHANG | __WALL, NULL);
	for (; call < FG_SANDBOX_CALLS; call++) {
		*reached = call;
		tries[call]();
	}
	*reached = FG_SANDBOX_CALLS;
	for (;;)
		syscall(SYS_exit_group, 0);
}

/* The caller stands still until the child is over. The child sends no signal at its end, so the program does not see
 * it. It is a copy in which no handler of the program may run. False: there was no child, or the caller must not wait
 * for it. */
static bool
try_in_child(volatile uint32_t *reached, uint32_t call)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	*reached = WAITING;
	long child = syscall(SYS_clone, CLONE_VFORK, 0, 0, 0, 0);
	if (child == 0)
		try_from(reached, call);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (child < 0 || *reached == WAITING)
		return false;
	syscall(SYS_wait4, child, NULL, __WALL, NULL);
	return true;
}

/* A call that the child cannot try counts as deadly, because the second ways are always right. */
static void
try_all(void)
{
	volatile uint32_t *reached =
		mmap(NULL, sizeof *reached, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < FG_SANDBOX_CALLS; i++)
		sandbox.deadly[i] = true;
	if (reached == MAP_FAILED)
		return;
	for (uint32_t call = 0; call < FG_SANDBOX_CALLS && try_in_child(reached, call); call = *reached + 1)
		for (uint32_t i = call; i < *reached; i++)
			sandbox.deadly[i] = false;
	munmap((void *)reached, sizeof *reached);
}

static bool
has_filter(void)
{
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
}

void
fg_sandbox_start(void)
{
	int saved = errno;
	sandbox.filtered = has_filter();
	if (sandbox.filtered)
		try_all();
	errno = saved;
}

bool
fg_sandbox_allows(enum fg_sandbox_call call)
{
	if (sandbox.filtered)
		return !sandbox.deadly[call];
	if (fg_own_load_relaxed(&sandbox.shut))
		return false;
	int saved = errno;
	if (has_filter())
		fg_own_store_relaxed(&sandbox.shut, 1);
	errno = saved;
	return !fg_own_load_relaxed(&sandbox.shut);
}
