/* Theft (floor: sched); see theft.h. */
#include "sched/theft.h"

#include "forestgomp/sched.h"
#include "sched/home.h"
#include "sched/world.h"
#include <stdio.h>
#include <stdlib.h>

enum { SITES = 64, LASTS = 50000000};

/* So many bursts away make a verdict, and so much more time is dear. */
enum { BURSTS_CHEAP = 4, BURSTS_DEAR = 1, WISHES = 4, AT_ONCE = 2, WINDOW = 2 };

static struct fg_theft_site sites[SITES];
struct fg_atomic_u32 fg_theft_pays;

static void
forget(struct fg_theft_site *site)
{
	uint32_t cost = fg_load_relaxed(&site->cost);
	if (cost && cost < FG_THEFT_DEAR)
		fg_add_relaxed(&fg_theft_pays, -1u);
	fg_store_relaxed(&site->cost, 0);
	fg_store_relaxed(&site->tries, 0);
	fg_store_relaxed(&site->wishes, 0);
	fg_store_relaxed(&site->bursts, 0);
	fg_store_relaxed(&site->sum, 0);
}

static struct fg_theft_site *
site_of(const void *region)
{
	uint64_t hash = (uintptr_t)region * UINT64_C(0x9e3779b97f4a7c15);
	struct fg_theft_site *site = &sites[hash >> 58];
	const void *there = fg_load_relaxed(&site->region);
	if (there != region) {
		forget(site);
		fg_store_relaxed(&site->region, (void *)region);
	}
	return site;
}

void
fg_theft_begin(struct fg_bubble *team, uint64_t now)
{
	struct fg_theft_site *site = site_of(team->region);
	uint64_t until = fg_load_relaxed(&site->until);
	if (now > until && fg_cas_relaxed(&site->until, &until, now + LASTS))
		forget(site);
	uint32_t cost = fg_load_relaxed(&site->cost);
	if (team->theft.site != site || (cost && (cost <= FG_THEFT_CHEAP || cost >= FG_THEFT_DEAR))) {
		fg_store_relaxed(&team->theft.timed, 0);
		team->theft.clean = 0;
		team->theft.dirty = false;
		team->theft.site = site;
	}
	fg_store_relaxed(&team->theft.away_n, 0);
	fg_store_relaxed(&team->theft.home_n, 0);
	fg_store_relaxed(&team->theft.away_ns, 0);
	fg_store_relaxed(&team->theft.home_ns, 0);
}

static void
judge(struct fg_theft_site *site, double clean)
{
	uint32_t n = fg_load_relaxed(&site->bursts);
	if (!n)
		return;
	double ratio = 1 + (double)(int64_t)fg_load_relaxed(&site->sum) / FG_THEFT_ONE / n;
	if (n < BURSTS_DEAR || (ratio <= 2 && n < BURSTS_CHEAP))
		return;
	uint32_t cost = ratio > 100 ? 100 * FG_THEFT_ONE : ratio < 1 ? FG_THEFT_ONE : (uint32_t)(ratio * FG_THEFT_ONE);
	fg_store_relaxed(&site->burst, (uint32_t)clean);
	uint32_t old = fg_exchange_acq_rel(&site->cost, cost);
	fg_add_relaxed(&fg_theft_pays, (cost < FG_THEFT_DEAR) - (uint32_t)(old && old < FG_THEFT_DEAR));
	if (getenv("THEFT")) fprintf(stderr, "%llu site %p: n %u cost %.2f clean %.0f now %u\n", (unsigned long long)fgomp_sched_now(), fg_load_relaxed(&site->region), n, ratio, clean, fg_load_relaxed(&site->cost));
}

bool
fg_theft_may(const struct fg_bubble *team, unsigned waiting, uint64_t age)
{
	const struct fg_theft_site *site = team->theft.site;
	uint64_t cost = fg_load_relaxed(&site->cost);
	return cost <= FG_THEFT_CHEAP || age * FG_THEFT_ONE + cost * fg_load_relaxed(&site->burst) <
		(waiting + UINT64_C(1)) * FG_THEFT_ONE * fg_load_relaxed(&site->burst);
}

static void
learn(struct fg_bubble *team)
{
	struct fg_theft_site *site = team->theft.site;
	uint32_t away = fg_exchange_acq_rel(&team->theft.away_n, 0), home = fg_exchange_acq_rel(&team->theft.home_n, 0);
	double away_ns = (double)fg_exchange_acq_rel(&team->theft.away_ns, 0),
	       home_ns = (double)fg_exchange_acq_rel(&team->theft.home_ns, 0);
	if (!home)
		return;
	double clean = team->theft.clean;
	if (!away && !team->theft.dirty) {
		team->theft.clean = (uint32_t)(home_ns / home);
		return;
	}
	if (clean <= 0)
		clean = home_ns / home;
	team->theft.dirty = true;
	if (clean <= 0)
		return;
	double excess = (away_ns + home_ns) / clean - away - home;
	fg_add_relaxed(&site->sum, (uint64_t)(int64_t)(excess * FG_THEFT_ONE));
	fg_add_relaxed(&site->bursts, away);
	judge(site, clean);
}

void
fg_theft_end(struct fg_bubble *team)
{
	if (fg_theft_is_timed(team) && !team->theft.barriers)
		learn(team);
	team->theft.barriers = false;
}

void
fg_theft_note(struct fg_bubble *team)
{
	struct fg_theft_site *site = team->theft.site;
	if (!site || fg_load_relaxed(&site->cost) != 0)
		return;
	fg_add_relaxed(&site->tries, 1);
	fg_store_relaxed(&team->theft.timed, 1);
}

bool
fg_theft_try(struct fg_bubble *team, uint64_t now)
{
	struct fg_theft_site *site = team->theft.site;
	if (!site || fg_load_relaxed(&site->cost) != 0)
		return false;
	uint64_t clean = team->theft.clean, wished = fg_load_relaxed(&site->wished);
	if (!clean) {
		fg_store_relaxed(&team->theft.timed, 1);
		return false;
	}
	if (now - wished >= clean && fg_cas_relaxed(&site->wished, &wished, now))
		fg_add_relaxed(&site->wishes, 1);
	return fg_load_relaxed(&site->wishes) >= WISHES && fg_load_relaxed(&site->tries) < fg_load_relaxed(&site->bursts) + AT_ONCE;
}

void
fg_theft_burst(struct fg_bubble *team, unsigned pu, uint64_t ns)
{
	bool home = fg_home_has(fg_home_of(team), pu);
	fg_add_relaxed(home ? &team->theft.home_ns : &team->theft.away_ns, ns);
	uint32_t n = fg_add_relaxed(home ? &team->theft.home_n : &team->theft.away_n, 1) + 1;
	if (n + fg_load_relaxed(home ? &team->theft.away_n : &team->theft.home_n) >= WINDOW * team->size)
		learn(team);
}
