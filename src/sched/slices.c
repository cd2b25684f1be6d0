/* Slices (floor: sched): see slices.h. */
#include "sched/slices.h"

#include <math.h>

#include "base/log.h"
#include "forest/live.h"
#include "forest/time.h"
#include "forestgomp/sched.h"
#include "sched/policy.h"
#include "sched/time_calls.h"
#include "sched/world.h"

struct fg_atomic_u32 fg_slices_given;

/* The record is read before the time since the switch: that time is 0 before it goes into the record. */
static uint64_t
used_by(const struct fg_bubble *bubble, unsigned number)
{
	const struct fg_time *record = &bubble->entity.time[number];
	uint64_t ns = fg_load_acquire(&record->own) + fg_load_relaxed(&record->nested);
	const struct fg_entity *thread = fg_live_thread_locked(bubble, number);
	if (!thread || thread->time != record || !fg_world.runs_for)
		return ns; /* the thread that met a region counts as its member */
	return ns + fg_world.runs_for(thread);
}

static uint64_t
used(const struct fg_bubble *bubble)
{
	uint64_t ns = 0;
	for (unsigned k = 0; bubble->entity.time && k < bubble->size; k++)
		ns += used_by(bubble, k);
	if (!fg_live_has_locked(bubble))
		return ns; /* it is just born, so nothing is below it */
	for (const struct fg_bubble *in = fg_live_first_locked(bubble); in; in = fg_live_next_locked(in))
		ns += used(in);
	return ns;
}

static void
refuse(double seconds)
{
	static struct fg_atomic_u32 told;
	if (fg_exchange_acq_rel(&told, 1) == 0)
		fg_error("a bubble scheduler gives a bubble a budget of %g s of CPU time; a budget is more than 0 "
			 "(INFINITY: none); the bubble has none now",
			 seconds);
}

static void
give(struct fg_bubble *bubble, uint64_t budget)
{
	uint64_t had = fg_load_relaxed(&bubble->slice.budget);
	fg_store_relaxed(&bubble->slice.ends, budget ? used(bubble) + budget : 0);
	fg_store_release(&bubble->slice.budget, budget);
	if (!had && budget)
		fg_add_relaxed(&fg_slices_given, 1);
	else if (had && !budget)
		fg_sub_acq_rel(&fg_slices_given, 1);
}

#define SECONDS_MAX 1e9

__attribute__((visibility("default"))) void
fgomp_bubble_set_slice(struct fg_bubble *bubble, double seconds)
{
	bool wrong = !(seconds > 0);
	if (wrong)
		refuse(seconds);
	give(bubble, wrong || seconds > SECONDS_MAX ? 0 : (uint64_t)(seconds * 1e9) + 1);
	if (!wrong && fg_world.put_aside)
		fg_world.put_aside(); /* somebody must look at it */
}

void
fg_slices_end(struct fg_bubble *bubble)
{
	if (fg_load_relaxed(&bubble->slice.budget))
		give(bubble, 0);
}

/* The first bubble of the tree whose budget is used up. Its function may change the tree below, so each search begins
 * anew. A budget that starts again is not found twice, because the look is at one moment. */
struct search {
	uint64_t left; /* the least of those that are not used up */
	struct fg_bubble *over;
};

static void
search_below(const struct fg_bubble *above, struct search *search)
{
	for (struct fg_bubble *one = fg_live_first_locked(above); one && !search->over;
	     one = fg_live_next_locked(one)) {
		if (fg_load_acquire(&one->slice.budget)) {
			uint64_t now = used(one), ends = fg_load_relaxed(&one->slice.ends);
			uint64_t left = now < ends ? ends - now : 0;
			search->over = left ? NULL : one;
			search->left = left && left < search->left ? left : search->left;
		}
		search_below(one, search);
	}
}

/* In one look each budget can end a few times at most. */
#define ENDS_MAX 1000

bool
fg_slices_look(struct fg_runqueue *top)
{
	if (fg_load_relaxed(&fg_slices_given) == 0)
		return false;
	fg_live_lock();
	for (unsigned i = 0; i < ENDS_MAX; i++) {
		struct search search = {.left = UINT64_MAX};
		search_below(NULL, &search);
		if (!search.over)
			break;
		uint64_t budget = fg_load_relaxed(&search.over->slice.budget);
		give(search.over, 0);
		if (fg_policy_expired(search.over, top))
			give(search.over, budget);
	}
	fg_live_unlock();
	if (fg_world.run)
		fg_world.run();
	return fg_load_relaxed(&fg_slices_given) != 0;
}

uint64_t
fg_slices_left(unsigned n_pus)
{
	struct search search = {.left = UINT64_MAX};
	if (fg_load_relaxed(&fg_slices_given) == 0)
		return UINT64_MAX;
	fg_live_lock();
	search_below(NULL, &search);
	fg_live_unlock();
	return search.over ? 0 : search.left == UINT64_MAX ? UINT64_MAX : search.left / n_pus;
}
