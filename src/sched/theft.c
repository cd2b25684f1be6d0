/* Theft (floor: sched); see theft.h. */
#include "sched/theft.h"

#include "forestgomp/sched.h"
#include "platform/float.h"

enum {
	SITES = 256,
	/* A code lies at its place or at one of the next. */
	PROBES = 4,
	/* What is known holds so long, in nanoseconds. */
	HOLDS = 1000000000,
	/* A cost is believed after so many grains away, or sooner if it is dear. */
	BELIEVED = 4,
	/* Nothing more is timed of what is cheap after so many. */
	SURE = 16,
	/* The theft itself takes so long, in nanoseconds. */
	ITSELF = 2000,
	/* Grains of each member in a window. Programs often read and write in turns, so one would say little. */
	WINDOW = 4,
	/* So many wishes allow a try whose grain is not timed yet, and there is one wish in so many nanoseconds. Fewer
	 * do so for members that have not begun, because such a try costs little. */
	WISHES = 16,
	EARLY = 4,
	WISH = 50000,
	/* Whole members that take so many times as long at home as before, in halves, do other work. */
	OTHER = 3,
	/* A grain away that took so many times one at home is dear without another look. */
	HOPELESS = 4,
	/* Squares are of so many nanoseconds, and longer grains count as so long. So the sums of 4096 grains fit. */
	SQUARE = 16,
	LONGEST = 1 << 30,
	RATIO_MAX = 1 << 20
};

/* The grains of a window, at home or away. */
struct grains {
	uint32_t n;
	uint64_t ns, squares;
};

static struct fg_theft_site sites[SITES];
struct fg_atomic_u64 fg_theft_worthy_until;

static void
forget(struct fg_theft_site *site)
{
	fg_store_relaxed(&site->cost, 0);
	fg_store_relaxed(&site->grain, 0);
	fg_store_relaxed(&site->wishes, 0);
	fg_store_relaxed(&site->tries, 0);
	fg_store_relaxed(&site->grains, 0);
	fg_store_relaxed(&site->ratios, 0);
}

/* Where all PROBES are taken the first one becomes this code's. Teams of the other code see that. */
static struct fg_theft_site *
find(const void *region)
{
	uint64_t hash = (uintptr_t)region * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	struct fg_theft_site *new = NULL;
	for (unsigned i = 0; i < PROBES; i++) {
		struct fg_theft_site *site = &sites[(hash + i) & (SITES - 1)];
		const void *there = fg_load_relaxed(&site->region);
		if (there == region)
			return site;
		if (!there && !new)
			new = site;
	}
	new = new ? new : &sites[hash & (SITES - 1)];
	forget(new);
	fg_store_relaxed(&new->region, (void *)region);
	return new;
}

static struct fg_theft_site *
site_of(const void *region, uint64_t now)
{
	struct fg_theft_site *site = find(region);
	if (fg_load_relaxed(&site->cost) && now > fg_load_relaxed(&site->until))
		forget(site);
	return site;
}

static void
clear_window(struct fg_bubble *team)
{
	for (unsigned away = 0; away < 2; away++) {
		fg_store_relaxed(&team->theft.grains[away].n, 0);
		fg_store_relaxed(&team->theft.grains[away].ns, 0);
		fg_store_relaxed(&team->theft.grains[away].squares, 0);
	}
}

/* One of the teams around runs the same code. */
static bool
is_recursion(const struct fg_bubble *team)
{
	const struct fg_bubble *around = team->entity.bubble;
	for (; around && fg_load_relaxed(&around->home); around = around->entity.bubble)
		if (around->region == team->region)
			return true;
	return false;
}

void
fg_theft_begin(struct fg_bubble *team, uint64_t now)
{
	struct fg_theft_site *site = is_recursion(team) ? NULL : site_of(team->region, now);
	uint32_t cost = site ? fg_load_relaxed(&site->cost) : 0;
	bool is_known = cost && (cost <= FG_THEFT_CHEAP || cost >= FG_THEFT_DEAR);
	if (team->theft.site != site || is_known || !site) {
		fg_store_relaxed(&team->theft.timed, 0);
		clear_window(team);
		team->theft.site = site;
	}
	fg_store_relaxed(&team->theft.barriers, 0);
}

/* A member that meets no barriers is away for all of its region, so one that is dear says enough. */
static bool
is_believed(uint32_t grains, double cost, bool barriers)
{
	return grains >= BELIEVED || (!barriers && cost >= FG_THEFT_DEAR);
}

static uint32_t
in_ns(double grain)
{
	return grain < UINT32_MAX ? (uint32_t)grain : UINT32_MAX;
}

/* The first regions of a program often do less than the later ones, and members that are cheap to take then may be dear
 * later. A dear site stays so: the members that have come home are the reason for shorter grains. */
static bool
is_other(const struct fg_theft_site *site, double grain)
{
	double before = fg_load_relaxed(&site->grain);
	return before > 0 && grain * 2 > before * OTHER && fg_load_relaxed(&site->cost) < FG_THEFT_DEAR;
}

static void
judge(struct fg_theft_site *site, bool barriers, double grain)
{
	uint32_t grains = fg_load_relaxed(&site->grains);
	double cost = grains ? (double)fg_load_relaxed(&site->ratios) / grains : 0;
	if (!grains || !is_believed(grains, cost, barriers))
		return;
	uint64_t until = fgomp_sched_now() + HOLDS;
	if (!fg_load_relaxed(&site->cost))
		fg_store_relaxed(&site->until, until);
	if (cost < FG_THEFT_DEAR)
		fg_store_relaxed(&fg_theft_worthy_until, until);
	fg_store_relaxed(&site->grain, in_ns(grain));
	uint32_t known = cost < FG_THEFT_ONE ? FG_THEFT_ONE : cost < UINT16_MAX ? (uint32_t)cost : UINT16_MAX;
	fg_store_relaxed(&site->cost, known);
}

/* The mean length of the grain that goes on at a moment, in nanoseconds. Where members have long and short grains in
 * turns, thieves find them in the long ones. */
static double
length_of(struct grains grains)
{
	return (double)grains.squares * SQUARE * SQUARE / (double)grains.ns;
}

/* Not inlined: the arithmetic must stay where the flags of the program are put aside. */
static __attribute__((noinline)) void
compare(struct fg_bubble *team, struct grains home, struct grains away)
{
	struct fg_theft_site *site = team->theft.site;
	double grain = (double)home.ns / home.n, ratio = (length_of(away) + ITSELF) / length_of(home);
	ratio = ratio < RATIO_MAX ? ratio : RATIO_MAX;
	bool barriers = fg_load_relaxed(&team->theft.barriers);
	if (!barriers && is_other(site, grain))
		forget(site);
	if (!fg_load_relaxed(&site->grain))
		fg_store_relaxed(&site->grain, in_ns(grain));
	fg_add_relaxed(&site->ratios, (uint64_t)(ratio * FG_THEFT_ONE) * away.n);
	fg_add_relaxed(&site->grains, away.n);
	judge(site, barriers, grain);
}

static struct grains
told_of(const struct fg_bubble *team, bool away)
{
	return (struct grains){.n = fg_load_relaxed(&team->theft.grains[away].n),
			       .ns = fg_load_relaxed(&team->theft.grains[away].ns),
			       .squares = fg_load_relaxed(&team->theft.grains[away].squares)};
}

/* The window is over. A member may add to it meanwhile: that grain is lost, or counts in the next one. Of two members
 * that come for one window, the second finds none at home. With none at home, those away stay for the next one. */
static void
learn(struct fg_bubble *team)
{
	struct fg_theft_site *site = team->theft.site;
	struct grains home = told_of(team, false), away = told_of(team, true);
	home.n = fg_exchange_acq_rel(&team->theft.grains[false].n, 0);
	if (!home.n || fg_load_relaxed(&site->region) != team->region)
		return;
	clear_window(team);
	uint32_t cost = fg_load_relaxed(&site->cost);
	bool is_sure = cost && cost <= FG_THEFT_CHEAP && fg_load_relaxed(&site->grains) >= SURE;
	if (!away.n || is_sure)
		fg_store_relaxed(&team->theft.timed, 0); /* a theft sets it again while the cost is not known */
	if (!away.n || is_sure || !home.squares || !away.ns)
		return;
	struct fg_float program = fg_float_put_aside();
	compare(team, home, away);
	fg_float_take_back(program);
}

void
fg_theft_end(struct fg_bubble *team)
{
	if (fg_theft_is_timed(team) && !fg_load_relaxed(&team->theft.barriers))
		learn(team);
}

bool
fg_theft_pays(const struct fg_bubble *team, uint64_t age)
{
	const struct fg_theft_site *site = team->theft.site;
	uint64_t cost = fg_load_relaxed(&site->cost), grain = fg_load_relaxed(&site->grain);
	return cost <= FG_THEFT_CHEAP || age * FG_THEFT_ONE + cost * grain < FG_THEFT_DEAR * grain;
}

uint64_t
fg_theft_away(const struct fg_bubble *team)
{
	uint64_t cost = fg_theft_cost(team);
	return cost > FG_THEFT_CHEAP ? cost * fg_load_relaxed(&team->theft.site->grain) / FG_THEFT_ONE : 0;
}

bool
fg_theft_is_tried(const struct fg_bubble *team)
{
	const struct fg_theft_site *site = team->theft.site;
	return site && !fg_load_relaxed(&site->cost) && fg_load_relaxed(&site->tries) > fg_load_relaxed(&site->grains);
}

void
fg_theft_note(struct fg_bubble *team)
{
	struct fg_theft_site *site = team->theft.site;
	if (!site || fg_load_relaxed(&site->cost))
		return;
	fg_add_relaxed(&site->tries, 1);
	fg_store_relaxed(&team->theft.timed, 1);
}

/* Each grain away pays for a try, and for two if the tries did no harm, so a cheap theft is soon known. Where members
 * meet barriers, one try is enough: the member is away for many grains. */
static uint32_t
tries_paid(const struct fg_bubble *team)
{
	const struct fg_theft_site *site = team->theft.site;
	uint32_t grains = fg_load_relaxed(&site->grains);
	if (fg_load_relaxed(&team->theft.barriers))
		return 0;
	return fg_load_relaxed(&site->ratios) < (uint64_t)grains * FG_THEFT_DEAR ? 2 * grains : grains;
}

bool
fg_theft_wish(struct fg_bubble *team, bool is_born, uint64_t now)
{
	struct fg_theft_site *site = team->theft.site;
	if (!site || fg_load_relaxed(&site->cost))
		return false;
	uint64_t wished = fg_load_relaxed(&site->wished);
	if (now > wished && now - wished >= WISH && fg_cas_relaxed(&site->wished, &wished, now))
		fg_add_relaxed(&site->wishes, 1);
	uint32_t tries = fg_load_relaxed(&site->tries);
	bool is_early = !is_born && !fg_load_relaxed(&team->theft.barriers) && tries <= fg_load_relaxed(&site->grains);
	return tries < tries_paid(team) + fg_load_relaxed(&site->wishes) / (is_early ? EARLY : WISHES);
}

static void
add(struct fg_bubble *team, bool away, uint64_t ns)
{
	ns = ns < LONGEST ? ns : LONGEST;
	fg_add_relaxed(&team->theft.grains[away].ns, ns);
	fg_add_relaxed(&team->theft.grains[away].squares, (ns / SQUARE) * (ns / SQUARE));
	fg_add_relaxed(&team->theft.grains[away].n, 1);
}

static bool
is_dear(const struct fg_bubble *team, uint64_t ns)
{
	uint32_t cost = fg_theft_cost(team);
	struct grains home = told_of(team, false);
	return cost ? cost > FG_THEFT_CHEAP : home.n && ns > HOPELESS * home.ns / home.n;
}

bool
fg_theft_grain(struct fg_bubble *team, bool waits, bool is_home, uint64_t ns)
{
	if (!team->theft.site || (!waits && fg_load_relaxed(&team->theft.barriers)))
		return false;
	if (waits)
		fg_store_relaxed(&team->theft.barriers, 1);
	add(team, !is_home, ns);
	bool goes = !is_home && is_dear(team, ns);
	if (told_of(team, false).n + told_of(team, true).n >= WINDOW * team->size)
		learn(team);
	return goes;
}
