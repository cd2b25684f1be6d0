// Teams of 16 and of 40 members on 16 PUs, of which 4 share a cache. Barriers, reductions, loops, tasks and locks go by
// groups of the members there. They give right results, and the structs of the library show that the groups are used.
// Meson builds this program, and all of the library is in it.
// limit: 60
// env: -
// env: FGOMP_SPIN=0
#include <omp.h>
#include <string.h>

#include "exec/flat/groups.h"
#include "exec/roots/root.h"
#include "exec/thread/root_worker.h"
#include "team/lock/handover.h"
#include "team/share/parts.h"
#include "team/tasks/pool.h"

#include "../../programs/check.h"

enum { PUS = 16, CACHES = 4, EACH = PUS / CACHES, MOST = 40, N = 1000 };

static int size; /* of the team */
static struct fg_root *root;

/* The layout has groups, one for each cache. */
static void
check_groups(void)
{
	const struct fg_groups *groups = root->groups;

	CHECK(groups && groups->slots == PUS && groups->n_inner == CACHES, "%d members", size);
	for (unsigned i = 0; groups && i < groups->slots; i++)
		for (unsigned k = 0; k < i; k++) {
			bool near = root->pus[i] / EACH == root->pus[k] / EACH;
			CHECK((groups->inner[i] == groups->inner[k]) == near, "workers %u and %u", i, k);
		}
}

/* The caller is the primary thread, between two barriers. All workers have crossed the last barrier but one. So the
 * first of each group has stored the summary of that one. */
static void
check_summaries(void)
{
	uint64_t phase = fg_root_worker(root)->crew.phase - 1;

	for (unsigned i = 0; i + 1 < root->groups->n_groups; i++)
		CHECK(fg_load_acquire(&root->groups->done[i][phase & 1].phase) >= phase, "group %u", i);
}

/* Each member is past a barrier. So the primary thread has stored all copies of the fork. `again`: the last region had
 * this layout, too. In the first the workers begin by the line of the dock. */
static void
check_copy(bool again)
{
	const struct fg_worker *worker = fg_self()->worker;
	const struct fg_fork *fork = &root->dock.fork, *copy = &root->groups->forks[root->groups->inner[worker->slot]];

	CHECK(worker->crew.grouped && worker->crew.root == root && worker->crew.fork == copy);
	if (again)
		CHECK(fg_load_relaxed(&copy->epoch) == fg_load_relaxed(&fork->epoch) &&
			      fg_load_relaxed(&copy->layout) == root->layout && copy->job == fork->job &&
			      copy->data == fork->data,
		      "the copy of worker %u", worker->slot);
}

static void
barriers(bool again)
{
	static int round_of[MOST];

#pragma omp parallel num_threads(size)
	{
		int me = omp_get_thread_num();

#pragma omp master
		root = fg_self()->root;
		for (int round = 1; round <= 10; round++) {
			if ((7 * me + round) % 23 == 0)
				check_burn(300);
			round_of[me] = round;
#pragma omp barrier
			for (int i = 0; i < size; i++)
				CHECK(round_of[i] == round, "member %d sees %d of member %d", me, round_of[i], i);
#pragma omp barrier
		}
		if (root->groups) {
			check_copy(again);
#pragma omp master
			check_summaries();
		}
	}
}

static void
reductions(void)
{
	for (int round = 0; round < 4; round++) {
		long members = 0, sum = 0, most = 0;

#pragma omp parallel num_threads(size) reduction(+ : members)
		{
			members++;
#pragma omp for reduction(+ : sum) reduction(max : most)
			for (int i = 0; i < N; i++) {
				sum += i;
				most = i > most ? i : most;
			}
			CHECK(sum == (long)N * (N - 1) / 2 && most == N - 1, "%ld, %ld", sum, most);
		}
		CHECK(members == size, "%ld", members);
		sum = 0;
#pragma omp parallel for num_threads(size) schedule(dynamic, 1) reduction(+ : sum)
		for (int i = 0; i < N; i++)
			sum += i;
		CHECK(sum == (long)N * (N - 1) / 2, "%ld", sum);
	}
}

static unsigned char times[N];
static const struct fg_workshare *share;

static void
note(int i)
{
	__atomic_fetch_add(&times[i], 1, __ATOMIC_RELAXED);
	if (i == N / 2)
		share = fg_self()->thread.share;
	if (i % 97 == 0)
		check_burn(50);
}

static void
all_once(const char *where)
{
	int wrong = 0;

	for (int i = 0; i < N; i++)
		wrong += times[i] != 1;
	CHECK(wrong == 0, "%d of %s, %d members", wrong, where, size);
	memset(times, 0, sizeof times);
}

/* The loop is over. Each chunk has come from a counter of a group. */
static void
check_loop(const char *what, uint8_t kind)
{
	all_once(what);
	CHECK(share && share->kind == kind && share->parts && share->parts->n == CACHES, "%s", what);
	for (unsigned i = 0; share && share->parts && i < share->parts->n; i++)
		CHECK(fg_load_relaxed(&share->parts->part[i].next) != 0, "%s: part %u", what, i);
	share = NULL;
}

static void
loops(void)
{
	int ordered = -1;

#pragma omp parallel num_threads(size)
	{
		int last = -1;

#pragma omp for schedule(nonmonotonic : dynamic, 1)
		for (int i = 0; i < N; i++)
			note(i);
#pragma omp master
		check_loop("dynamic", FG_SHARE_DYNAMIC_PARTS);
#pragma omp barrier
#pragma omp for schedule(monotonic : dynamic, 3)
		for (int i = 0; i < N; i++) {
			CHECK(i > last);
			last = i;
			note(i);
		}
#pragma omp master
		check_loop("monotonic", FG_SHARE_BATCHES);
#pragma omp barrier
#pragma omp for schedule(guided)
		for (int i = 0; i < N; i++)
			note(i);
#pragma omp master
		check_loop("guided", FG_SHARE_BATCHES);
#pragma omp barrier
#pragma omp for schedule(dynamic, 1) ordered
		for (int i = 0; i < N; i++) {
			note(i);
#pragma omp ordered
			{
				CHECK(ordered == i - 1, "iteration %d after %d", i, ordered);
				ordered = i;
			}
		}
#pragma omp master
		check_loop("ordered", FG_SHARE_BATCHES);
	}
}

/* Batches that were taken out of mailboxes. */
static uint64_t
mailed(const struct fg_task_pool *pool)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < pool->n_scouts; i++)
		n += fg_load_relaxed(&pool->scouts[i].box.state) / FG_MAILBOX_STATES;
	return n;
}

static unsigned
scouted(const struct fg_task_pool *pool)
{
	unsigned n = 0;

	for (unsigned i = 0; i < pool->n_scouts; i++)
		n += fg_load_relaxed(&pool->scouts[i].giver) != 0;
	return n;
}

/* One member makes all tasks. Other members take batches of them out of mailboxes as soon as they come to that. */
static void
producer(void)
{
	const struct fg_task_pool *pool = NULL;
	bool several = size > 32; /* with fewer members the mailboxes may do without a scout */

	do {
		for (int i = 0; i < N; i++) {
#pragma omp task
			note(i);
		}
#pragma omp taskwait
		all_once("producer");
		pool = fg_self()->thread.tasks->pool;
	} while (several && (mailed(pool) == 0 || scouted(pool) == 0));
	CHECK(fg_task_pool_is_large(pool));
}

static long
tree(int depth)
{
	long left = 0, right = 0;

	if (depth == 0)
		return 1;
#pragma omp task shared(left)
	left = tree(depth - 1);
#pragma omp task shared(right)
	right = tree(depth - 1);
#pragma omp taskwait
	return left + right;
}

static void
tasks(void)
{
	static int sums[MOST];
	long leaves = 0;

#pragma omp parallel num_threads(size)
	{
		int me = omp_get_thread_num(), sum = 0;

#pragma omp single
		producer();
#pragma omp single
		{
#pragma omp taskloop grainsize(1)
			for (int i = 0; i < N; i++)
				note(i);
			all_once("taskloop");
		}
#pragma omp taskloop num_tasks(50) reduction(+ : sum)
		for (int i = 0; i <= 100; i++)
			sum += i;
		sums[me] = sum;
#pragma omp single
		leaves = tree(10);
	}
	CHECK(leaves == 1 << 10, "%ld leaves", leaves);
	for (int i = 0; i < size; i++)
		CHECK(sums[i] == 5050, "member %d: %d", i, sums[i]);
}

static void
locks(void)
{
	static omp_lock_t lock;
	int criticals = 0, locked = 0;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(size)
	for (int i = 0; i < 50; i++) {
#pragma omp critical
		{
			if (i % 10 == 0)
				check_burn(100); /* others come meanwhile */
			criticals++;
		}
		omp_set_lock(&lock);
		locked++;
		omp_unset_lock(&lock);
	}
	CHECK(criticals == 50 * size && locked == 50 * size, "%d, %d", criticals, locked);
	omp_destroy_lock(&lock);
}

int
main(void)
{
	for (int round = 0; round < 3; round++) {
		size = round % 2 ? MOST : PUS;
		barriers(false);
		check_groups();
		barriers(true);
		reductions();
		loops();
		tasks();
		locks();
	}
	CHECK(fg_handover_used());
	return check_end();
}
