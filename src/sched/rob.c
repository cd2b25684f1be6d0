/* Rob (floor: sched); see rob.h. */
#include "sched/rob.h"

#include "sched/bring.h"
#include "sched/decision.h"
#include "sched/home.h"
#include "sched/in_force.h"
#include "sched/theft.h"

/* Nanoseconds. A line comes from another cache in some 0.1 us, a small team's region takes some us, and to move 100 KB
 * of a team's data takes some 50 us. */
enum {
	/* A member that was dealt to a PU is that PU's for so long. */
	RESERVED = 3000,
	/* Members of a lone team may go far when the team is so old. */
	LONE = 2000,
	/* All else that may go far does so when the thief has been idle for so long. */
	FAR = 50000,
	/* Between two looks of a domain's PUs for threads of others, and for teams. */
	LOOK = 2000,
	TEAM_LOOK = 20000,
	/* A PU is idle for so long before it tries a member, to learn what a theft costs. A shorter wait within a phase
	 * is worth no try. So long it is also between two such looks of a domain's PUs. */
	TRY = 20000,
	/* From the begin of one move of a team in the machine to the next, at least. */
	MOVE = 10000,
	/* Nor does one begin before so many times its length is over: all regions that begin or end meanwhile wait, and
	 * the lock of the live tree looks at each thread in a region. */
	MOVE_SHARE = 20
};

struct robbery {
	const void *self;
	bool by_load;
	struct fg_runqueue *leaf, *top, *domain;
	struct fg_claim *claim;
	unsigned pu, turn;
	uint64_t now, idle_ns;
	bool is_host; /* a thread that goes on here only waits for its team. It would wait for what is taken, too */
	const struct fg_runqueue *lies; /* what has lain there for long */
};

/* How long ago that was. Another thief may have noted a time after this one has looked at the clock. */
static uint64_t
since(const struct robbery *robbery, uint64_t time)
{
	return robbery->now > time ? robbery->now - time : 0;
}

static struct fg_home
home_of(struct fg_entity *entity)
{
	struct fg_bubble *team = fg_home_team(entity);
	return team ? fg_home_of(team) : (struct fg_home){0};
}

static uint64_t
age_of(const struct robbery *robbery, const struct fg_bubble *team)
{
	return since(robbery, team->home_since);
}

/* The team of the entity has had its home for so long. */
static bool
is_old(const struct robbery *robbery, struct fg_entity *entity, uint64_t ns)
{
	const struct fg_bubble *team = fg_home_team(entity);
	return !team || age_of(robbery, team) >= ns;
}

/* Tells whether the PU may take it now. */
static bool
may_take_bubble(const struct robbery *robbery, struct fg_entity *entity)
{
	return entity->kind == FG_ENTITY_BUBBLE && fg_home_has(home_of(entity), robbery->pu);
}

/* From another domain, one by one: what is cheap to take, or pays; and members of lone teams as long as that is not
 * known. */
static bool
may_take_one(const struct robbery *robbery, struct fg_entity *entity)
{
	const struct fg_bubble *team = fg_home_team(entity);
	struct fg_home home = home_of(entity);
	if (!team || !home.n || !is_old(robbery, entity, LONE))
		return false;
	uint32_t cost = fg_theft_cost(team);
	if (cost && robbery->is_host)
		return false;
	if (entity->kind == FG_ENTITY_THREAD)
		return cost && cost <= FG_THEFT_CHEAP;
	return cost ? fg_theft_pays(team, age_of(robbery, team)) : home.lone;
}

/* To learn what it costs. The thread that met the region is in no team that could call it home. */
static bool
may_try(const struct robbery *robbery, struct fg_entity *entity)
{
	struct fg_bubble *team = fg_home_team(entity);
	return entity->kind != FG_ENTITY_BUBBLE && team && entity->bubble == team && home_of(entity).n &&
	       is_old(robbery, entity, RESERVED) && fg_theft_wish(team, entity->kind == FG_ENTITY_THREAD, robbery->now);
}

static bool
may_take_thread(const struct robbery *robbery, struct fg_entity *entity)
{
	struct fg_home home = home_of(entity);
	bool is_wide = home.n > robbery->domain->n_pus;
	if (entity->kind == FG_ENTITY_MEMBER && !is_old(robbery, entity, is_wide ? FAR : RESERVED))
		return false;
	const struct fg_bubble *team = fg_home_team(entity);
	uint32_t cost = team ? fg_theft_cost(team) : 0;
	return fg_home_has(home, robbery->pu) || (cost && cost <= FG_THEFT_CHEAP);
}

typedef bool (*may_take)(const struct robbery *robbery, struct fg_entity *entity);

/* Of those that it may take: the oldest, or the heaviest; a thread goes before what is not born. */
static struct fg_entity *
best_of(const struct robbery *robbery, struct fg_runqueue *queue, may_take may)
{
	struct fg_holder *holder = fgomp_queue_holder(queue);
	struct fg_entity *found = NULL;
	for (struct fg_entity *entity = fgomp_holder_first(holder); entity; entity = fgomp_holder_next(holder, entity))
		if (may(robbery, entity) &&
		    (!found || (robbery->by_load ? fg_entity_load(entity) >= fg_entity_load(found)
						 : found->kind != FG_ENTITY_THREAD)))
			found = entity;
	return found;
}

static bool
take_from(const struct robbery *robbery, struct fg_runqueue *queue, may_take may)
{
	if (!fgomp_queue_count(queue))
		return false;
	fgomp_queue_lock(queue);
	struct fg_entity *entity = best_of(robbery, queue, may);
	struct fg_bubble *team = entity ? fg_home_team(entity) : NULL;
	bool away = team && !fg_home_has(fg_home_of(team), robbery->pu);
	bool taken = entity && fgomp_claim(entity, robbery->claim);
	if (taken && away)
		fg_theft_note(team);
	fgomp_queue_unlock(queue);
	return taken;
}

static bool
take_below(const struct robbery *robbery, struct fg_runqueue *level, struct fg_runqueue *except, may_take may)
{
	if (level == except)
		return false;
	if (take_from(robbery, level, may))
		return true;
	for (unsigned i = 0, n = fgomp_queue_n_children(level); i < n; i++)
		if (take_below(robbery, fgomp_queue_child(level, (i + robbery->pu + robbery->turn) % n), except, may))
			return true;
	return false;
}

/* The work that a team has left, in nanoseconds, if each of its members takes as long as those that have begun. Nobody
 * has to tell loads: of teams of one age, the heavy ones have begun the fewest members. */
static uint64_t
work_left(const struct robbery *robbery, struct fg_entity *entity)
{
	const struct fg_bubble *team = fg_home_team(entity);
	uint64_t age = team ? age_of(robbery, team) : 0;
	return entity->kind == FG_ENTITY_BUBBLE && team->born ? age * (team->size - team->born) / team->born : age;
}

struct victim {
	struct fg_runqueue *queue; /* NULL: there is none */
	uint64_t left;
};

static void
search_below(const struct robbery *robbery, struct fg_runqueue *level, struct fg_runqueue *except, may_take may,
	     struct victim *victim)
{
	if (level == except)
		return;
	if (fgomp_queue_count(level)) {
		fgomp_queue_lock(level);
		struct fg_entity *entity = best_of(robbery, level, may);
		uint64_t left = entity ? work_left(robbery, entity) : 0;
		fgomp_queue_unlock(level);
		if (entity && (!victim->queue || left > victim->left))
			*victim = (struct victim){level, left};
	}
	for (unsigned i = 0, n = fgomp_queue_n_children(level); i < n; i++)
		search_below(robbery, fgomp_queue_child(level, (i + robbery->pu + robbery->turn) % n), except, may,
			     victim);
}

/* Takes from the team that has the most work left. Another thief may come before. */
static bool
take_most(const struct robbery *robbery, struct fg_runqueue *level, struct fg_runqueue *except, may_take may)
{
	struct victim victim = {0};
	search_below(robbery, level, except, may, &victim);
	return victim.queue && take_from(robbery, victim.queue, may);
}

typedef bool (*take)(const struct robbery *robbery, struct fg_runqueue *level, struct fg_runqueue *except,
		     may_take may);

static bool
take_near(const struct robbery *robbery, may_take may, take take)
{
	struct fg_runqueue *done = robbery->leaf;
	for (struct fg_runqueue *level = done; level != robbery->domain; done = level) {
		level = fgomp_queue_parent(level); /* the domain may be in the part of another policy, further in */
		if (take(robbery, level, done, may))
			return true;
	}
	return false;
}

/* A larger home than a domain is no domain's to give. And a team would be torn if its first member stayed behind. A
 * team whose members have met regions may come with one of these. */
static bool
is_strange(const struct robbery *robbery, struct fg_entity *entity)
{
	struct fg_bubble *team = fg_home_team(entity);
	struct fg_home home = home_of(entity);
	return home.n && home.n <= robbery->domain->n_pus && !fg_home_has(home, robbery->pu) && !team->stays &&
	       !fg_load_relaxed(&team->meets.now) && is_old(robbery, entity, FAR);
}

/* A team that has something on a runqueue there, and is not at home here. NULL: none. It may end at any time. */
static struct fg_bubble *
strange_team(const struct robbery *robbery, struct fg_runqueue *level)
{
	struct fg_bubble *team = NULL;
	if (fgomp_queue_count(level)) {
		fgomp_queue_lock(level);
		struct fg_entity *entity = best_of(robbery, level, is_strange);
		team = entity ? fg_home_team(entity) : NULL;
		fgomp_queue_unlock(level);
	}
	for (unsigned i = 0, n = fgomp_queue_n_children(level); !team && i < n; i++)
		team = strange_team(robbery, fgomp_queue_child(level, (i + robbery->pu + robbery->turn) % n));
	return team;
}

static bool
is_below(const struct fg_runqueue *domain, const struct fg_runqueue *top)
{
	return domain->first_pu - top->first_pu < top->n_pus;
}

/* The domain that has most teams. The next ones come first. NULL: no other has any. */
static struct fg_runqueue *
fullest(const struct robbery *robbery, unsigned own)
{
	struct fg_runqueue *found = NULL;
	uint32_t most = 0;
	for (unsigned k = 1; k < fg_homes.n_domains; k++) {
		struct fg_runqueue *domain = fg_homes.domain[(own + k) % fg_homes.n_domains].level;
		uint32_t teams = fg_load_relaxed(&domain->teams);
		if (is_below(domain, robbery->top) && teams > most) {
			most = teams;
			found = domain;
		}
	}
	return found;
}

/* One PU of the domain looks outside at a time, and not too often. */
static bool
is_time(const struct robbery *robbery, struct fg_atomic_u64 *looked, uint64_t gap)
{
	uint64_t last = fg_load_relaxed(looked);
	return since(robbery, last) >= gap && fg_cas_relaxed(looked, &last, robbery->now);
}

static unsigned
number_of(const struct fg_runqueue *domain)
{
	unsigned i = 0;
	while (fg_homes.domain[i].level != domain)
		i++;
	return i;
}

/* Nothing is claimed: the PU finds its part on its own runqueue. */
static bool
take_team(const struct robbery *robbery)
{
	struct fg_runqueue *there = fullest(robbery, number_of(robbery->domain));
	if (!there || !fg_bring_more(there, robbery->domain))
		return false;
	struct fg_bubble *team = strange_team(robbery, there);
	uint64_t due = fg_load_relaxed(&fg_homes.move_due);
	if (!team || robbery->now < due || !fg_cas_relaxed(&fg_homes.move_due, &due, robbery->now + MOVE))
		return false;
	bool brought = fg_bring(team, there, robbery->domain, robbery->pu);
	uint64_t end = fgomp_sched_now();
	fg_store_relaxed(&fg_homes.move_due, end + MOVE_SHARE * (end - robbery->now));
	return brought;
}

/* Another domain: each look takes the next one. */
static struct fg_runqueue *
other_domain(const struct robbery *robbery)
{
	unsigned own = number_of(robbery->domain),
		 other = (own + 1 + robbery->turn % (fg_homes.n_domains - 1)) % fg_homes.n_domains;
	struct fg_runqueue *domain = fg_homes.domain[other].level;
	return is_below(domain, robbery->top) ? domain : NULL;
}

static bool
take_far(const struct robbery *robbery)
{
	struct fg_runqueue *domain = other_domain(robbery);
	if (!domain)
		return false;
	fg_reason("a member that may go far, because its team wants one PU or it costs little");
	if ((fg_load_relaxed(&domain->lone) || robbery->now < fg_load_relaxed(&fg_theft_worthy_until)) &&
	    take_most(robbery, domain, NULL, may_take_one))
		return true;
	fg_reason("a thread whose team is at home here, too");
	return robbery->idle_ns >= FAR && fg_load_relaxed(&fg_homes.wide) &&
	       take_below(robbery, domain, NULL, may_take_thread);
}

static bool
take_try(const struct robbery *robbery)
{
	struct fg_runqueue *domain = other_domain(robbery);
	fg_reason("a thread, to learn what it costs");
	return domain && take_below(robbery, domain, NULL, may_try);
}

/* A thief takes anything when it has been idle for so long, and nothing was put there for so long. After the third it
 * does so at any cost. */
enum { ANY = 500000, LASTS = 200000, STUCK = 2000000 };

/* A member that would take long away from home goes once it has lain for as long as that. Where the cost is not known,
 * one member goes first: several at a time would be dear for all of them. A thread that has begun does not wait for
 * that, because the team may wait for it at each barrier. */
static bool
may_take_any(const struct robbery *robbery, struct fg_entity *entity)
{
	const struct fg_bubble *team = fg_home_team(entity);
	uint64_t lain = since(robbery, fg_load_relaxed(&robbery->lies->seen_since));
	return !team || fg_home_has(fg_home_of(team), robbery->pu) || lain >= STUCK ||
	       (fg_theft_away(team) <= lain && (entity->kind == FG_ENTITY_THREAD || !fg_theft_is_tried(team)));
}

/* Takes what has lain on a runqueue while nothing else was put there, as its count of puts tells. A thread that is
 * ready between two phases of a team does not lie so long. */
static bool
take_lasting(struct robbery *robbery, struct fg_runqueue *level, uint64_t lasts)
{
	robbery->lies = level;
	if (fgomp_queue_count(level)) {
		uint32_t puts = fg_load_relaxed(&level->holder.puts);
		uint64_t seen = fg_load_relaxed(&level->seen_since);
		if (!seen || fg_load_relaxed(&level->seen_puts) != puts) {
			fg_store_relaxed(&level->seen_puts, puts);
			fg_store_relaxed(&level->seen_since, robbery->now);
		} else if (since(robbery, seen) >= lasts && take_from(robbery, level, may_take_any)) {
			return true;
		}
	}
	for (unsigned i = 0, n = fgomp_queue_n_children(level); i < n; i++)
		if (take_lasting(robbery, fgomp_queue_child(level, (i + robbery->pu + robbery->turn) % n), lasts))
			return true;
	return false;
}

static bool
take_anything(struct robbery *robbery, uint64_t lasts)
{
	fg_reason("what has lain there for long");
	return take_lasting(robbery, robbery->top, lasts);
}

bool
fg_rob_may(const void *self, struct fg_runqueue *leaf)
{
	bool on = fg_homes_top() && fg_load_relaxed(&fg_homes.staffed);
	struct fg_runqueue *top = on ? fg_home_top(self, leaf) : NULL;
	return top && fg_home_domain(leaf, top) != top;
}

/* Where it is noted when a PU looked outside last. Each policy of several layers has a place of its own. Otherwise the
 * inner one, which is asked first, would always look in place of the outer one. */
static struct fg_runqueue *
gate_of(const void *self, struct fg_runqueue *domain)
{
	return fg_policy_of(domain)->self == self ? domain : fgomp_queue_above(self, domain);
}

static struct robbery
begin(const void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim, bool by_load)
{
	struct fg_runqueue *top = fg_home_top(self, leaf), *domain = fg_home_domain(leaf, top);
	uint64_t now = fgomp_sched_now();
	if (turn == 0)
		fg_store_relaxed(&leaf->idle_since, now);
	uint64_t idle_ns = now - fg_load_relaxed(&leaf->idle_since);
	return (struct robbery){.self = self,
				.by_load = by_load,
				.leaf = leaf,
				.top = top,
				.domain = domain,
				.claim = claim,
				.pu = leaf->first_pu,
				.turn = turn,
				.now = now,
				.idle_ns = idle_ns,
				.is_host = idle_ns < FAR && fg_load_relaxed(&leaf->awaits)};
}

bool
fg_rob_lasting(const void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim, uint64_t lasts)
{
	struct robbery robbery = begin(self, leaf, turn, claim, false);
	return robbery.idle_ns >= ANY && take_anything(&robbery, lasts);
}

bool
fg_rob_idle(const void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim, bool by_load)
{
	struct robbery robbery = begin(self, leaf, turn, claim, by_load);
	fg_reason("the bubble of the domain with the most work left");
	if (take_near(&robbery, may_take_bubble, take_most))
		return true;
	fg_reason("the oldest thread of the domain, nearest first");
	if (take_near(&robbery, may_take_thread, take_below))
		return true;
	struct fg_runqueue *gate = gate_of(self, robbery.domain);
	uint64_t now = robbery.now;
	bool ones = fg_load_relaxed(&fg_homes.lone) || now < fg_load_relaxed(&fg_theft_worthy_until);
	bool some = ones || (robbery.idle_ns >= FAR && fg_load_relaxed(&fg_homes.wide));
	if (some && is_time(&robbery, &gate->looked_out, LOOK) && take_far(&robbery))
		return true;
	if (robbery.idle_ns >= TRY && !robbery.is_host && is_time(&robbery, &gate->wished, TRY) && take_try(&robbery))
		return true;
	if (robbery.idle_ns < FAR || !is_time(&robbery, &gate->looked_for_teams, TEAM_LOOK) || take_team(&robbery))
		return false;
	return robbery.idle_ns >= ANY && take_anything(&robbery, LASTS);
}
