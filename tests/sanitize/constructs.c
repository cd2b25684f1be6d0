// Every construct of OpenMP, used correctly: plain variables that only the construct orders. A race detector must find
// nothing. Flat, with more members than CPUs, nested, by threads of the program at the same time.
// env: -
// env: OMP_CANCELLATION=true
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS 8
#define TURNS 3

static int failed;

#define CHECK(what)                                                                                                    \
	((what) ? (void)0                                                                                              \
		: (void)(__atomic_store_n(&failed, 1, __ATOMIC_RELAXED),                                               \
			 printf("%s, line %d: %s\n", __func__, __LINE__, #what)))

static int
sum(const int *part, int n)
{
	int all = 0;
	for (int i = 0; i < n; i++)
		all += part[i];
	return all;
}

static void
fork_join_barrier(int n)
{
	int part[MEMBERS] = {0}, seen[MEMBERS] = {0}, before = 7;
#pragma omp parallel num_threads(n)
	{
		int me = omp_get_thread_num(), size = omp_get_num_threads();
		for (int i = 1; i <= 40; i++) {
			part[me] = i * before;
#pragma omp barrier
			seen[me] += sum(part, size) == 7 * size * i;
#pragma omp barrier
		}
	}
	for (int i = 0; i < n; i++)
		CHECK(part[i] == 280 && seen[i] == 40);
}

static void
single_and_master(int n)
{
	int once = 0, told = 0, right = 0;
#pragma omp parallel num_threads(n) reduction(+ : right)
	for (int i = 0; i < 10; i++) {
		int copy;
#pragma omp single
		once++;
		right += once == i + 1;
#pragma omp barrier
#pragma omp single copyprivate(copy)
		copy = 3 * i;
		right += copy == 3 * i;
#pragma omp master
		told = i;
#pragma omp barrier
		right += told == i;
#pragma omp barrier
	}
	CHECK(right == 30 * n);
}

static void
worksharing(int n)
{
	int a[400] = {0}, b[400], last = 0, sections[3] = {0}, total = 0, running[400], sum_so_far = 0;
#pragma omp parallel num_threads(n) shared(last)
	{
#pragma omp for schedule(dynamic, 3)
		for (int i = 0; i < 400; i++)
			a[i] = i;
#pragma omp for schedule(guided) lastprivate(last)
		for (int i = 0; i < 400; i++) {
			b[i] = a[399 - i] + 1;
			last = i;
		}
#pragma omp for nowait
		for (int i = 0; i < 400; i++)
			a[i] = b[399 - i];
#pragma omp sections
		{
#pragma omp section
			sections[0] = last;
#pragma omp section
			sections[1] = last;
#pragma omp section
			sections[2] = last;
		}
#pragma omp for schedule(monotonic : dynamic) lastprivate(conditional : last)
		for (int i = 0; i < 40; i++)
			if (i < 20)
				last = i;
#pragma omp for schedule(runtime) reduction(+ : total)
		for (int i = 0; i < 400; i++)
			total += a[i] + sections[i % 3];
#pragma omp for reduction(inscan, + : sum_so_far)
		for (int i = 0; i < 400; i++) {
			sum_so_far += 1;
#pragma omp scan inclusive(sum_so_far)
			running[i] = sum_so_far;
		}
	}
	CHECK(total == 400 * 399 / 2 + 400 + 400 * 399 && last == 19 && running[399] == 400);
}

static void
turns(int n)
{
	int order[60], at = 0, field[12][12] = {{0}};
#pragma omp parallel num_threads(n)
	{
#pragma omp for ordered schedule(dynamic)
		for (int i = 0; i < 60; i++)
#pragma omp ordered
			order[at++] = i;
#pragma omp for ordered(2) schedule(dynamic)
		for (int i = 1; i < 12; i++)
			for (int j = 1; j < 12; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
				field[i][j] = field[i - 1][j] + field[i][j - 1] + 1;
#pragma omp ordered depend(source)
			}
	}
	for (int i = 0; i < 60; i++)
		CHECK(order[i] == i);
	CHECK(field[2][2] == 5);
}

static void
locks(int n)
{
	int a = 0, b = 0, c = 0, d = 0, e = 0;
	long double wide = 0;
	omp_lock_t lock;
	omp_nest_lock_t nest;
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(n)
	for (int i = 0; i < 20; i++) {
#pragma omp critical
		a++;
#pragma omp critical(named)
		b++;
		omp_set_lock(&lock);
		c++;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		omp_set_nest_lock(&nest);
		d++;
		omp_unset_nest_lock(&nest);
		d++;
		omp_unset_nest_lock(&nest);
		while (!omp_test_lock(&lock))
			;
		e++;
		omp_unset_lock(&lock);
#pragma omp atomic
		wide += 1;
	}
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest);
	CHECK(a == 20 * n && b == 20 * n && c == 20 * n && d == 40 * n && e == 20 * n && wide == 20 * n);
}

static void
reductions(int n)
{
	int simple = 0, many[16] = {0}, in_tasks = 0, of_loop = 0, of_team = 0;
#pragma omp parallel num_threads(n) reduction(+ : simple, many)
	{
		simple++;
		for (int i = 0; i < 16; i++)
			many[i] += i;
	}
#pragma omp parallel num_threads(n)
	{
#pragma omp single
#pragma omp taskgroup task_reduction(+ : in_tasks)
		for (int i = 0; i < 50; i++)
#pragma omp task in_reduction(+ : in_tasks)
			in_tasks += i;
#pragma omp for reduction(task, + : of_loop)
		for (int i = 0; i < 20; i++)
#pragma omp task in_reduction(+ : of_loop)
			of_loop += i;
	}
#pragma omp parallel num_threads(n) reduction(task, + : of_team)
#pragma omp task in_reduction(+ : of_team)
	of_team++;
	CHECK(simple == n && many[15] == 15 * n && in_tasks == 1225 && of_loop == 190 && of_team == n);
}

static int
fib(int n)
{
	int a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

struct big {
	int number[100];
};

static void
tasks(int n)
{
	int result = 0, cell[64] = {0}, deep[40] = {0}, looped[200] = {0}, wrong = 0;
#pragma omp parallel num_threads(n)
	{
#pragma omp single nowait
		result = fib(11);
		int mine = omp_get_thread_num();
#pragma omp task firstprivate(mine)
		cell[mine]++;
#pragma omp barrier
#pragma omp single
		{
			for (int i = 0; i < n; i++)
				wrong += cell[i] != 1;
			for (int i = 0; i < 64; i++) {
				struct big big = {{i}};
#pragma omp task firstprivate(big) priority(i % 2)
				cell[i] = big.number[0]++;
			}
#pragma omp taskgroup
			for (int i = 0; i < 40; i++)
#pragma omp task
#pragma omp task
				deep[i] = i;
			for (int i = 0; i < 40; i++)
				wrong += deep[i] != i;
#pragma omp taskwait
			for (int i = 0; i < 64; i++)
				wrong += cell[i] != i;
#pragma omp taskloop grainsize(7)
			for (int i = 0; i < 200; i++)
				looped[i] = i;
			for (int i = 0; i < 200; i++)
				wrong += looped[i] != i;
#pragma omp task if (0)
			wrong += looped[3] != 3;
#pragma omp taskyield
		}
#pragma omp for
		for (int i = 0; i < 40; i++)
#pragma omp task untied
			deep[i] = 1;
	}
	CHECK(result == 89 && wrong == 0 && sum(deep, 40) == 40);
}

static void
dependences(int n)
{
	int chain = 0, parts[10] = {0}, total = 0, wrong = 0, wave[8][8] = {{0}};
#pragma omp parallel num_threads(n)
#pragma omp single
	{
		for (int i = 0; i < 60; i++)
#pragma omp task depend(inout : chain) firstprivate(i) shared(wrong, chain)
		{
			wrong += chain != i;
			chain++;
		}
		for (int i = 0; i < 10; i++)
#pragma omp task depend(in : chain) depend(out : parts[i]) shared(chain)
			parts[i] = chain;
		for (int i = 0; i < 10; i++)
#pragma omp task depend(in : parts[i]) depend(mutexinoutset : total) shared(total)
			total += parts[i];
#pragma omp task depend(inout : total) if (0) shared(wrong, total)
		wrong += total != 600;
#pragma omp task depend(inout : chain) shared(chain)
		chain = 5;
#pragma omp taskwait depend(in : chain)
		wrong += chain != 5;
		for (int i = 1; i < 8; i++)
			for (int j = 1; j < 8; j++)
#pragma omp task depend(in : wave[i - 1][j], wave[i][j - 1]) depend(out : wave[i][j])
				wave[i][j] = wave[i - 1][j] + wave[i][j - 1] + 1;
	}
	CHECK(wrong == 0 && wave[2][2] == 5 && chain == 5);
}

struct event {
	omp_event_handle_t handle;
	int *value;
};

static void *
fulfill(void *arg)
{
	struct event *event = arg;
	*event->value += 5;
	omp_fulfill_event(event->handle);
	return NULL;
}

static void
events(int n)
{
	int value = 0, after = 0;
#pragma omp parallel num_threads(n)
#pragma omp single
	{
		omp_event_handle_t handle;
		pthread_t thread;
		struct event event = {.value = &value};
#pragma omp task detach(handle) depend(out : after)
		;
		event.handle = handle;
#pragma omp task depend(in : after) shared(value, after)
		after = value;
		pthread_create(&thread, NULL, fulfill, &event);
		pthread_detach(thread);
#pragma omp taskwait
		CHECK(value == 5 && after == 5);
	}
}

static void
cancellation(int n)
{
	int found = -1, done[MEMBERS] = {0}, tried = 0;
#pragma omp parallel num_threads(n)
	{
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 100; i++) {
			if (i == 30) {
#pragma omp critical
				found = i;
#pragma omp cancel for
			}
#pragma omp cancellation point for
		}
		done[omp_get_thread_num()] = found;
#pragma omp barrier
#pragma omp single
		{
#pragma omp taskgroup
			for (int i = 0; i < 20; i++)
#pragma omp task shared(tried)
			{
#pragma omp critical
				tried++;
#pragma omp cancel taskgroup
			}
			CHECK(tried > 0);
		}
#pragma omp cancel parallel
	}
	CHECK(sum(done, n) == 30 * n);
}

static int own;
#pragma omp threadprivate(own)

static void
storage(int n)
{
	int seen[MEMBERS] = {0};
	own = n;
#pragma omp parallel num_threads(n) copyin(own)
	{
		own += omp_get_thread_num();
		seen[omp_get_thread_num()] = own;
#pragma omp parallel num_threads(2)
#pragma omp critical
		seen[omp_get_ancestor_thread_num(omp_get_level() - 1)]++;
	}
	CHECK(sum(seen, n) ==
	      n * n + n * (n - 1) / 2 + n * (omp_get_max_active_levels() > omp_get_active_level() + 1 ? 2 : 1));
}

static void
everything(int n)
{
	fork_join_barrier(n);
	single_and_master(n);
	worksharing(n);
	turns(n);
	locks(n);
	reductions(n);
	tasks(n);
	dependences(n);
	events(n);
	cancellation(n);
	storage(n);
}

static void *
foreign(void *arg)
{
	everything(2);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	omp_set_max_active_levels(3);
	for (int i = 0; i < TURNS; i++) {
		everything(2);
		everything(MEMBERS);
#pragma omp parallel num_threads(3)
		everything(3);
	}
	pthread_create(&thread, NULL, foreign, NULL);
	everything(3);
	pthread_join(thread, NULL);
	return failed;
}
