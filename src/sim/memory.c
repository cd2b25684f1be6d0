/* Memory: see memory.h. The unit is a line of 64 bytes, as on the real machines. So two structures share a line exactly
 * where they do on those. It is quick because a page is looked up once for its 64 lines, and because a copy is dropped
 * without a search for it.
 *
 * Homes.   A page of 4 KiB lies on the NUMA node of the PU that touches it first, or where an allocator wants it
 *          (homes.h).
 * Caches.  Each PU has an inner cache (its L2). Where the machine has them, it also has an outer one (an L3 that it
 *          shares). A cache consists of sets of 8 lines, and the least recently used one goes. A line that comes is put
 *          into both.
 * Copies.  A line has a version. A copy of another version does not count. A PU that changes a line of which there may
 *          be other copies makes a new version. A changed line comes from the PU that changed it, until the outermost
 *          cache of that PU drops the line and writes it back. An unchanged line comes from a cache that the PU has a
 *          part in, or from memory.
 * Time.    A core waits for the first line of a range that is not at hand by that line's latency. For each other line
 *          it waits by the latency over the number of lines under way. The core's bandwidth from local memory tells
 *          that number.
 * Queues.  A node's memory, and its links in each direction, serve one line after the other. Each keeps the time until
 *          which it has work. The wait for a line begins when all that it needs are free. Where every access asks all
 *          nodes (probes), it takes some time of all links. A range goes page by page, the PU least far in time first,
 *          so that PUs share the queues. */
#include "sim/memory.h"

#include <stdlib.h>
#include <string.h>

#include "exec/ground/options.h"
#include "sim/pages.h"
#include "sim/sim.h"
#include "sim/stopwatch.h"
#include "sim/told.h"
#include "trace/format.h"
#include "trace/trace.h"

#define WAYS 8

/* A tag is the number of the line, its version, and the dirty bit; 0 is free. The first tag of a set was used last. */
struct cache {
	uint64_t *tags;
	uint64_t sets;
};

/* A node has three ways that serve lines in turn. Each number is the time until which that way has work. */
struct node {
	double memory, in, out;
};

/* The costs of the part of a range that lies in one page. */
struct walk {
	struct fg_sim_pu *pu;
	bool writes;
	bool begun;		   /* the range has paid its first latency */
	unsigned from_memory;	   /* lines */
	double now, start, done;   /* start: the last of its queues begins with it; done: all of them have served it */
	double core, core_at_home; /* ns that the core waits if nothing queues; the same if all memory were local */
};

static struct {
	struct cache *caches;
	struct node *nodes;
	unsigned *inner_of, *outer_of, *node_of; /* of each PU; outer_of is the inner one where there is no outer */
	double under_way;			 /* lines that a core waits for at the same time */
	double memory_ns, link_ns, shared_ns;	 /* for one line */
	/* Nodes of the lines that are written back. A line makes room in at most two caches. */
	struct {
		unsigned from, to;
	} written[2 * FG_PAGE_LINES];
	unsigned n_written;
} simulated;

/* The level of the cache is the first of `kinds` that the PU lies below; FG_LEVEL_KINDS ends the list. `kilobytes` < 0
 * means: not given. Then the size is that of the machine's description, else an estimate. Returns false if there is no
 * such cache. */
static bool
find_cache(unsigned pu, const enum fg_level_kind *kinds, double kilobytes, double estimate_a_pu, unsigned base,
	   unsigned *number)
{
	struct fg_level *level = NULL;
	for (; *kinds != FG_LEVEL_KINDS && !level; kinds++)
		level = fg_level_above(fg_sim.model.machine->pus[pu], *kinds);
	if (!level)
		return false;
	double known = level->cache_bytes ? (double)level->cache_bytes / 1024 : estimate_a_pu * level->n_pus;
	*number = base + level->number;
	simulated.caches[*number].sets =
		(uint64_t)((kilobytes >= 0 ? kilobytes : known) * 1024 / FG_MEMORY_LINE / WAYS);
	return simulated.caches[*number].sets > 0;
}

static void
caches_make(void)
{
	static const enum fg_level_kind inner[] = {FG_L2, FG_CORE, FG_PU, FG_LEVEL_KINDS},
					outer[] = {FG_L3, FG_LEVEL_KINDS};
	const struct fg_model *model = &fg_sim.model;
	unsigned n_levels = model->machine->n_levels;
	/* One level may have an inner and an outer one. */
	simulated.caches = fg_sim_memory(2 * (size_t)n_levels, sizeof *simulated.caches);
	for (unsigned pu = 0; pu < fg_sim.n_pus; pu++) {
		if (!find_cache(pu, inner, model->cache_l2, FG_MODEL_L2_A_PU, 0, &simulated.inner_of[pu]))
			simulated.caches[simulated.inner_of[pu]].sets = 1;
		if (!find_cache(pu, outer, model->cache_l3, FG_MODEL_L3_A_PU, n_levels, &simulated.outer_of[pu]))
			simulated.outer_of[pu] = simulated.inner_of[pu];
	}
}

static void
prepare(void)
{
	const struct fg_model *model = &fg_sim.model;
	unsigned n = fg_sim.n_pus;
	simulated.inner_of = fg_sim_memory(n, sizeof *simulated.inner_of);
	simulated.outer_of = fg_sim_memory(n, sizeof *simulated.outer_of);
	simulated.node_of = fg_sim_memory(n, sizeof *simulated.node_of);
	simulated.nodes = fg_sim_memory(model->machine->n_numa_nodes + 1, sizeof *simulated.nodes);
	for (unsigned pu = 0; pu < n; pu++)
		simulated.node_of[pu] = fg_model_node(model, pu);
	caches_make();
	simulated.memory_ns = FG_MEMORY_LINE * 1e3 / model->node_bandwidth;
	simulated.link_ns = model->link_bandwidth > 0 ? FG_MEMORY_LINE * 1e3 / model->link_bandwidth : 0;
	simulated.shared_ns = FG_MEMORY_LINE * 1e3 / model->l3_bandwidth;
	simulated.under_way = fg_model_memory(model, 0, false) * model->core_bandwidth / FG_MEMORY_LINE / 1e3;
	if (simulated.under_way < 1)
		simulated.under_way = 1;
}

/* Adds work to a way that serves one line after the other. */
static void
queue(double *busy_until, double ns, struct walk *walk)
{
	double begin = *busy_until > walk->now ? *busy_until : walk->now;
	*busy_until = begin + ns;
	if (walk->start < begin)
		walk->start = begin;
	if (walk->done < *busy_until)
		walk->done = *busy_until;
}

/* Lines go from node to node. On machines with probes, all other nodes are asked for them. */
static void
carry(unsigned from, unsigned to, unsigned n, struct walk *walk)
{
	double probes = n * fg_sim.model.probe;
	if (from != to && simulated.link_ns > 0) {
		queue(&simulated.nodes[to].in, n * simulated.link_ns, walk);
		queue(&simulated.nodes[from].out, n * simulated.link_ns, walk);
	}
	for (unsigned i = 0; probes > 0 && i < fg_sim.model.machine->n_numa_nodes; i++)
		if (i != to) {
			queue(&simulated.nodes[i].in, probes, walk);
			if (i != from)
				queue(&simulated.nodes[i].out, probes, walk);
		}
}

uint64_t
fg_memory_link(unsigned from, unsigned to)
{
	if (!simulated.nodes)
		prepare();
	struct walk walk = {.now = (double)fg_sim.clock};
	walk.start = walk.done = walk.now;
	carry(simulated.node_of[from], simulated.node_of[to], 1, &walk);
	return (uint64_t)(walk.start - walk.now);
}

static uint64_t
tag_of(uintptr_t number, const struct fg_page_line *line, bool dirty)
{
	return (uint64_t)number << (FG_VERSION_BITS + 1) | (uint64_t)line->version << 1 | dirty;
}

static uint64_t *
set_of(struct cache *cache, uintptr_t number)
{
	if (!cache->tags)
		cache->tags = fg_sim_memory(cache->sets * WAYS, sizeof *cache->tags);
	return cache->tags + number % cache->sets * WAYS;
}

static void
use_way(uint64_t *set, unsigned way, uint64_t tag)
{
	for (; way > 0; way--)
		set[way] = set[way - 1];
	set[0] = tag;
}

static bool
has(struct cache *cache, uintptr_t number, const struct fg_page_line *line)
{
	uint64_t *set = set_of(cache, number), tag = tag_of(number, line, false);
	for (unsigned way = 0; way < WAYS; way++)
		if ((set[way] & ~UINT64_C(1)) == tag) {
			use_way(set, way, set[way]);
			return true;
		}
	return false;
}

/* A changed line leaves a cache. If that was the last copy and memory does not have the value yet, memory gets it. */
static void
write_back(const struct cache *cache, uint64_t tag)
{
	uintptr_t number = tag >> (FG_VERSION_BITS + 1);
	struct fg_page *page = fg_page_find(number / FG_PAGE_LINES);
	struct fg_page_line *line = &page->lines[number % FG_PAGE_LINES];
	if (!line->dirty || tag_of(number, line, true) != tag ||
	    &simulated.caches[simulated.outer_of[line->holder]] != cache)
		return;
	line->dirty = false;
	simulated.written[simulated.n_written].from = simulated.node_of[line->holder];
	simulated.written[simulated.n_written++].to = (unsigned)page->node;
}

/* No PU waits for these lines. But PUs that want the same memory wait, after the lines that took their places in the
 * caches. */
static void
queue_written(void)
{
	struct walk nobody = {.now = (double)fg_sim.clock};
	for (unsigned i = 0; i < simulated.n_written; i++) {
		unsigned from = simulated.written[i].from, to = simulated.written[i].to;
		queue(&simulated.nodes[to].memory, simulated.memory_ns, &nobody);
		if (from != to && simulated.link_ns > 0) {
			queue(&simulated.nodes[from].out, simulated.link_ns, &nobody);
			queue(&simulated.nodes[to].in, simulated.link_ns, &nobody);
		}
	}
	simulated.n_written = 0;
}

static void
put(struct cache *cache, uintptr_t number, const struct fg_page_line *line, bool dirty)
{
	uint64_t *set = set_of(cache, number);
	unsigned way = 0;
	while (way < WAYS - 1 && set[way] >> (FG_VERSION_BITS + 1) != number)
		way++;
	uint64_t gone = set[way];
	use_way(set, way, tag_of(number, line, dirty));
	if (gone & 1 && gone >> (FG_VERSION_BITS + 1) != number)
		write_back(cache, gone);
}

/* The core waits for a line: alone if it is the first one of the range, else together with others. */
static void
wait_for(double latency, double at_home, struct walk *walk)
{
	double part = walk->begun ? simulated.under_way : 1;
	walk->begun = true;
	walk->core += latency / part;
	walk->core_at_home += at_home / part;
}

static void
from_shared(struct walk *walk)
{
	double ns = walk->begun ? simulated.shared_ns : fg_sim.model.l3_latency;
	walk->begun = true;
	walk->core += ns;
	walk->core_at_home += ns;
	fg_sim.lines_shared++;
}

static void
from_other(unsigned holder, struct walk *walk)
{
	unsigned pu = fg_sim.pu;
	bool remote = simulated.node_of[holder] != simulated.node_of[pu];
	wait_for(fg_sim.transfer[holder * fg_sim.n_pus + pu], 0, walk);
	fg_sim.lines_other[fg_sim_distance(holder, pu)]++;
	if (remote) {
		fg_sim_count(FG_COUNT_REMOTE, 1);
		carry(simulated.node_of[holder], simulated.node_of[pu], 1, walk);
	}
}

static void
from_memory(unsigned home, struct walk *walk)
{
	unsigned hops = fg_model_node_hops(&fg_sim.model, home, simulated.node_of[fg_sim.pu]);
	wait_for(fg_model_memory(&fg_sim.model, hops, walk->writes), fg_model_memory(&fg_sim.model, 0, walk->writes),
		 walk);
	fg_sim.lines_memory[hops]++;
	walk->from_memory++;
}

static double
drop_ns(const struct fg_page_line *line)
{
	uint16_t to_holder = fg_sim.transfer[fg_sim.pu * fg_sim.n_pus + line->holder],
		 to_reader = fg_sim.transfer[fg_sim.pu * fg_sim.n_pus + line->reader];
	return to_holder > to_reader ? to_holder : to_reader;
}

/* The running PU has not found the line in its own caches. Returns whether the only PU that had the line still has
 * it. */
static bool
kept(uintptr_t number, const struct fg_page_line *line)
{
	unsigned inner = simulated.inner_of[line->holder], outer = simulated.outer_of[line->holder];
	return (inner != simulated.inner_of[fg_sim.pu] && has(&simulated.caches[inner], number, line)) ||
	       (outer != simulated.outer_of[fg_sim.pu] && has(&simulated.caches[outer], number, line));
}

/* Brings a line into the caches of the PU. */
static void
fetch(struct fg_page *page, uintptr_t number, struct fg_page_line *line, struct walk *walk)
{
	struct cache *inner = &simulated.caches[simulated.inner_of[fg_sim.pu]],
		     *outer = &simulated.caches[simulated.outer_of[fg_sim.pu]];
	bool other = line->dirty && simulated.inner_of[line->holder] != simulated.inner_of[fg_sim.pu];
	if (line->known && outer != inner && has(outer, number, line)) {
		if (other && line->sole)
			from_other(line->holder, walk);
		else
			from_shared(walk);
	} else {
		fg_sim_count(FG_COUNT_MISSES, 1);
		if (other)
			from_other(line->holder, walk);
		else {
			from_memory((unsigned)page->node, walk);
			line->known = line->known && !(line->sole && !kept(number, line));
		}
		if (outer != inner)
			put(outer, number, line, false);
	}
	put(inner, number, line, false);
}

static void
note_reader(struct fg_page_line *line)
{
	const uint16_t *far = &fg_sim.transfer[line->holder * fg_sim.n_pus];
	if (line->sole || far[line->reader] < far[fg_sim.pu])
		line->reader = fg_sim.pu & (FG_MODEL_PUS - 1);
	line->sole = false;
}

/* The PU has the line, and it will have the only copy. */
static void
change(uintptr_t number, struct fg_page_line *line, bool was_here, struct walk *walk)
{
	unsigned pu = fg_sim.pu;
	bool mine = line->sole && simulated.inner_of[line->holder] == simulated.inner_of[pu];
	if (mine && line->dirty)
		return;
	if (!mine) {
		if (was_here)
			wait_for(drop_ns(line), 0, walk);
		line->version++;
		if (simulated.outer_of[pu] != simulated.inner_of[pu])
			put(&simulated.caches[simulated.inner_of[pu]], number, line, false);
	}
	line->holder = line->reader = pu & (FG_MODEL_PUS - 1);
	line->sole = line->dirty = true;
	put(&simulated.caches[simulated.outer_of[pu]], number, line, true);
}

static void
use_line(struct fg_page *page, uintptr_t number, struct walk *walk)
{
	struct fg_page_line *line = &page->lines[number % FG_PAGE_LINES];
	bool here = line->known && has(&simulated.caches[simulated.inner_of[fg_sim.pu]], number, line);
	fg_sim.lines_own += here;
	if (!here)
		fetch(page, number, line, walk);
	if (!line->known) {
		line->known = line->sole = true;
		line->holder = line->reader = fg_sim.pu & (FG_MODEL_PUS - 1);
	} else if (simulated.inner_of[line->holder] != simulated.inner_of[fg_sim.pu])
		note_reader(line);
	if (walk->writes)
		change(number, line, here, walk);
}

/* Uses lines of one page. */
static void
use_lines(uintptr_t first, uintptr_t last, struct walk *walk)
{
	struct fg_page *page = fg_page_touch(first / FG_PAGE_LINES, simulated.node_of[fg_sim.pu]);
	unsigned node = simulated.node_of[fg_sim.pu], home = (unsigned)page->node;
	for (uintptr_t number = first; number <= last; number++)
		use_line(page, number, walk);
	if (walk->from_memory) {
		queue(&simulated.nodes[home].memory, walk->from_memory * simulated.memory_ns, walk);
		carry(home, node, walk->from_memory, walk);
	}
	if (home != node)
		fg_sim_count(FG_COUNT_REMOTE, walk->from_memory);
	queue_written();
}

/* Returns the time that it took. */
static uint64_t
charge(struct walk *walk)
{
	double end = walk->start + walk->core;
	if (end < walk->done)
		end = walk->done;
	uint64_t ns = (uint64_t)(end - walk->now + 0.5), at_home = (uint64_t)(walk->core_at_home + 0.5);
	fg_sim_spend(FG_SPENT_MEMORY, ns);
	if (!fg_sim.given)
		walk->pu->charged_ahead += at_home < ns ? at_home : ns;
	return ns;
}

static void
drop_rest(struct fg_sim_pu *pu)
{
	if (4 * pu->taken_off >= pu->charged_ahead)
		pu->charged_ahead = 0;
	pu->taken_off = 0;
}

/* Records the begin and the end of a touch, at the running actor's clock. Records take no simulated time. The first
 * touch may come before the first region, and then it opens the file. */
static void
record(enum fg_event event, uint32_t a, uint64_t b)
{
	struct fg_identity *self = fg_self();
	if (!fg_load_acquire(&fg_recording.opened))
		fg_trace_open();
	if (self && !self->worker)
		return;
	bool inside = fg_enter_again(self);
	fg_trace(event, self ? self->thread.bubble : 0, self ? self->thread.num : 0, a, b);
	fg_leave_again(self, inside);
}

static void
record_touch(const void *start, size_t bytes, bool writes)
{
	uintptr_t first = (uintptr_t)start / FG_HOME_PAGE, last = ((uintptr_t)start + bytes - 1) / FG_HOME_PAGE;
	bool placed = fg_wish_is_for(first, last);
	record(FG_EVENT_touch, (writes ? FG_TRACE_TOUCH_WRITES : 0) | (placed ? FG_TRACE_TOUCH_PLACED : 0),
	       (uintptr_t)start);
}

void
fg_memory_touch(const void *start, size_t bytes, bool writes)
{
	if (!fg_sim.on || fg_sim.busy || !bytes || (!fg_self() && !fg_carrier_sim_is_first()))
		return;
	fg_stopwatch_stop();
	fg_sim.busy = true;
	fg_sim_locate();
	fg_sim_lap(false);
	if (!simulated.nodes)
		prepare();
	drop_rest(&fg_sim.pus[fg_sim.pu]);
	if (fg_recording.trace)
		record_touch(start, bytes, writes);
	uintptr_t number = (uintptr_t)start / FG_MEMORY_LINE, end = ((uintptr_t)start + bytes - 1) / FG_MEMORY_LINE;
	for (bool begun = false; number <= end;) {
		uintptr_t last = number | (FG_PAGE_LINES - 1);
		fg_sim_let_others();
		struct walk walk = {.pu = &fg_sim.pus[fg_sim.pu], .writes = writes, .begun = begun};
		walk.now = walk.start = walk.done = (double)fg_sim.clock;
		use_lines(number, last < end ? last : end, &walk);
		uint64_t ns = charge(&walk);
		if (fg_exec_options.sample_ns)
			fg_told_sample(start, number * FG_MEMORY_LINE, writes, ns);
		begun = walk.begun;
		number = last + 1;
	}
	fg_sim_let_others();
	if (fg_recording.trace)
		record(FG_EVENT_touched, 0, bytes);
	fg_stopwatch_start();
	fg_sim.busy = false;
}

bool
fg_memory_move(uintptr_t number, unsigned node)
{
	struct fg_page *page = fg_page_find(number);
	if (!page || page->node < 0)
		return false;
	unsigned from = (unsigned)page->node;
	struct walk nobody = {.now = (double)fg_sim.clock};
	if (from == node)
		return true;
	if (!simulated.nodes)
		prepare();
	fg_memory_forget(number, number);
	fg_page_settle(page, (int)node);
	queue(&simulated.nodes[from].memory, FG_PAGE_LINES * simulated.memory_ns, &nobody);
	queue(&simulated.nodes[node].memory, FG_PAGE_LINES * simulated.memory_ns, &nobody);
	carry(from, node, FG_PAGE_LINES, &nobody);
	return true;
}
