/* Homes (floor: sched); see home.h. */
#include "sched/home.h"

#include "platform/memory.h"
#include "sched/decision.h"
#include "forest/live.h"
#include "sched/in_force.h"
#include "sched/theft.h"

struct fg_homes fg_homes;

/* Those of the PUs, from left to right; NULL: it only counts them. */
static unsigned
list_domains(struct fg_runqueue *top, struct fg_homes_domain *domain)
{
	unsigned n = 0;
	const struct fg_runqueue *last = NULL;
	for (unsigned pu = 0; pu < top->n_pus; pu++) {
		struct fg_runqueue *one = fgomp_queue_of_pu(top, pu)->domain;
		if (one && one != last && domain)
			domain[n] = (struct fg_homes_domain){one, pu};
		n += one && one != last;
		last = one;
	}
	return n;
}

void
fg_homes_begin(struct fg_runqueue *top)
{
	unsigned n = fg_policies.homes ? list_domains(top, NULL) : 0;
	fg_homes.domain = n > 1 && top->n_pus <= UINT16_MAX ? fg_memory_get(n * sizeof *fg_homes.domain) : NULL;
	if (!fg_homes.domain)
		return;
	fg_homes.n_domains = list_domains(top, fg_homes.domain);
	fg_store_release(&fg_homes.top, top);
	fg_store_relaxed(&fg_policies.later, FG_WANTS_HOMES | FG_WANTS_BORN); /* readers look at `top`, too */
}

void
fg_homes_staff(unsigned workers)
{
	const struct fg_runqueue *top = fg_homes_top();
	uint32_t staffed = top && workers >= top->n_pus - top->n_pus / 4;
	if (fg_load_relaxed(&fg_homes.staffed) != staffed)
		fg_store_relaxed(&fg_homes.staffed, staffed);
}

void
fg_homes_after_fork(void)
{
	for (unsigned i = 0; i < fg_homes.n_domains; i++) {
		fg_store_relaxed(&fg_homes.domain[i].level->teams, 0);
		fg_store_relaxed(&fg_homes.domain[i].level->lone, 0);
	}
	for (unsigned pu = 0; fg_homes_top() && pu < fg_homes_top()->n_pus; pu++)
		fg_store_relaxed(&fgomp_queue_of_pu(fg_homes_top(), pu)->awaits, 0);
	fg_store_relaxed(&fg_homes.wide, 0);
	fg_store_relaxed(&fg_homes.lone, 0);
}

struct fg_runqueue *
fg_home_top(const void *self, struct fg_runqueue *leaf)
{
	for (struct fg_runqueue *up; (up = fgomp_queue_above(self, leaf));)
		leaf = up;
	return leaf;
}

static void
count(struct fg_home home, uint32_t change)
{
	if (!home.n)
		return;
	struct fg_runqueue *domain = fgomp_queue_of_pu(fg_homes_top(), home.first)->domain;
	if (home.lone)
		fg_add_relaxed(&fg_homes.lone, change);
	if (!domain || domain->first_pu != home.first || domain->n_pus != home.n) {
		fg_add_relaxed(&fg_homes.wide, change);
		return;
	}
	fg_add_relaxed(&domain->teams, change);
	if (home.lone)
		fg_add_relaxed(&domain->lone, change);
}

static void
set(struct fg_bubble *team, struct fg_home home)
{
	count(home, 1);
	fg_store_relaxed(&team->home,
			 (uint64_t)home.moved << 33 | (uint64_t)home.lone << 32 | (uint64_t)home.first << 16 | home.n);
}

void
fg_home_change(struct fg_bubble *team, struct fg_home home)
{
	struct fg_home old = fg_home_of(team);
	assert(old.n && fg_live_is_mine());
	set(team, home);
	count(old, -1u);
}

/* How many threads share the machine with the one that met the region: those beside it, and beside those above. */
static unsigned long
sharers(const struct fg_bubble *team)
{
	unsigned long n = 1;
	while ((team = team->entity.bubble))
		n *= team->size;
	return n;
}

/* The threads of the team, and of the regions that its members will meet, if they do as the last time. */
static unsigned long
threads_of(const struct fg_bubble *team)
{
	bool known = team->meets.region == team->region && team->meets.last > 1;
	return (unsigned long)team->size * (known ? team->meets.last : 1);
}

/* The team around learns it. Members may do so at the same time, and one of them wins: a hint. */
static void
tell_around(const struct fg_bubble *team, unsigned long threads)
{
	struct fg_bubble *around = team->entity.bubble;
	uint32_t most = threads < UINT16_MAX ? (uint32_t)threads : UINT16_MAX;
	if (around && fg_load_relaxed(&around->meets.now) < most)
		fg_store_relaxed(&around->meets.now, most);
}

/* As many whole domains as come nearest to the share, if they were of one size, and `near` is one of them. */
static struct fg_home
domains_about(const struct fg_runqueue *near, const struct fg_runqueue *top, double share)
{
	const struct fg_homes_domain *domain = fg_homes.domain, *past = domain + fg_homes.n_domains;
	while (domain->first_pu < top->first_pu)
		domain++;
	unsigned all = 0, own = 0, end = top->first_pu + top->n_pus;
	for (; domain + all < past && domain[all].first_pu < end; all++)
		if (domain[all].level == near)
			own = all;
	unsigned wanted = (unsigned)(share * all / top->n_pus + 0.5);
	wanted = wanted < 1 ? 1 : wanted > all ? all : wanted;
	unsigned blocks = all / wanted, block = own * blocks / all;
	unsigned from = (block * all + blocks - 1) / blocks, to = ((block + 1) * all + blocks - 1) / blocks;
	unsigned first = from ? domain[from].first_pu : top->first_pu;
	return (struct fg_home){.first = first, .n = (to < all ? domain[to].first_pu : end) - first};
}

/* The PUs of the level, dealt out in equal blocks of the share: that about the PU. Two teams of a domain use different
 * PUs so. */
static struct fg_home
block_about(unsigned pu, struct fg_runqueue *level, double share)
{
	unsigned all = level->n_pus, blocks = (unsigned)(all / share), block = (pu - level->first_pu) * blocks / all;
	unsigned from = (block * all + blocks - 1) / blocks, to = ((block + 1) * all + blocks - 1) / blocks;
	return (struct fg_home){.first = level->first_pu + from, .n = to - from};
}

static unsigned char *
open_in(struct fg_runqueue *top, struct fg_home part)
{
	unsigned end = top->first_pu + top->n_pus;
	unsigned char *open = fg_memory_get(end);
	for (unsigned pu = top->first_pu; open && pu < end; pu++)
		open[pu] = pu - part.first < part.n;
	return open;
}

/* A team that wants less is lone. */
#define LONE_SHARE 1.5

/* One with so many times the PUs of its share has a heavy member: any PU may help. */
#define HEAVY 1.5

/* The domain to which the last region of this code was moved, if that still has fewer teams than `near`. The thread has
 * come back to its seat in `near` since. A thief would move the team again, but only after a while, and only what lies
 * there by then: every region would be torn. A thread of a nested team has no seat, and has stayed there if that is
 * right. Otherwise `near`. */
static struct fg_runqueue *
domain_again(const struct fg_bubble *team, struct fg_runqueue *near, const struct fg_runqueue *top)
{
	if (!team->moved_to || team->depth > 1 || team->meets.region != team->region)
		return near;
	uint32_t cost = fg_theft_cost(team);
	struct fg_runqueue *there = fgomp_queue_of_pu(fg_homes_top(), team->moved_to - 1)->domain;
	bool has_fewer = there && there->first_pu - top->first_pu < top->n_pus &&
			 fg_load_relaxed(&there->teams) < fg_load_relaxed(&near->teams);
	return has_fewer && (!cost || cost > FG_THEFT_CHEAP) ? there : near;
}

/* The PU of the thread that meets the region, in the domain of the home. */
static struct fg_runqueue *
place_in(const struct fg_runqueue *domain, const struct fg_runqueue *leaf)
{
	unsigned first = leaf->domain ? leaf->domain->first_pu : 0;
	return fgomp_queue_of_pu(fg_homes_top(), domain->first_pu + (leaf->first_pu - first) % domain->n_pus);
}

bool
fg_home_begin(const void *self, struct fg_bubble *team, struct fg_runqueue *leaf, unsigned least,
	      struct fg_home_plan *plan)
{
	if (!fg_homes_top() || !fg_load_relaxed(&fg_homes.staffed) || !team->noted)
		return false;
	struct fg_runqueue *top = fg_home_top(self, leaf), *near = fg_home_domain(leaf, top), *level = near;
	if (near == top)
		return false;
	unsigned long threads = threads_of(team);
	double share = (double)top->n_pus / (double)sharers(team);
	bool heavy = least >= share * HEAVY;
	if (share < least)
		share = least;
	if (share > (double)threads)
		share = (double)threads;
	bool is_wide = share >= near->n_pus * 1.5;
	struct fg_runqueue *again = share < LONE_SHARE || is_wide ? near : domain_again(team, near, top);
	bool moved = again != near;
	if (moved) {
		leaf = place_in(again, leaf);
		near = level = again;
	}
	tell_around(team, threads);
	team->home_since = fgomp_sched_now();
	fg_theft_begin(team, team->home_since);
	struct fg_home home = {
		.first = near->first_pu, .n = near->n_pus, .lone = share < LONE_SHARE || heavy, .moved = moved};
	*plan = (struct fg_home_plan){.level = share < LONE_SHARE ? leaf : near, .leaf = leaf};
	if (is_wide) {
		home = domains_about(near, top, share);
		while (level != top &&
		       !(level->first_pu <= home.first && home.first + home.n <= level->first_pu + level->n_pus))
			level = fgomp_queue_above(self, level);
		plan->level = level;
		plan->open = level->n_pus == home.n ? NULL : open_in(top, home);
	} else if (!home.lone && near->n_pus >= share * 1.5) {
		plan->open = open_in(near, block_about(leaf->first_pu, near, share));
	}
	set(team, home);
	return true;
}

/* The PU of a member that comes home. */
static struct fg_runqueue *
place_of(struct fg_home home, unsigned member)
{
	return fgomp_queue_of_pu(fg_homes_top(), home.first + member % home.n);
}

struct fg_runqueue *
fg_home_follow(const struct fg_bubble *team, struct fg_runqueue *leaf)
{
	struct fg_home home = fg_home_of(team);
	if (!home.moved || fg_home_has(home, leaf->first_pu))
		return leaf;
	struct fg_runqueue *domain = fgomp_queue_of_pu(fg_homes_top(), home.first)->domain;
	return domain ? place_in(domain, leaf) : leaf;
}

void
fg_home_end(struct fg_bubble *team)
{
	struct fg_home home = fg_home_of(team);
	count(home, -1u);
	fg_theft_end(team);
	fg_store_relaxed(&team->home, 0);
	team->moved_to = home.moved ? home.first + 1 : 0;
	team->meets.last = fg_load_relaxed(&team->meets.now);
	team->meets.region = team->region;
	fg_store_relaxed(&team->meets.now, 0);
}

struct fg_runqueue *
fg_home_grain(struct fg_bubble *team, unsigned member, bool waits, unsigned pu, uint64_t ns)
{
	struct fg_home home = fg_home_of(team);
	bool goes = home.n && fg_theft_grain(team, waits, fg_home_has(home, pu), ns);
	return goes ? place_of(home, member) : NULL;
}

void
fg_home_forget(struct fg_bubble *team)
{
	fg_store_relaxed(&team->home, 0);
}

struct fg_bubble *
fg_home_team(struct fg_entity *entity)
{
	if (entity->kind == FG_ENTITY_BUBBLE)
		return fg_entity_bubble(entity);
	struct fg_bubble *met = entity->kind == FG_ENTITY_THREAD ? fg_own_load_relaxed(&entity->met) : NULL;
	return met ? met : entity->bubble;
}

struct fg_runqueue *
fg_home_of_thread(const struct fg_entity *thread, struct fg_runqueue *queue)
{
	const struct fg_bubble *met = fg_own_load_relaxed(&thread->met), *team = met ? met : thread->bubble;
	struct fg_home home = team ? fg_home_of(team) : (struct fg_home){0};
	uint32_t cost = home.n ? fg_theft_cost(team) : 0;
	bool goes = cost ? cost > FG_THEFT_CHEAP : home.moved;
	if (!goes || (queue->first_pu - home.first < home.n && queue->first_pu + queue->n_pus <= home.first + home.n))
		return queue;
	return place_of(home, thread->number);
}
