/* Groups (floor: exec): see groups.h. */
#include "exec/flat/groups.h"

#include <string.h>

#include "exec/thread/dock_state.h"
#include "machine/level.h"
#include "platform/memory.h"

#define CACHES (1u << FG_L3 | 1u << FG_L2)
#define SMALL FG_GROUPS_SMALL /* the interleavings have a smaller one (tests/interleave/groups.c) */
#define SMALLEST 3	      /* a level of fewer PUs makes no group */
#define MOST 16		      /* parts of a group */
#define BLOCK 8		      /* parts of a group that no level makes */

struct fg_groups *
fg_groups_new(unsigned n_pus)
{
	struct fg_groups *groups = fg_memory_zeroed(sizeof *groups);
	if (!groups)
		return NULL;
	size_t lines = n_pus * sizeof *groups->done, forks = n_pus * sizeof *groups->forks;
	groups->done = fg_memory_aligned(sizeof(struct fg_done), lines);
	groups->forks = fg_memory_aligned(sizeof(struct fg_fork), forks);
	groups->inner = fg_memory_get(n_pus * sizeof *groups->inner);
	groups->order = fg_memory_get(n_pus * sizeof *groups->order);
	groups->group_of = fg_memory_get(n_pus * sizeof *groups->group_of);
	groups->groups = fg_memory_get(n_pus * sizeof *groups->groups);
	groups->parts = fg_memory_get(2 * (size_t)n_pus * sizeof *groups->parts);
	groups->stack = fg_memory_get(n_pus * sizeof *groups->stack);
	if (groups->done)
		memset(groups->done, 0, lines);
	if (groups->forks)
		memset(groups->forks, 0, forks);
	if (groups->done && groups->forks && groups->inner && groups->order && groups->group_of && groups->groups &&
	    groups->parts && groups->stack)
		return groups;
	fg_groups_free(groups);
	return NULL;
}

void
fg_groups_free(struct fg_groups *groups)
{
	fg_memory_free(groups->done);
	fg_memory_free(groups->forks);
	fg_memory_free(groups->inner);
	fg_memory_free(groups->order);
	fg_memory_free(groups->group_of);
	fg_memory_free(groups->groups);
	fg_memory_free(groups->parts);
	fg_memory_free(groups->stack);
	fg_memory_free(groups);
}

bool
fg_groups_large(unsigned slots)
{
	return slots > SMALL;
}

static void
push(struct fg_groups *groups, bool is_group, unsigned which)
{
	groups->stack[groups->n_stack++] = (struct fg_group_part){(uint16_t)which, is_group};
}

/* The n parts on the top of the stack become a group. */
static struct fg_group_part
group_new(struct fg_groups *groups, unsigned at, unsigned n)
{
	unsigned number = groups->n_groups++;
	struct fg_group *group = &groups->groups[number];
	*group = (struct fg_group){
		.lowest = UINT16_MAX, .around = (uint16_t)number, .first = (uint16_t)groups->n_parts, .n = (uint16_t)n};
	for (unsigned i = 0; i < n; i++) {
		struct fg_group_part part = groups->stack[at + i];
		groups->parts[groups->n_parts++] = part;
		unsigned lowest = part.is_group ? groups->groups[part.which].lowest : part.which;
		if (part.is_group)
			groups->groups[part.which].around = (uint16_t)number;
		else
			groups->group_of[part.which] = (uint16_t)number;
		if (group->lowest > lowest)
			group->lowest = (uint16_t)lowest;
	}
	return (struct fg_group_part){(uint16_t)number, true};
}

/* The parts above `base` on the stack become one. Where they are many, blocks of them become groups first. */
static void
join(struct fg_groups *groups, unsigned base)
{
	for (unsigned n = groups->n_stack - base; n > 1; n = groups->n_stack - base) {
		unsigned blocks = n > MOST ? (n + BLOCK - 1) / BLOCK : 1;
		for (unsigned i = 0; i < blocks; i++) {
			unsigned from = i * n / blocks, to = (i + 1) * n / blocks;
			if (to - from > 1)
				groups->stack[base + i] = group_new(groups, base + from, to - from);
			else
				groups->stack[base + i] = groups->stack[base + from];
		}
		groups->n_stack = base + blocks;
	}
}

/* The PUs of the slots order[from .. to-1] lie below the level. They become one part, on the stack. */
static void
build(struct fg_groups *groups, struct fg_runqueue *level, const unsigned *pus, unsigned from, unsigned to)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	unsigned base = groups->n_stack;
	bool whole = !below || (level->kinds & CACHES && to - from <= MOST);
	for (unsigned i = 0; !whole && i < below->n; i++) {
		struct fg_runqueue *part = below->queue[i];
		unsigned end = from;
		while (end < to && pus[groups->order[end]] - part->first_pu < part->n_pus)
			end++;
		if (end - from > 1 && part->n_pus >= SMALLEST)
			build(groups, part, pus, from, end);
		else
			for (; from < end; from++)
				push(groups, false, groups->order[from]);
		from = end;
	}
	for (; from < to; from++)
		push(groups, false, groups->order[from]);
	join(groups, base);
}

/* The slots of each group stand together in the order, because a level has its PUs in a row. */
static void
find_ranges(struct fg_groups *groups)
{
	for (unsigned i = 0; i < groups->n_groups; i++)
		groups->groups[i].from = groups->groups[i].to = 0;
	for (unsigned i = 0; i < groups->slots; i++)
		for (unsigned number = groups->group_of[groups->order[i]];;) {
			struct fg_group *group = &groups->groups[number];
			if (group->to == 0)
				group->from = (uint16_t)i;
			group->to = (uint16_t)(i + 1);
			if (group->around == number)
				break;
			number = group->around;
		}
}

static void
number_inner(struct fg_groups *groups)
{
	groups->n_inner = 0;
	for (unsigned i = 0; i < groups->slots; i++) {
		unsigned slot = groups->order[i];
		const struct fg_group *group = &groups->groups[groups->group_of[slot]];
		unsigned first = i;
		for (unsigned k = group->from; k < i && first == i; k++)
			if (groups->group_of[groups->order[k]] == groups->group_of[slot])
				first = k;
		groups->inner[slot] = first < i ? groups->inner[groups->order[first]] : (uint16_t)groups->n_inner++;
	}
}

static void
sort(struct fg_groups *groups, const unsigned *pus, unsigned slots)
{
	for (unsigned i = 0; i < slots; i++) {
		unsigned k = i;
		for (; k > 0 && pus[groups->order[k - 1]] > pus[i]; k--)
			groups->order[k] = groups->order[k - 1];
		groups->order[k] = (uint16_t)i;
	}
}

void
fg_groups_make(struct fg_groups *groups, struct fg_runqueue *machine, const unsigned *pus, unsigned slots)
{
	groups->slots = groups->n_groups = groups->n_parts = groups->n_stack = groups->n_inner = 0;
	if (!fg_groups_large(slots))
		return;
	sort(groups, pus, slots);
	build(groups, machine, pus, 0, slots);
	assert(groups->n_stack == 1 && groups->n_groups > 0 && groups->groups[groups->n_groups - 1].lowest == 0);
	if (groups->n_groups == 1)
		return; /* they share a cache, or nobody knows */
	groups->slots = slots;
	find_ranges(groups);
	number_inner(groups);
}
