/* The sampler of FGOMP_MEMORY (floor: samples), and the table that the library gets.
 *
 * It has a thread of its own, which starts when the runtime makes its first worker. Nearly always the thread sleeps. It
 * looks from time to time at the large mappings of the process. Only if one is suspect, because it lies on few nodes,
 * timers of CPU time ask all workers for samples for a while: a round. If a round ends without anything to mend, the
 * next one comes later and later. Memory that lies evenly over the nodes may still be on the wrong ones, so it is
 * sampled too, ten times more rarely.
 *
 * The thread has all signals blocked. It allocates nothing and takes no lock of the C library. It has descriptors of
 * its own: a program that closes all of its files, and opens others, never meets one of the sampler's. */
#include <string.h>

#include "base/carrier.h"
#include "base/export.h"
#include "exec/thread/all_workers.h"
#include "exec/thread/whole_worker.h"
#include "memory/where.h"
#include "platform/clock.h"
#include "platform/file.h"
#include "platform/thread_clock.h"
#include "samples/library.h"
#include "samples/mappings.h"
#include "samples/orders.h"
#include "samples/points.h"
#include "samples/repair.h"
#include "samples/report.h"
#include "samples/ring.h"
#include "samples/tick.h"
#include "samples/walk.h"

#define MS UINT64_C(1000000)
#define TURN_NS (20 * MS)   /* in a round */
#define PERIOD_NS (10 * MS) /* of CPU time, between two samples of a worker: 6 to 14 ms */
#define SAMPLES_MAX 1000    /* a second, of all workers */
#define ROUND_NS (1000 * MS)
#define QUIET_MIN_NS (250 * MS) /* between rounds */
#define QUIET_MAX_NS (30000 * MS)
#define EVEN_TIMES 10
#define NEW_POINTS 16		/* before it is worth to decide again, */
#define NEW_PART 32		/* and this part of all points, because a decision looks at all of them */
#define ROOT_NS (1000 * MS)	/* so long orders wait for a root */
#define MENDED 2		/* per cent remote that are left as they are */
#define LOOK_MAX_NS (2000 * MS) /* between looks, while nothing is suspect or the process is idle */
#define LOOK_PART 10		/* looks take at most this part of the time of one PU */
#define IDLE_PART 50		/* a process that uses less than this part of one PU is idle */

/* NONE -> RUNS by a thread that makes a worker, and starts the sampler. RUNS -> ENDS by the thread that ends the
 * runtime's threads. ENDS -> NONE by the sampler, as its last step. ENDS -> RUNS by a thread that makes a worker
 * meanwhile: the sampler goes on. */
enum { NONE, RUNS, ENDS };
enum { RSP = 4 }; /* the processor's number */

static struct {
	struct fg_atomic_u32 state;
	bool moves, tells, was_made;
	uint64_t period;	  /* of the timers in this round */
	unsigned fresh;		  /* points since the last decision */
	uint64_t given;		  /* when the last orders were given */
	bool refused;		  /* the system gives no timers */
	bool strange;		  /* a look is wanted: an access met an unknown mapping, or pages have moved */
	uint64_t looked, look_ns; /* when the last look was over, and the CPU time that it took */
} sampler;

static unsigned
look(void)
{
	uint64_t begin = fg_thread_clock_used(0);
	unsigned suspect = fg_mappings_look();
	sampler.look_ns = fg_samples_host->simulated_ns ? 0 : fg_thread_clock_used(0) - begin;
	sampler.looked = fg_samples_host->carrier->now();
	sampler.strange = false;
	return suspect;
}

/* A program with very many mappings takes long to look at, and its own calls of mmap wait for that. */
static uint64_t
until_next_look(uint64_t wanted)
{
	uint64_t least = LOOK_PART * sampler.look_ns;
	return wanted > least ? wanted : least;
}

static bool
is_time_to_look(uint64_t wanted)
{
	return fg_samples_host->carrier->now() - sampler.looked >= until_next_look(wanted);
}

static bool
ends(void)
{
	return fg_load_acquire(&sampler.state) != RUNS;
}

static void
sleep_for(uint64_t ns)
{
	fg_samples_host->carrier->wait(&sampler.state, RUNS, ns);
}

static struct fg_worker *
first_worker(void)
{
	return fg_load_acquire(fg_samples_host->all_workers);
}

static void
set_timers(uint64_t period)
{
	uint64_t chance = fg_samples_host->carrier->now();
	bool given = false;
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next) {
		if (!worker->tid)
			continue;
		chance = (chance * 1664525 + 1013904223) & UINT32_MAX;
		given |= fg_samples_host->timer(worker,
						period ? period * 6 / 10 + (chance * (period * 8 / 10) >> 32) : 0);
	}
	if (period)
		sampler.refused = !given;
}

static uint64_t
period_for_all(void)
{
	uint64_t n = 0;
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next)
		n += worker->tid != 0;
	uint64_t least = n * 1000 * MS / SAMPLES_MAX;
	return least > PERIOD_NS ? least : PERIOD_NS;
}

/* Accesses to one page are one point. */
static unsigned
collect(const struct fg_sample *sample, const struct fg_walk *walk, struct fg_point *points, void **pages, unsigned n,
	unsigned max)
{
	unsigned first = n, considered = walk->count;
	const struct fg_mapping *stack = fg_mapping_of(sample->registers.general[RSP]);
	for (unsigned i = 0; i < walk->count && n < max; i++) {
		const struct fg_access *access = &walk->accesses[i];
		const struct fg_mapping *mapping = fg_mapping_of(access->address);
		if (!mapping || mapping == stack)
			continue;
		unsigned same = first;
		while (same < n && (points[same].address ^ access->address) >> 12 != 0)
			same++;
		if (same == n) {
			points[n] = (struct fg_point){.address = access->address,
						      .user = (unsigned char)sample->node,
						      .region = fg_report_region(sample->region)};
			pages[n] = (void *)(access->address & ~(uintptr_t)4095);
			n++;
		}
		points[same].share += 1.0f / (float)considered;
		points[same].writes |= access->write;
	}
	sampler.strange |= walk->count && n == first;
	return n;
}

static void
put(unsigned n, struct fg_point *points, void **pages)
{
	static int node[512];
	if (!n || !fg_samples_host->where->ask(n, pages, node))
		return;
	for (unsigned i = 0; i < n; i++) {
		points[i].page = (signed char)(node[i] < 0 ? -1 : node[i]);
		fg_report_point(&points[i]);
		fg_point_add(points[i]);
	}
	sampler.fresh += n;
}

/* Looks at the samples for at most so long, ns: they may come faster than it walks. */
static void
drain(uint64_t most)
{
	enum { MAX = 512 };
	static struct fg_point points[MAX];
	static void *pages[MAX];
	static struct fg_walk walk;
	unsigned n = 0;
	uint64_t begin = fg_samples_host->carrier->now();
	for (const struct fg_sample *sample; (sample = fg_ring_read());) {
		if (sample->node < fg_samples_host->nodes) {
			fg_walk(&sample->registers, &walk);
			fg_report_walk(walk.closed);
			n = collect(sample, &walk, points, pages, n, MAX);
		}
		fg_ring_taken(sample);
		if (n > MAX - 160) {
			put(n, points, pages);
			n = 0;
		}
		if (fg_samples_host->carrier->now() - begin > most)
			break;
	}
	put(n, points, pages);
}

/* Returns whether pages have moved. */
static bool
see_to_orders(void)
{
	if (fg_orders_wait()) {
		if (fg_samples_host->simulated_ns || fg_samples_host->carrier->now() - sampler.given < ROOT_NS)
			return false;
		fg_orders_carry_out(true);
		if (fg_orders_wait()) /* a root has just taken them */
			return false;
	}
	bool moved = fg_repair_learn();
	sampler.strange |= moved;
	if (moved && is_time_to_look(0))
		look();
	if (!sampler.moves || sampler.fresh < NEW_POINTS + fg_points_count() / NEW_PART || fg_orders_wait())
		return moved;
	sampler.fresh = 0;
	sampler.given = fg_samples_host->carrier->now();
	fg_repair_decide(sampler.period);
	return moved;
}

/* The kernel makes huge pages wherever it likes, or where the program has asked for them. */
static enum fg_pages
kind_of_pages(void)
{
	char text[64] = "";
	if (!fg_samples_host->sandbox_allows(FG_SANDBOX_FILES) ||
	    !fg_file_text("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text))
		return FG_PAGES_SMALL;
	return strstr(text, "[always]")	   ? FG_PAGES_HUGE
	       : strstr(text, "[madvise]") ? FG_PAGES_SOME_HUGE
					   : FG_PAGES_SMALL;
}

/* Returns whether it pays to look again soon. */
static bool
sample_round(void)
{
	uint64_t begin = fg_samples_host->carrier->now();
	bool moved = false;
	sampler.period = period_for_all();
	if (!fg_orders_wait())
		fg_orders_pages(kind_of_pages());
	set_timers(sampler.period);
	fg_store_release(&fg_ticks_on, 1);
	while (!ends()) {
		sleep_for(TURN_NS);
		drain(TURN_NS);
		moved |= see_to_orders();
		if (sampler.strange && is_time_to_look(QUIET_MIN_NS))
			look();
		if (fg_samples_host->carrier->now() - begin > ROUND_NS && !fg_orders_wait())
			break;
	}
	fg_store_release(&fg_ticks_on, 0);
	set_timers(0);
	drain(UINT64_MAX); /* no further samples come */
	return moved || (sampler.moves && fg_repair_left() > MENDED);
}

/* Sleeps, and tells whether the process has computed meanwhile. If not, its memory lies as before, and nobody is slower
 * for it. */
static bool
sleep_and_ask(uint64_t ns)
{
	uint64_t used = fg_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	sleep_for(ns);
	return fg_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - used > ns / IDLE_PART;
}

static void
look_and_sample(void)
{
	uint64_t quiet = QUIET_MIN_NS, waited = 0, until_look = QUIET_MIN_NS;
	bool has_looked = false;
	fg_orders_drop();
	while (!ends()) {
		uint64_t pause = until_next_look(until_look);
		if (!sleep_and_ask(pause) && has_looked) {
			until_look = LOOK_MAX_NS;
			continue;
		}
		waited += pause;
		has_looked = true;
		unsigned suspect = look();
		if (suspect)
			until_look = QUIET_MIN_NS;
		else if (until_look < LOOK_MAX_NS)
			until_look *= 2;
		if (!fg_mappings_count() || waited < (suspect ? quiet : EVEN_TIMES * quiet))
			continue;
		waited = 0;
		if (sample_round())
			quiet = QUIET_MIN_NS;
		else if (quiet < QUIET_MAX_NS)
			quiet *= 2;
	}
	fg_orders_drop();
}

static void
sampler_main(void *arg)
{
	(void)arg;
	uint32_t is;
	if (fg_samples_host->sandbox_allows(FG_SANDBOX_OWN_FILES))
		fg_file_part();
	do {
		look_and_sample();
		is = ENDS;
	} while (!fg_cas_acq_rel(&sampler.state, &is, NONE)); /* else it is wanted again */
	fg_samples_host->carrier->wake(&sampler.state, 1);
}

/* The simulated machine's source. No thread sleeps there and looks: each sample is looked at as it comes. */
static void
touched(uintptr_t address, unsigned node, bool writes, const void *region, unsigned times)
{
	enum { LOOK = 256 }; /* samples that meet no mapping, until the next look */
	static unsigned strangers;
	int page;
	void *of = (void *)(address & ~(uintptr_t)4095);
	if (!fg_mapping_of(address) && strangers++ % LOOK == 0)
		look();
	if (!fg_mapping_of(address) || !fg_samples_host->where->ask(1, &of, &page))
		return;
	struct fg_point point = {.address = address,
				 .share = (float)times,
				 .user = (unsigned char)node,
				 .page = (signed char)page,
				 .region = fg_report_region(region),
				 .writes = writes};
	fg_report_walk(true);
	fg_report_point(&point);
	fg_point_add(point);
	sampler.fresh++;
	see_to_orders();
}

static void
made(void)
{
	uint32_t none = NONE, ends = ENDS;
	sampler.was_made = true;
	if (fg_samples_host->simulated_ns || fg_load_relaxed(&sampler.state) == RUNS)
		return;
	if (fg_cas_acq_rel(&sampler.state, &ends, RUNS) || !fg_cas_acq_rel(&sampler.state, &none, RUNS))
		return;
	if (!fg_samples_host->start(sampler_main))
		fg_store_release(&sampler.state, NONE); /* the next worker that is made tries again */
}

static void
stop(void)
{
	uint32_t runs = RUNS;
	if (fg_cas_acq_rel(&sampler.state, &runs, ENDS))
		fg_samples_host->carrier->wake(&sampler.state, 1);
}

static void
repair(void)
{
	fg_orders_carry_out(false);
}

/* The report tells of orders that a root has carried out just now, too. The sampler ends soon, because it waits for
 * nobody. Should the system not let it run, there is no report. */
static void
end(void)
{
	enum { LOOKS = 100 };
	if (!sampler.tells || !sampler.was_made)
		return;
	stop();
	for (unsigned i = 0; i < LOOKS && fg_load_acquire(&sampler.state) == ENDS; i++)
		fg_samples_host->carrier->wait(&sampler.state, ENDS, TURN_NS);
	if (fg_load_acquire(&sampler.state) != NONE) {
		fg_samples_host->report("memory: pages are still being moved, so there is no report");
		return;
	}
	fg_repair_learn();
	if (sampler.refused)
		fg_samples_host->report("memory: the system gives no timers of CPU time, so nothing was sampled");
	else
		fg_report_print(sampler.moves);
}

static void
after_fork(void)
{
	fg_ring_after_fork();
	fg_orders_after_fork();
	fg_points_drop();
	fg_report_drop();
	sampler.was_made = false;
	fg_store_relaxed(&fg_ticks_on, 0);
	fg_store_relaxed(&sampler.state, NONE);
}

static bool
begin(const struct fg_samples_library *library, bool moves, bool tells)
{
	fg_samples_host = library;
	sampler.moves = moves;
	sampler.tells = tells;
	sampler.period = library->simulated_ns;
	return fg_ring_make() && fg_points_make();
}

FG_EXPORT const struct fg_samples_object fg_samples_object = {
	.layout = FG_SAMPLES_LAYOUT(sizeof(struct fg_whole_worker), sizeof(struct fg_identity)),
	.version = FG_VERSION,
	.begin = begin,
	.made = made,
	.tick = fg_sample_tick,
	.touched = touched,
	.repair = repair,
	.stop = stop,
	.end = end,
	.after_fork = after_fork,
};
