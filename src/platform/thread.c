/* Threads of the kernel (floor: platform): see thread.h. */
#define _GNU_SOURCE
#include "platform/thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/uncancelled.h"
#include "platform/sandbox.h"

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

#ifdef __GLIBC__
#define UNWINDER "libgcc_s.so.1"

static int
is_unwinder(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	return strstr(info->dlpi_name, UNWINDER) != NULL;
}

static bool
unwinder_load(void)
{
	int saved = errno, cancel = fg_uncancelled_begin();
	bool there = dl_iterate_phdr(is_unwinder, NULL) ||
		     (fg_sandbox_allows(FG_SANDBOX_FILES) && dlopen(UNWINDER, RTLD_NOW | RTLD_LOCAL));
	fg_uncancelled_end(cancel);
	errno = saved;
	return there;
}

bool
fg_thread_may_end(void)
{
	static struct fg_atomic_u32 loaded;
	if (!fg_load_relaxed(&loaded) && unwinder_load())
		fg_store_relaxed(&loaded, 1);
	return fg_load_relaxed(&loaded);
}
#else
bool
fg_thread_may_end(void)
{
	return true;
}
#endif
