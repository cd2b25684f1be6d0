/* Seats (floor: team): see seats.h. */
#include "team/hints/seats.h"

#include <string.h>

#include "exec/flat/layout.h"
#include "exec/ground/options.h"
#include "exec/thread/root_state.h"
#include "platform/memory.h"
#include "sched/policy.h"
#include "team/places/list.h"

#define PATIENCE 2
#define PATIENCE_AFTER_HARM 16
#define TRIAL 8

/* The mean of all regions of that size, weighted by how often each is met, by member. False: seats do not matter. */
static bool
mean_of_regions(const struct fg_load_history_site *site, unsigned size, float *loads)
{
	float all = 0, nested = 0, met = 0;
	memset(loads, 0, size * sizeof *loads);
	struct fg_load_history *one = site->last;
	for (unsigned i = 0; i < site->n; i++, one = one->next) {
		if (one->size != size || !one->measured)
			continue;
		for (unsigned k = 0; k < size; k++)
			loads[k] += one->loads[k] * (float)one->met;
		all += one->load * (float)one->met;
		nested += one->nested * (float)one->met;
		met += (float)one->met;
	}
	for (unsigned k = 0; k < size; k++)
		loads[k] /= met;
	return size > fg_exec_options.n_pus || nested * 4 >= all;
}

/* Timed runs of two choices are kept, the newest first. */
static void
note(struct fg_load_history *learnt, uint32_t choice, uint64_t ns)
{
	if (learnt->measured == 1)
		return;
	if (learnt->took[0].ns && learnt->took[0].seats != choice)
		learnt->took[1] = learnt->took[0];
	learnt->took[0].seats = choice;
	learnt->took[0].ns = ns;
}

/* 0: it was not timed. */
static uint64_t
took(const struct fg_load_history *learnt, uint32_t choice)
{
	for (unsigned i = 0; i < 2; i++)
		if (learnt->took[i].ns && learnt->took[i].seats == choice)
			return learnt->took[i].ns;
	return 0;
}

/* No other region of that size has twice the load. */
static bool
is_heavy(const struct fg_load_history_site *site, const struct fg_load_history *learnt)
{
	const struct fg_load_history *one = site->last;
	for (unsigned i = 0; i < site->n; i++, one = one->next)
		if (one->size == learnt->size && one->load > 2 * learnt->load)
			return false;
	return true;
}

static void
drop(struct fg_seats_choice *choice)
{
	fg_memory_free(choice->loads);
	fg_memory_free(choice->pus);
	*choice = (struct fg_seats_choice){0};
}

static void
trial_end(struct fg_seats *seats)
{
	drop(&seats->other);
	seats->on_trial = false;
}

static void
look_where(struct fg_root *root, struct fg_seats *seats)
{
	unsigned *pus = seats->now.pus ? seats->now.pus : fg_memory_get(seats->size * sizeof *pus);
	seats->now.pus = pus;
	if (pus && !fg_layout_pus(root, seats->size, pus)) {
		fg_memory_free(pus);
		seats->now.pus = NULL;
	}
}

/* The policy has seated all members where they sat before. */
static bool
are_same(const struct fg_seats *seats)
{
	return seats->now.pus && seats->other.pus &&
	       !memcmp(seats->now.pus, seats->other.pus, seats->size * sizeof *seats->now.pus);
}

/* The next run of the region is timed in the other seats. */
static void
turn(struct fg_root *root, struct fg_seats *seats, struct fg_load_history *learnt)
{
	struct fg_seats_choice now = seats->now;
	seats->now = seats->other;
	seats->other = now;
	learnt->skip = learnt->period = 0;
	fg_layout_return(root, seats->size, seats->now.loads, seats->now.pus);
}

/* The newer choice was made by loads, so it has the better balance. */
static void
judge(struct fg_root *root, struct fg_seats *seats, struct fg_load_history *learnt)
{
	uint64_t now = took(learnt, seats->now.number), other = took(learnt, seats->other.number);
	bool newer = seats->now.number > seats->other.number;
	bool harm = newer ? now > other + other / 16 : other > now + now / 16;
	if (newer == harm)
		turn(root, seats, learnt);
	if (harm)
		seats->patience = PATIENCE_AFTER_HARM * root->learnt->site.met;
	trial_end(seats);
}

static void
trial_go_on(struct fg_root *root, struct fg_seats *seats, struct fg_load_history *learnt)
{
	if (learnt->size != seats->size)
		return;
	if (!seats->now.pus)
		look_where(root, seats);
	if (are_same(seats))
		trial_end(seats);
	else if (!took(learnt, seats->now.number) || !is_heavy(&root->learnt->site, learnt))
		return;
	else if (took(learnt, seats->other.number)) {
		judge(root, seats, learnt);
	} else if (!seats->turned) {
		seats->turned = true;
		turn(root, seats, learnt);
	}
}

/* Without memory for the PUs there is no way back, and no trial. */
static void
choose(struct fg_root *root, struct fg_seats *seats, struct fg_load_history *learnt, float *loads)
{
	unsigned size = learnt->size, *pus = fg_memory_get(size * sizeof *pus);
	trial_end(seats);
	if (seats->size != size)
		drop(&seats->now);
	fg_memory_free(seats->now.pus);
	seats->now.pus = NULL;
	seats->other = seats->now;
	seats->other.pus = pus;
	seats->now = (struct fg_seats_choice){.number = ++seats->choices, .loads = loads};
	seats->size = size;
	seats->patience = PATIENCE * root->learnt->site.met;
	seats->on_trial = pus && fg_layout_pus(root, size, pus);
	seats->turned = false;
	learnt->skip = learnt->period = 0;
	if (!seats->on_trial)
		trial_end(seats);
	fg_layout_tell(root, size, loads);
}

void
fg_seats_begin(struct fg_root *root)
{
	root->learnt->seats.began = fgomp_sched_now();
}

void
fg_seats_look(struct fg_root *root, struct fg_load_history *learnt)
{
	struct fg_seats *seats = &root->learnt->seats;
	uint64_t ns = fgomp_sched_now() - seats->began;
	if (fg_place_list.count || root->size != learnt->size)
		return;
	note(learnt, seats->now.number, ns);
	if (seats->on_trial)
		trial_go_on(root, seats, learnt);
	uint32_t patience = seats->on_trial ? TRIAL * seats->patience : seats->patience;
	if (root->learnt->site.met < patience || root->size != learnt->size)
		return;
	float *loads = fg_memory_get(learnt->size * sizeof *loads);
	if (loads && mean_of_regions(&root->learnt->site, learnt->size, loads) &&
	    !fg_layout_is_balanced(root, learnt->size, loads))
		choose(root, seats, learnt, loads);
	else
		fg_memory_free(loads);
}

const float *
fg_seats_loads(const struct fg_root *root, unsigned size)
{
	return root->learnt && root->learnt->seats.size == size ? root->learnt->seats.now.loads : NULL;
}
