/* Subtrees of teams (floor: sched); see subtree.h. */
#include "sched/subtree.h"

#include "forestgomp/sched.h"
#include "sched/home.h"

/* So many threads for each PU have room. */
#define ROOM 1

static bool
is_at_home(const struct fg_bubble *team, const struct fg_runqueue *domain)
{
	struct fg_home home = fg_home_of(team);
	return home.n == domain->n_pus && home.first == domain->first_pu;
}

struct sum {
	unsigned teams, threads;
};

/* Adds the team and all below it. A thread that has met a region is counted in the team around. false: one of the teams
 * is not at home there, or cannot move, or they have more threads than there is room for. */
static bool
add_all(struct sum *sum, const struct fg_bubble *team, const struct fg_runqueue *there, unsigned room)
{
	sum->teams++;
	sum->threads += team->size - 1;
	if (!is_at_home(team, there) || team->stays || sum->threads > room)
		return false;
	for (const struct fg_bubble *in = fgomp_tree_first(team); in; in = fgomp_tree_next(in))
		if (!add_all(sum, in, there, room))
			return false;
	return true;
}

struct fg_bubble *
fg_subtree_about(struct fg_bubble *team, const struct fg_runqueue *there, const struct fg_runqueue *here)
{
	uint32_t theirs = fg_load_relaxed(&there->teams), ours = fg_load_relaxed(&here->teams);
	for (struct fg_bubble *above; (above = team->entity.bubble); team = above) {
		struct sum sum = {.threads = 1};
		if (!add_all(&sum, above, there, ROOM * here->n_pus) || ours + 2 * sum.teams > theirs)
			break;
	}
	return team;
}

void
fg_subtree_change(struct fg_bubble *subtree, const struct fg_runqueue *there, const struct fg_runqueue *here)
{
	if (is_at_home(subtree, there))
		fg_home_change(subtree, (struct fg_home){here->first_pu, here->n_pus, fg_home_of(subtree).lone, true});
	for (struct fg_bubble *in = fgomp_tree_first(subtree); in; in = fgomp_tree_next(in))
		fg_subtree_change(in, there, here);
}
