// Regions of ever other sizes, one member among them, up to five deep: level, active level, sizes and numbers of all
// around are right, though teams are used again at other levels and in others. NEST_SEED=n replays.
// env: OMP_NUM_THREADS=2
// env: OMP_NUM_THREADS=4
// env: OMP_NUM_THREADS=2 FGOMP_THREADS=kernel
// env: OMP_NUM_THREADS=2 FGOMP_SCHED=cache
// limit: 40
#include <omp.h>

#include "check.h"

enum { DEEPEST = 5, SIZES = 3 };

struct around {
	int size[DEEPEST + 1], number[DEEPEST + 1], depth, active;
};

static unsigned
draw(unsigned *state, unsigned limit)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 10) % limit;
}

static void
look(const struct around *around)
{
	CHECK(omp_get_level() == around->depth && omp_get_active_level() == around->active, "%d %d, not %d %d",
	      omp_get_level(), omp_get_active_level(), around->depth, around->active);
	for (int level = 1; level <= around->depth; level++)
		CHECK(omp_get_team_size(level) == around->size[level] &&
			      omp_get_ancestor_thread_num(level) == around->number[level],
		      "level %d of %d", level, around->depth);
}

static void
node(unsigned seed, const struct around *around)
{
	look(around);
	if (around->depth == DEEPEST)
		return;
	for (unsigned regions = draw(&seed, 3); regions > 0; regions--) {
		int size = 1 + (int)draw(&seed, SIZES), own = (int)seed;
#pragma omp parallel num_threads(size)
		{
			struct around here = *around;
			int me = omp_get_thread_num();
			here.depth++;
			here.active += size > 1;
			here.size[here.depth] = size;
			here.number[here.depth] = me;
			node((unsigned)own + (unsigned)me * 7919, &here);
			look(&here);
		}
		look(around);
	}
}

int
main(void)
{
	const char *text = getenv("NEST_SEED");
	unsigned seed = text ? (unsigned)atoi(text) : 1;
	struct around nothing = {{1}, {0}, 0, 0};
	omp_set_max_active_levels(DEEPEST);
	for (unsigned i = 0; i < 300; i++)
		node(seed + i * 31, &nothing);
	return check_end();
}
