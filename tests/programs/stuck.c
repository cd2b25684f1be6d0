// FGOMP_STUCK tells once for what the members of a region wait, and the program goes on. In each case something never
// comes; another thread lets the program go when the report is there.
// env: CASE=locks FGOMP_STUCK=1
// env: CASE=locks FGOMP_STUCK=1 FGOMP_THREADS=kernel
// env: CASE=locks FGOMP_STUCK=1 OMP_WAIT_POLICY=active
// env: CASE=nest_lock FGOMP_STUCK=1s
// env: CASE=critical FGOMP_STUCK=1
// env: CASE=left_out FGOMP_STUCK=1
// env: CASE=left_out FGOMP_STUCK=1 FGOMP_THREADS=kernel
// env: CASE=late FGOMP_STUCK=1
// env: CASE=late FGOMP_STUCK=1 OMP_NUM_THREADS=40
// env: CASE=late FGOMP_STUCK=1 FGOMP_THREADS=kernel
// env: CASE=nested FGOMP_STUCK=1
// env: CASE=nested FGOMP_STUCK=1 FGOMP_THREADS=kernel
// env: CASE=event FGOMP_STUCK=1
// env: CASE=depend FGOMP_STUCK=1
// env: CASE=taskgroup FGOMP_STUCK=1
// env: CASE=ordered FGOMP_STUCK=1
// env: CASE=doacross FGOMP_STUCK=1
// env: CASE=copyprivate FGOMP_STUCK=1
// env: CASE=mutex FGOMP_STUCK=1
// env: CASE=mutex FGOMP_STUCK=1 FGOMP_THREADS=kernel
// env: CASE=spin FGOMP_STUCK=1
// env: CASE=spin FGOMP_STUCK=1 FGOMP_THREADS=kernel
// env: CASE=spin FGOMP_STUCK=1 OMP_NUM_THREADS=2
// env: CASE=once FGOMP_STUCK=1
// env: CASE=computes FGOMP_STUCK=2
// env: CASE=moves FGOMP_STUCK=2
// env: CASE=stopped FGOMP_STUCK=2
// env: CASE=forked FGOMP_STUCK=1
// env: CASE=simulated FGOMP_STUCK=1 FGOMP_CARRIER=virtual:1
// env: CASE=blind FGOMP_STUCK=1
// limit: 40
// cpus: 2
// stock: fails (it has no FGOMP_STUCK)
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"
#include "stuck.h"
#include "stuck_tasks.h"

/* Two locks, in opposite order. */
static omp_lock_t first, second;

__attribute__((noinline)) static void
take_both(omp_lock_t *one, omp_lock_t *other)
{
	static int met;
	omp_set_lock(one);
	__atomic_add_fetch(&met, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&met, __ATOMIC_SEQ_CST) < 2)
		usleep(1000);
	omp_set_lock(other);
	omp_unset_lock(other);
	if (one == &first) /* the other member's was taken from it */
		omp_unset_lock(one);
}

static void
by_unset(void)
{
	omp_unset_lock(&second);
}

static void
locks(void)
{
	omp_init_lock(&first);
	omp_init_lock(&second);
	pthread_t thread = release_with(by_unset);
#pragma omp parallel num_threads(THREADS)
	{
		if (omp_get_thread_num() == 0)
			take_both(&first, &second);
		else if (omp_get_thread_num() == 1)
			take_both(&second, &first);
	}
	pthread_join(thread, NULL);
	stderr_back();
	says(1, "member 0 waits for the lock at 0x[0-9a-f]+ \\(second\\), held by member 1, in take_both\\+0x");
	says(1, "member 1 waits for the lock at 0x[0-9a-f]+ \\(first\\), held by member 0, in take_both\\+0x");
	says(1, "members 2 to 3, each: has reached the end of the region$");
}

static void
nest_lock(void)
{
	static omp_nest_lock_t nest;
	omp_init_nest_lock(&nest);
	pthread_t thread = release_with(by_pipe);
#pragma omp parallel num_threads(THREADS)
	{
		if (omp_get_thread_num() == 2) {
			omp_set_nest_lock(&nest);
			omp_set_nest_lock(&nest);
		}
#pragma omp barrier
		if (omp_get_thread_num() == 2) {
			wait_in_read();
			omp_unset_nest_lock(&nest);
			omp_unset_nest_lock(&nest);
		} else {
			omp_set_nest_lock(&nest);
			omp_unset_nest_lock(&nest);
		}
	}
	pthread_join(thread, NULL);
	stderr_back();
	says(1, "members 0 to 1, each: waits for the nest lock at 0x[0-9a-f]+.*, held by member 2, in nest_lock");
	says(1, "member 2 is in the system call read, in wait_in_read\\+0x");
	says(1, "member 3 waits for the nest lock");
}

static void
critical(void)
{
	int counter = 0;
	pthread_t thread = release_with(by_pipe);
#pragma omp parallel num_threads(THREADS)
#pragma omp critical(account)
	if (++counter == 1)
		wait_in_read();
	CHECK(counter == THREADS);
	pthread_join(thread, NULL);
	stderr_back();
	CHECK(count("waits for critical \\(account\\)") > 0);
	says(1, "is in the system call read, in wait_in_read");
}

/* This cannot be mended: the program ends. */
static void
by_exit(void)
{
	stderr_back();
	says(1, "member 1 waits in a barrier, .*\\(1 of 3 have arrived\\)");
	says(1, "nobody is left to arrive: some members have met fewer barriers than others");
	_exit(check_end());
}

static void
left_out(void)
{
	omp_set_max_active_levels(2);
	release_with(by_exit);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(3)
			{
				if (omp_get_thread_num() == 1) {
#pragma omp barrier
				}
			}
		}
	}
}

static void
late(void)
{
	int threads = getenv("OMP_NUM_THREADS") ? 40 : THREADS;
	char all[100];
	pthread_t thread = release_with(by_pipe);
#pragma omp parallel num_threads(threads)
	{
		if (omp_get_thread_num() == 0)
			wait_in_read();
#pragma omp barrier
		__asm__ volatile("# late");
	}
	pthread_join(thread, NULL);
	stderr_back();
	says(1, "member 0 is in the system call read, in wait_in_read\\+0x[0-9a-f]+ \\(stuck\\+0x[0-9a-f]+\\), called "
		"from late");
	snprintf(all, sizeof all, "members 1 to %d, each: waits in a barrier, in late.*\\(%d of %d have arrived\\)",
		 threads - 1, threads - 1, threads);
	says(1, all);
	CHECK(count("kernel thread [0-9]+: (is|carries) (no member|member [0-9]+ of a region of [0-9]+), sleeps") > 0);
}

static void
nested(void)
{
	omp_set_max_active_levels(3);
	pthread_t thread = release_with(by_pipe);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 2) {
#pragma omp parallel num_threads(2)
			{
				if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(3)
					{
						if (omp_get_thread_num() == 0)
							wait_in_read();
#pragma omp barrier
						__asm__ volatile("");
					}
				}
			}
		}
	}
	pthread_join(thread, NULL);
	stderr_back();
	says(1, "^libgomp:   region of 3 members \\((flat|a kernel thread each)\\), nested");
	says(1, "^libgomp:     member 2 is in a region within:");
	says(1, "^libgomp:       region of 2 members \\((nested|a kernel thread each)\\), nested");
	says(1, "^libgomp:         member 1 is in a region within:");
	says(1, "^libgomp:           region of 3 members ");
	says(1, "^libgomp:             member 0 is in the system call read, in wait_in_read");
	says(1, "^libgomp:             members 1 to 2, each: waits in a barrier, in nested.*\\(2 of 3 have arrived\\)");
}

static void
ordered(void)
{
	int sum = 0;
	pthread_t thread = release_with(by_pipe);
#pragma omp parallel for ordered schedule(static, 1) num_threads(THREADS)
	for (int i = 0; i < 100; i++) {
		if (i == 3)
			wait_in_read();
#pragma omp ordered
		sum += i;
	}
	CHECK(sum == 4950);
	pthread_join(thread, NULL);
	stderr_back();
	says(1, "members 0 to 2, each: waits for its turn in an ordered loop, in ordered");
	says(1, "member 3 is in the system call read");
}

static void
doacross(void)
{
	int done[100] = {0};
	pthread_t thread = release_with(by_pipe);
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(THREADS)
	for (int i = 0; i < 100; i++) {
		if (i == 2)
			wait_in_read();
#pragma omp ordered depend(sink : i - 1)
		done[i] = i == 0 || done[i - 1];
#pragma omp ordered depend(source)
	}
	CHECK(done[99]);
	pthread_join(thread, NULL);
	stderr_back();
	says(1, "members 0 to 1, each: waits for another iteration of a doacross loop, in doacross");
	says(1, "member 3 waits for another iteration of a doacross loop, in doacross");
}

static void
copyprivate(void)
{
	int value = 0;
	pthread_t thread = release_with(by_pipe);
#pragma omp parallel num_threads(THREADS) firstprivate(value)
	{
#pragma omp single copyprivate(value)
		{
			wait_in_read();
			value = 7;
		}
		CHECK(value == 7);
	}
	pthread_join(thread, NULL);
	stderr_back();
	CHECK(count("waits for the copyprivate data of a single construct, in copyprivate") > 0);
	says(1, "is in the system call read");
}

/* A barrier within a mutex. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void
by_mutex(void)
{
	stderr_back();
	says(1, "waits in a barrier, in mutexes.*\\(1 of 4 have arrived\\)");
	CHECK(count("waits in pthread_mutex_lock, for the futex at 0x[0-9a-f]+, held by member [0-3], in mutexes") > 0);
	_exit(check_end());
}

static void
mutexes(void)
{
	release_with(by_mutex);
#pragma omp parallel num_threads(THREADS)
	{
		pthread_mutex_lock(&mutex);
#pragma omp barrier
		pthread_mutex_unlock(&mutex);
	}
}

static void
spin(void)
{
	pthread_t thread = release_with(by_flag);
	int last = (getenv("OMP_NUM_THREADS") ? 2 : THREADS) - 1;
	char line[100];
#pragma omp parallel num_threads(last + 1)
	{
		if (omp_get_thread_num() == last)
			spin_for_flag();
	}
	pthread_join(thread, NULL);
	stderr_back();
	snprintf(line, sizeof line, "member %d computes, in spin_for_flag(\\+0x[0-9a-f]+)? \\(stuck\\+0x[0-9a-f]+\\)",
		 last);
	says(1, line);
}

static void
once(void)
{
	late();
	stderr_to_file();
	pthread_t thread = release_with(by_flag);
	go = 0;
#pragma omp parallel num_threads(THREADS)
	{
		if (omp_get_thread_num() == 0) {
			double end = check_now() + 3;
			while (check_now() < end)
				usleep(10000);
			fprintf(stderr, LAST "\n");
		}
	}
	pthread_join(thread, NULL);
	stderr_back();
	says(0, "FGOMP_STUCK");
}

/* No member waits: each computes, without a call of OpenMP, until the same moment. */
static void
computes(void)
{
	double end = check_now() + 5;
#pragma omp parallel num_threads(2)
	while (check_now() < end)
		;
	stderr_back();
	says(0, "FGOMP_STUCK");
}

/* At each moment a member waits, but the region moves on. */
static void
moves(void)
{
	double end = check_now() + 5;
#pragma omp parallel num_threads(THREADS)
	{
		if (omp_get_thread_num() == 0)
			while (check_now() < end) {
#pragma omp task
				usleep(1000);
#pragma omp taskwait
			}
	}
	stderr_back();
	says(0, "FGOMP_STUCK");
}

/* The process is stopped for long, by its child. Before and after that, one member computes and the other one waits. */
static void
stopped(void)
{
	volatile int *on = mmap(NULL, sizeof *on, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(on != MAP_FAILED);
	pid_t child = fork();
	if (child == 0) {
		while (!*on)
			usleep(1000);
		usleep(500000); /* there were looks */
		kill(getppid(), SIGSTOP);
		usleep(6000000);
		*on = 2;
		kill(getppid(), SIGCONT);
		_exit(0);
	}
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		*on = 1;
		while (*on != 2)
			;
		double end = check_now() + 0.5; /* there are looks */
		while (check_now() < end)
			;
	}
	CHECK(waitpid(child, NULL, 0) == child);
	stderr_back();
	says(0, "FGOMP_STUCK");
}

/* The child of a fork has a watcher of its own. */
static void
forked(void)
{
#pragma omp parallel num_threads(2)
	__asm__ volatile("");
	pid_t child = fork();
	if (child == 0) {
		late();
		_exit(check_end());
	}
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child && status == 0, "status %d", status);
	dup2(real_stderr, 2);
}

static void
simulated(void)
{
	for (int round = 0; round < 3; round++)
#pragma omp parallel num_threads(2)
		__asm__ volatile("");
	stderr_back();
	says(1, "FGOMP_STUCK has no effect here: it is for threads that really run, not for simulated ones");
	says(1, "FGOMP_STUCK");
}

/* A process that has given up root's rights may not read its own /proc. A process that never had them may, and then
 * this test says nothing. */
static void
blind(void)
{
	int may_read = 1, status = 0;
	pid_t child = fork();
	if (child == 0) {
		int gave_up = geteuid() == 0 && setresuid(65534, 65534, 65534) == 0;
		may_read = access("/proc/self/mem", R_OK) == 0;
		double end = check_now() + (gave_up ? 3 : 0);
#pragma omp parallel num_threads(2)
		while (check_now() < end)
			;
		_exit(may_read);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	stderr_back();
	says(!WEXITSTATUS(status), "FGOMP_STUCK has no effect: a process may not read its own memory here");
	says(!WEXITSTATUS(status), "FGOMP_STUCK");
}

int
main(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"locks", locks},	       {"nest_lock", nest_lock}, {"critical", critical},
		     {"left_out", left_out},   {"late", late},		 {"nested", nested},
		     {"event", event},	       {"depend", depend},	 {"taskgroup", taskgroup},
		     {"ordered", ordered},     {"doacross", doacross},	 {"copyprivate", copyprivate},
		     {"mutex", mutexes},       {"spin", spin},		 {"once", once},
		     {"computes", computes},   {"moves", moves},	 {"stopped", stopped},
		     {"forked", forked},       {"simulated", simulated}, {"blind", blind}};
	const char *name = getenv("CASE");
	CHECK(pipe(pipe_ends) == 0);
	stderr_to_file();
	for (unsigned i = 0; name && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(cases[i].name, name) == 0)
			cases[i].run();
	if (check_end())
		fputs(report, stderr);
	return check_failures != 0;
}
