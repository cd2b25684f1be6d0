/* Tasks: dependences of all kinds, taskgroups in each other, priorities, large data, events, taskloops; from one member
 * and from all. */
#include "limits.h"

struct large {
	long words[500];
};

static long
tree(int depth)
{
	long left, right;
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
dependences(void)
{
	long chain[3] = {0}, sum = 0, set = 0, exclusive = 0;
	char many[40];
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 60; i++) {
#pragma omp task depend(inout : chain[i % 3]) firstprivate(i)
			chain[i % 3] = chain[i % 3] * 3 % 1009 + i;
		}
		for (int i = 0; i < 30; i++) {
#pragma omp task depend(in : chain[0], chain[1], chain[2])
#pragma omp atomic
			sum++;
		}
#pragma omp task depend(out : chain[0], chain[1], chain[2])
		set = sum;
		for (int i = 0; i < 20; i++) {
#pragma omp task depend(mutexinoutset : exclusive)
			{
				long seen = exclusive;
				work(1);
				exclusive = seen + 1;
			}
		}
		/* Many addresses: of one task, and in one table. */
#pragma omp task depend(inout : many[0], many[1], many[2], many[3], many[4], many[5], many[6], many[7], many[8],       \
				many[9], many[10], many[11], many[12], many[13], many[14], many[15], many[16],         \
				many[17], many[18], many[19])
		for (int i = 0; i < 40; i++)
			many[i] = 1;
		for (int i = 0; i < 40; i++) {
#pragma omp task depend(inout : many[i]) depend(in : many[0]) firstprivate(i)
			many[i]++;
		}
#pragma omp taskwait depend(in : many[7])
		CHECK(many[7], 2);
#pragma omp task if (0) depend(inout : chain[1])
		chain[1] += 5;
	}
	long should[3] = {0};
	for (int i = 0; i < 60; i++)
		should[i % 3] = should[i % 3] * 3 % 1009 + i;
	CHECK(chain[0], should[0]);
	CHECK(chain[1], should[1] + 5);
	CHECK(set, 30);
	CHECK(exclusive, 20);
	for (int i = 1; i < 20; i++)
		CHECK(many[i], 2);
}

static void
groups(void)
{
	long sum = 0, inner = 0, bad = 0, members = 0;
#pragma omp parallel reduction(+ : members)
	for (int r = 0; r < 3; r++) {
		long mine = 0;
		members++;
#pragma omp taskgroup
		{
			for (int i = 0; i < 10; i++) {
				struct large large = {{i}};
#pragma omp task shared(mine, inner) firstprivate(large) priority(i)
				{
#pragma omp taskgroup
					{
#pragma omp task shared(inner)
						{
							work(2);
#pragma omp atomic
							inner++;
						}
					}
#pragma omp atomic
					mine += large.words[0];
				}
			}
		}
		if (mine != 45)
#pragma omp atomic
			bad++;
#pragma omp atomic
		sum += mine;
	}
	CHECK(bad, 0);
	CHECK(sum, 45 * members);
	CHECK(inner, 10 * members);
}

static void
events(void)
{
	long fulfilled = 0, seen = 0;
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 8; i++) {
			omp_event_handle_t event;
#pragma omp task detach(event) depend(out : seen) shared(fulfilled)
			{
				omp_event_handle_t mine = event;
#pragma omp task firstprivate(mine) shared(fulfilled)
				{
#pragma omp atomic
					fulfilled++;
					omp_fulfill_event(mine);
				}
			}
#pragma omp task depend(in : seen) shared(seen)
#pragma omp atomic
			seen++;
		}
	}
	CHECK(fulfilled, 8);
	CHECK(seen, 8);
}

static void
loops(void)
{
	long sum = 0, large_sum = 0;
	struct large large = {{7}};
#pragma omp parallel
	{
#pragma omp single
#pragma omp taskloop num_tasks(20) shared(sum)
		for (int i = 0; i < 100; i++)
#pragma omp atomic
			sum += i;
#pragma omp single
#pragma omp taskloop grainsize(3) firstprivate(large) shared(large_sum)
		for (int i = 0; i < 30; i++)
#pragma omp atomic
			large_sum += large.words[0];
	}
	CHECK(sum, 4950);
	CHECK(large_sum, 210);
}

int
main(void)
{
	long leaves = 0, trees = 0;
	first_team();
	for (int r = 0; r < 2; r++) {
#pragma omp parallel reduction(+ : leaves, trees)
		{
			trees++;
			leaves += tree(5);
		}
		dependences();
		groups();
		events();
		loops();
	}
	/* Outside of any region. */
#pragma omp taskgroup
	{
#pragma omp task shared(leaves)
		leaves++;
	}
	CHECK(leaves, 32 * trees + 1);
	return wrong;
}
