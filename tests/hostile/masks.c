// Signal masks are those that the program set, on every kernel thread: in handlers and after them, in members that ask,
// in threads that have signals blocked which others have not.
// finding: 5
// mode: alarm
// mode: alarm nested
// mode: asked
// mode: asked nested
// mode: blocked
// mode: chosen
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/time.h>

#include "crowd.h"

#define SECONDS 1.0
#define MEMBERS 8

static atomic_int alarms, bad_in_handler, received;

static void
on_alarm(int signal)
{
	sigset_t mask;
	int saved = errno;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (int i = 1; i < SIGRTMIN; i++)
		if (sigismember(&mask, i) != (i == signal || i == SIGUSR1))
			bad_in_handler++;
	check_burn(300);
	alarms++;
	errno = saved;
}

static void
nothing(int signal)
{
	received += signal != 0;
}

static unsigned long
field(const char *task, const char *name)
{
	char path[300], line[200], format[40];
	unsigned long value = 0;

	snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
	snprintf(format, sizeof format, "%s: %%lx", name);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file))
		sscanf(line, format, &value);
	if (file)
		fclose(file);
	return value;
}

/* Kernel threads that have this signal blocked, though not all of them: those block everything for good, as helpers of
 * libraries do. */
static int
blocked_somewhere(int signal)
{
	DIR *tasks = opendir("/proc/self/task");
	int count = 0;

	for (struct dirent *task; (task = readdir(tasks));) {
		unsigned long mask = task->d_name[0] == '.' ? 0 : field(task->d_name, "SigBlk");
		int others = 0;

		for (int i = 1; i < SIGRTMIN - 2; i++)
			others += !(mask >> (i - 1) & 1) && i != SIGKILL && i != SIGSTOP;
		count += others && (mask >> (signal - 1) & 1);
	}
	closedir(tasks);
	return count;
}

static volatile double sink;

static void
compute(int n)
{
	double x = 1;

	for (int i = 0; i < n; i++)
		x = x * 1.0000001 + 1e-9;
	sink = x;
}

static int free_of_it; /* a signal that no member has blocked outside of handlers; 0: none */
static atomic_int inherited;

/* Unequal parts, longer than a slice: members are preempted, and finish elsewhere. */
static void
member_works(int me)
{
	sigset_t mask;

	for (int i = 0; i < 10 * (me % 4 + 1); i++) {
		compute(100000);
		pthread_sigmask(SIG_SETMASK, NULL, &mask);
		inherited += free_of_it && (sigismember(&mask, free_of_it) || sigismember(&mask, SIGUSR1));
	}
}

static void
some_work(int nested)
{
	if (nested) {
#pragma omp parallel num_threads(2)
		{
			int outer = omp_get_thread_num();
#pragma omp parallel num_threads(MEMBERS / 2)
			member_works(outer + omp_get_thread_num());
		}
		return;
	}
#pragma omp parallel num_threads(MEMBERS)
	{
		member_works(omp_get_thread_num());
#pragma omp barrier
		compute(200000);
	}
}

/* A timer of the program's, whose handler blocks its own signal and SIGUSR1 while it runs. */
static void
timer(int signal, int nested)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval every = {{0, 2000}, {0, 2000}}, none = {{0, 0}, {0, 0}};
	double end = check_now() + SECONDS;
	sigset_t mask;

	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(signal, &action, NULL);
	free_of_it = signal;
	setitimer(ITIMER_REAL, &every, NULL);
	int regions = 0, wrong = 0;
	while (check_now() < end) {
		some_work(nested);
		pthread_sigmask(SIG_SETMASK, NULL, &mask);
		wrong += sigismember(&mask, signal) || sigismember(&mask, SIGUSR1);
		regions++;
	}
	setitimer(ITIMER_REAL, &none, NULL);
	/* A handler that has begun may need its time on a busy machine. */
	for (int i = 0; i < 200 && (blocked_somewhere(signal) || blocked_somewhere(SIGUSR1)); i++)
		usleep(20000);
	CHECK(wrong == 0, "the caller's mask was another after %d of %d regions", wrong, regions);
	CHECK(inherited == 0, "members saw a handler's mask %d times", inherited);
	CHECK(blocked_somewhere(signal) == 0, "%d kernel threads have it blocked", blocked_somewhere(signal));
	CHECK(blocked_somewhere(SIGUSR1) == 0, "%d kernel threads have SIGUSR1 blocked", blocked_somewhere(SIGUSR1));
	CHECK(bad_in_handler == 0, "%d wrong masks in the handler, %d calls", bad_in_handler, alarms);
	int before = alarms;
	raise(signal);
	CHECK(alarms == before + 1, "the signal does not come any more");
}

/* Each member sets a mask of its own and asks for it again. */
static void
member_asks(int me, int *wrong)
{
	static const int mine[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGHUP};
	sigset_t set, old, now;

	sigemptyset(&set);
	sigaddset(&set, mine[me % 4]);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	for (int i = 0; i < 4; i++)
		*wrong += sigismember(&old, mine[i]) != 0;
	for (int round = 0; round < 10; round++) {
		pthread_sigmask(SIG_SETMASK, NULL, &now);
		for (int i = 0; i < 4; i++)
			*wrong += sigismember(&now, mine[i]) != (i == me % 4);
		compute(100000);
		pthread_sigmask(SIG_SETMASK, NULL, &now);
		for (int i = 0; i < 4; i++)
			*wrong += sigismember(&now, mine[i]) != (i == me % 4);
#pragma omp barrier
	}
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void
asked(int nested)
{
	int wrong = 0;

	if (nested) {
#pragma omp parallel num_threads(2) reduction(+ : wrong)
		{
			int outer = omp_get_thread_num(), inner = 0;
#pragma omp parallel num_threads(MEMBERS / 2) reduction(+ : inner)
			member_asks(outer + 2 * omp_get_thread_num(), &inner);
			wrong += inner;
		}
	} else {
#pragma omp parallel num_threads(MEMBERS) reduction(+ : wrong)
		member_asks(omp_get_thread_num(), &wrong);
	}
	CHECK(wrong == 0, "%d answers", wrong);
}

static void *
sender(void *stop)
{
	while (!atomic_load((atomic_int *)stop)) {
		kill(getpid(), SIGUSR2);
		usleep(500);
	}
	return NULL;
}

static void *
takes(void *arg)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	while (sigwait(&set, &got) == 0)
		received++;
	return arg;
}

/* The caller, in its own region and as a member of it. */
static int
lost(void)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	return !sigismember(&now, SIGUSR2) || !sigismember(&now, SIGTERM);
}

static int
lost_within(int nested)
{
	int count = 0;

#pragma omp parallel num_threads(nested ? 2 : MEMBERS)
	{
		int me = omp_get_thread_num();

		for (int i = 0; i < 10 * (me % 4 + 1); i++) {
			compute(100000);
			if (me == 0)
				count += lost();
		}
		if (nested) {
#pragma omp parallel num_threads(MEMBERS / 2)
			member_works(me + omp_get_thread_num());
		}
#pragma omp barrier
		if (me == 0)
			count += lost();
	}
	return count;
}

/* A thread of the program's has signals blocked, another one takes them; the rest of the process has not. */
static void *
regions_of_another(void *arg)
{
	sigset_t mine;
	double end = check_now() + SECONDS;
	int wrong = 0, within = 0;

	sigemptyset(&mine);
	sigaddset(&mine, SIGUSR2);
	sigaddset(&mine, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &mine, NULL);
	while (check_now() < end) {
		within += lost_within(*(int *)arg);
		*(int *)arg ^= 1;
		wrong += lost();
	}
	CHECK(within == 0, "the thread's own mask was another %d times in its regions", within);
	CHECK(wrong == 0, "the thread's own mask was lost after %d regions", wrong);
	return NULL;
}

/* All threads have it blocked by the program, before the first region: default action is death. Workers come from other
 * threads. */
static void
blocked(void)
{
	pthread_t taker, one, other;
	sigset_t set;
	atomic_int stop = 0;
	int nested[2] = {0, 1};

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&taker, NULL, takes, NULL);
	some_work(0);
	some_work(1);
	pthread_create(&one, NULL, sender, &stop);
	pthread_create(&other, NULL, regions_of_another, &nested[0]);
	regions_of_another(&nested[1]);
	pthread_join(other, NULL);
	stop = 1;
	pthread_join(one, NULL);
	CHECK(received > 0, "%d received", received);
}

/* A thread blocks a signal after the workers are there, which have it unblocked, with a handler: it must never run on
 * that thread. */
static pthread_t chooser;
static atomic_int on_chooser;

static void
on_chosen(int signal)
{
	received++;
	on_chooser += pthread_equal(pthread_self(), chooser) && signal;
}

static void *
choose(void *arg)
{
	int nested[1] = {0};

	chooser = pthread_self();
	regions_of_another(nested);
	return arg;
}

static void
chosen(void)
{
	atomic_int stop = 0;
	pthread_t one, other;

	signal(SIGUSR2, on_chosen);
	signal(SIGTERM, nothing);
	some_work(0);
	some_work(1);
	pthread_create(&one, NULL, sender, &stop);
	pthread_create(&other, NULL, choose, NULL);
	pthread_join(other, NULL);
	stop = 1;
	pthread_join(one, NULL);
	CHECK(received > 0, "%d received", received);
	CHECK(on_chooser == 0, "%d handlers on a thread that has the signal blocked", on_chooser);
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "alarm";
	int nested = argc > 2;

	omp_set_max_active_levels(2);
	if (!strcmp(mode, "alarm"))
		timer(SIGALRM, nested);
	else if (!strcmp(mode, "asked"))
		asked(nested);
	else if (!strcmp(mode, "blocked"))
		blocked();
	else
		chosen();
	return check_end();
}
