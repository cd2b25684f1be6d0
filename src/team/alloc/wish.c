/* Wishes (floor: team): see wish.h. */
#include "team/alloc/wish.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "exec/roots/self.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_state.h"
#include "memory/where.h"
#include "platform/memory.h"
#include "sched/home.h"
#include "team/places/bind.h"
#include "team/team.h"

#define WEIGHT_MOST 1000

int
fg_wish_bad(const char *who, const char *format, ...)
{
	char text[256];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	fg_note("%s: %s; nothing is done", who, text);
	return EINVAL;
}

/* ---- The nodes of a team ---- */

static void
add_pu(struct fg_nodes *nodes, unsigned pu)
{
	const struct fg_runqueue *level = fg_levels_leaf(pu);
	while (level && level->node < 0)
		level = fg_load_acquire(&level->parent);
	if (level)
		fg_nodes_add(nodes, (unsigned)level->node);
}

static bool
has_place_on(const struct fg_team *team, unsigned cpu)
{
	for (unsigned k = 0; k < team->size; k++)
		if (CPU_ISSET(cpu, fg_place_cpus(team->places[k].place)))
			return true;
	return false;
}

/* Members that are bound run there, wherever their workers sit. */
static void
add_places(struct fg_nodes *nodes, const struct fg_team *team)
{
	for (unsigned pu = 0; pu < fg_levels_top()->n_pus; pu++) {
		unsigned cpu = fg_levels_leaf(pu)->cpu;
		if (cpu < fg_place_cpu_bound() && has_place_on(team, cpu))
			add_pu(nodes, pu);
	}
}

/* A team that no PUs are known of, because it is at home everywhere, leaves the set empty. */
static void
add_team(struct fg_nodes *nodes, const struct fg_team *team)
{
	const struct fg_root *root = team->mode == FG_TEAM_DOCKED ? team->primary->root : NULL;
	struct fg_home home = fg_home_of(&team->births.bubble);
	if (team->places) {
		add_places(nodes, team);
		return;
	}
	for (unsigned i = 0; root && i < root->slots; i++)
		add_pu(nodes, root->pus[i]);
	for (unsigned i = 0; team->mode == FG_TEAM_LOOSE && i < home.n; i++)
		add_pu(nodes, home.first + i);
}

static void
of_team(struct fg_nodes *nodes, const struct fg_nodes *allowed)
{
	const struct fg_team *team = fg_self_or_root()->thread.team;
	fg_levels_deepen();
	memset(nodes, 0, sizeof *nodes);
	if (team && team->size > 1)
		add_team(nodes, team);
	else
		fg_nodes_add(nodes, fg_where->here());
	for (unsigned i = 0; i < sizeof nodes->bits / sizeof *nodes->bits; i++)
		nodes->bits[i] &= allowed->bits[i];
	if (!fg_nodes_count(nodes))
		*nodes = *allowed;
}

/* ---- One node ---- */

static unsigned
nearest(const struct fg_nodes *nodes, unsigned here)
{
	unsigned best = fg_nodes_next(nodes, 0), least = ~0u;
	for (unsigned node = best; node < FG_NODES_MAX; node = fg_nodes_next(nodes, node + 1)) {
		unsigned distance = node == here ? 0 : fg_where_distance(here, node);
		if (distance < least) {
			least = distance;
			best = node;
		}
	}
	return best;
}

static unsigned
least_loaded(const struct fg_nodes *nodes)
{
	unsigned best = fg_nodes_next(nodes, 0);
	size_t most = 0;
	for (unsigned node = best; node < FG_NODES_MAX; node = fg_nodes_next(nodes, node + 1)) {
		size_t room = fg_where_room(node, true);
		if (room > most) {
			most = room;
			best = node;
		}
	}
	return best;
}

/* ---- The plan ---- */

static int
check(const struct fg_wish *wish, const struct fgomp_pages_wish *asked, const struct fg_nodes *allowed)
{
	if ((unsigned)wish->how > FGOMP_PAGES_BLOCKS)
		return fg_wish_bad(wish->who, "there is no placement %d, they are 0 to %d", (int)wish->how,
				   FGOMP_PAGES_BLOCKS);
	if (asked->flags & ~(unsigned)(FGOMP_PAGES_STRICT | FGOMP_PAGES_OF_TEAM))
		return fg_wish_bad(wish->who, "there are no flags %#x, they are 1 and 2", asked->flags);
	if (asked->n_nodes && (!asked->nodes || asked->flags & FGOMP_PAGES_OF_TEAM))
		return fg_wish_bad(wish->who, "%u nodes are told, and %s", asked->n_nodes,
				   asked->nodes ? "the team's nodes are wanted, too" : "their array is NULL");
	for (unsigned i = 0; i < asked->n_nodes; i++)
		if (!fg_nodes_has(allowed, asked->nodes[i]))
			return fg_wish_bad(wish->who,
					   "node %u does not exist, has no memory, or is forbidden to the process",
					   asked->nodes[i]);
	if (wish->how != FGOMP_PAGES_WEIGHTED)
		return 0;
	if (!asked->weights || !asked->n_nodes)
		return fg_wish_bad(wish->who, "weights are wanted, and nodes of which they are");
	for (unsigned i = 0; i < asked->n_nodes; i++)
		if (asked->weights[i] < 1 || asked->weights[i] > WEIGHT_MOST)
			return fg_wish_bad(wish->who, "the weight of node %u is %u, and 1 to %d are accepted",
					   asked->nodes[i], asked->weights[i], WEIGHT_MOST);
	return 0;
}

/* Interleaved pages go round the nodes in the order of their numbers, which the kernel can do by itself. */
static struct fg_plan *
make(enum fgomp_pages_placement how, const struct fgomp_pages_wish *asked, const struct fg_nodes *nodes)
{
	unsigned n = how < FGOMP_PAGES_INTERLEAVED ? 1 : asked->n_nodes ? asked->n_nodes : fg_nodes_count(nodes);
	struct fg_plan *plan = fg_plan_new(how == FGOMP_PAGES_FIRST_TOUCH ? FG_PLAN_NONE
					   : how == FGOMP_PAGES_BLOCKS	  ? FG_PLAN_BLOCKS
									  : FG_PLAN_ROUNDS,
					   n);
	if (!plan || how == FGOMP_PAGES_FIRST_TOUCH)
		return plan;
	if (how == FGOMP_PAGES_NODE)
		fg_plan_add(plan, asked->n_nodes ? asked->nodes[0] : fg_nodes_next(nodes, 0), 1);
	else if (how == FGOMP_PAGES_NEAREST)
		fg_plan_add(plan, nearest(nodes, fg_where->here()), 1);
	else if (how == FGOMP_PAGES_LEAST_LOADED)
		fg_plan_add(plan, least_loaded(nodes), 1);
	else if (how == FGOMP_PAGES_INTERLEAVED || !asked->n_nodes)
		fg_plan_add_all(plan, nodes);
	else
		for (unsigned i = 0; i < n; i++)
			fg_plan_add(plan, asked->nodes[i], how == FGOMP_PAGES_WEIGHTED ? asked->weights[i] : 1);
	return plan;
}

int
fg_wish_plan(const struct fg_wish *wish, struct fg_plan **plan, struct fg_nodes *allowed)
{
	static const struct fgomp_pages_wish none;
	const struct fgomp_pages_wish *asked = wish->wish ? wish->wish : &none;
	struct fg_nodes nodes;
	if (!fg_where->allowed(allowed))
		fg_nodes_add(allowed, fg_where->here());
	int error = check(wish, asked, allowed);
	if (error)
		return error;
	if (!fg_where_usual(&nodes))
		nodes = *allowed;
	if (asked->flags & FGOMP_PAGES_OF_TEAM)
		of_team(&nodes, allowed);
	if (asked->n_nodes) {
		memset(&nodes, 0, sizeof nodes);
		for (unsigned i = 0; i < asked->n_nodes; i++)
			fg_nodes_add(&nodes, asked->nodes[i]);
	}
	*plan = make(wish->how, asked, &nodes);
	return *plan ? 0 : ENOMEM;
}
