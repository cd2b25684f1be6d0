// A thread of the program is bound to a place and blocks again and again. Each time, a spare runs the other members
// meanwhile. When the thread has its PU again, it is not bound anew, because it still is.
// threads: 4
// cpus: 2
// env: OMP_PROC_BIND=true OMP_PLACES=threads
// stock: fails (has no spares)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>

#include "check.h"

static int by_root, by_others;

// In place of the C library's, for the runtime too.
long
syscall(long number, ...)
{
	static long (*next)(long, ...);
	long word[6];
	va_list words;
	va_start(words, number);
	for (int i = 0; i < 6; i++)
		word[i] = va_arg(words, long);
	va_end(words);
	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (number == SYS_sched_setaffinity)
		__atomic_add_fetch(next(SYS_gettid) == getpid() ? &by_root : &by_others, 1, __ATOMIC_RELAXED);
	return next(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}

int
sched_setaffinity(pid_t tid, size_t size, const cpu_set_t *set)
{
	return (int)syscall(SYS_sched_setaffinity, tid, size, set);
}

static void
compute(double seconds)
{
	for (double end = omp_get_wtime() + seconds; omp_get_wtime() < end;)
		;
}

int
main(void)
{
	int bound_at_first = 0, enough = 0;

#pragma omp parallel num_threads(4)
	for (int round = 0; !enough; round++) {
		if (omp_get_thread_num() == 0) {
			if (round == 0)
				bound_at_first = by_root;
			usleep(8000);
		} else
			compute(omp_get_thread_num() % 2 ? 0.008 : 0.002);
#pragma omp barrier // the thread waits for the members that have the other PU
#pragma omp master
		enough = round >= 40 && by_others >= 5;
#pragma omp barrier
		// A worker's members begin a phase in the order in which they ended the last one, or in the opposite
		// one. This one changes the order. So in every second round at least, others wait for the thread's PU.
		if (round % 2) {
#pragma omp barrier
		}
	}
	CHECK(by_root - bound_at_first <= 2, "the initial thread was bound %d times again", by_root - bound_at_first);
	return check_end();
}
