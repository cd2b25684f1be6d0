/* The explorer: decides the choices of each run and keeps the books. First it makes all runs within a bound, then
 * random ones.
 *
 * Its choices determine a run. Exhaustive search is depth first over them. The number of preemptions bounds it
 * (Musuvathi and Qadeer, PLDI 2007), and so does that of oddities (old values, early returns). Random search gives
 * the threads random priorities and changes these at a few points (Burckhardt et al., ASPLOS 2010). The name of a
 * failing run is its choices other than 0. */
#include "explore.h"
#include "exec/carrier/chance.h"
#include "internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHOICES 16384

struct choice {
	uint8_t n, taken, free, budget;
	uint8_t used[2]; /* of each budget, before this choice */
};

enum mode { EXHAUSTIVE, RANDOM, REPLAY };
static enum mode mode;
static struct choice choices[CHOICES];
static unsigned depth, prefix;
static unsigned limit[2], used[2];
static uint8_t plan[CHOICES]; /* of a replay */

static struct fg_chance chance;
static int64_t priority[MODEL_THREADS];
static uint64_t change_at[4], longest;
static unsigned old_percent, switch_percent;

static void
random_begin(uint64_t number)
{
	fg_chance_init(&chance, number);
	for (unsigned i = 0; i < MODEL_THREADS; i++)
		priority[i] = fg_chance_priority(&chance);
	for (unsigned i = 0; i < 4; i++)
		change_at[i] = i < number % 5 ? fg_chance_below(&chance, longest + 1) : UINT64_MAX;
	static const unsigned old[] = {0, 10, 30, 60};
	old_percent = old[fg_chance_below(&chance, 4)];
	switch_percent =
		fg_chance_below(&chance, 4) ? 0 : 5 + fg_chance_below(&chance, 30); /* some runs walk at random */
	limit[MODEL_ODDITY] = fg_chance_below(&chance, 6);
}

void
model_choose_yield(void)
{
	priority[model_run.current] = fg_chance_step_back(&chance);
}

static unsigned
random_thread(unsigned n, const uint8_t *threads)
{
	for (unsigned i = 0; i < 4; i++)
		if (model_run.steps >= change_at[i]) {
			change_at[i] = UINT64_MAX;
			priority[model_run.current] = fg_chance_step_back(&chance);
		}
	if (switch_percent && fg_chance_below(&chance, 100) < switch_percent)
		priority[threads[fg_chance_below(&chance, n)]] = fg_chance_priority(&chance);
	unsigned best = 0;
	bool found = false;
	for (unsigned i = 0; i < n; i++)
		if (!model_spinning(threads[i]) && (!found || priority[threads[i]] > priority[threads[best]])) {
			best = i;
			found = true;
		}
	return best;
}

static unsigned
choose_now(unsigned n, unsigned free, enum model_budget budget, const uint8_t *threads)
{
	if (mode == REPLAY)
		return depth < CHOICES && plan[depth] < n ? plan[depth] : 0;
	if (mode == EXHAUSTIVE)
		return depth < prefix ? choices[depth].taken : 0;
	if (threads)
		return random_thread(n, threads);
	if (n > free && used[budget] < limit[budget] && fg_chance_below(&chance, 100) < old_percent)
		return 1 + fg_chance_below(&chance, n - 1);
	return free > 1 ? fg_chance_below(&chance, free) : 0;
}

/* Addresses, and the threads that read and wrote them, over all runs of a search. A switch before an operation
 * commutes with it, unless two threads use the address and one writes. The search under way goes by `known`; the
 * other fields collect news. */
#define ADDRESSES 8192
static struct use {
	const void *address;
	uint8_t readers, writers;
	bool known;
} uses[ADDRESSES];
static bool news;

static bool
conflicts(const void *address, bool write)
{
	size_t i = (uintptr_t)address * 0x9e3779b97f4a7c15u >> 51;
	for (unsigned n = 0; n < ADDRESSES; n++, i = (i + 1) % ADDRESSES) {
		struct use *u = &uses[i];
		if (u->address && u->address != address)
			continue;
		u->address = address;
		*(write ? &u->writers : &u->readers) |= 1 << model_run.current;
		if (!u->known && u->writers && __builtin_popcount(u->writers | u->readers) > 1)
			news = true;
		return u->known;
	}
	return true;
}

/* From now on the search uses the new entries, too. False: there are none. */
static bool
news_take(void)
{
	bool any = news;
	for (unsigned i = 0; i < ADDRESSES; i++)
		uses[i].known = uses[i].writers && __builtin_popcount(uses[i].writers | uses[i].readers) > 1;
	news = false;
	return any;
}

unsigned
model_choose_at(const void *address, bool write, unsigned n, const uint8_t *threads)
{
	bool open = mode != EXHAUSTIVE || model_run.threads == 1 || conflicts(address, write);
	unsigned at = depth, taken = model_choose(n, 1, MODEL_PREEMPTION, threads);
	if (!open && depth > at)
		choices[at].n = 1;
	return taken;
}

unsigned
model_choose(unsigned n, unsigned free, enum model_budget budget, const uint8_t *threads)
{
	if (n <= 1)
		return 0;
	if (depth == CHOICES)
		model_fail("more than %d choices in one run", CHOICES);
	unsigned taken = choose_now(n, free, budget, threads);
	choices[depth++] = (struct choice){n, taken, free, budget, {used[0], used[1]}};
	if (taken >= free && used[budget] < 255)
		used[budget]++;
	return taken;
}

/* Moves on to the next run of the depth-first search. False: the last run is over. */
static bool
exhaustive_next(void)
{
	while (depth > 0) {
		struct choice *c = &choices[depth - 1];
		unsigned next = c->taken + 1;
		if (next < c->n && (next < c->free || c->used[c->budget] < limit[c->budget])) {
			c->taken = next;
			prefix = depth;
			return true;
		}
		depth--;
	}
	return false;
}

static bool
run_once(const struct model_scenario *scenario)
{
	model_program_reset();
	depth = 0;
	used[0] = used[1] = 0;
	bool tracing = model_run.tracing;
	model_run.threads = model_run.current = 0;
	model_run.steps = model_run.writes = model_run.turn = model_run.clock = 0;
	model_run.sc_count = 0;
	model_run.pause_ns = 100;
	model_run.failed = model_run.inside = model_run.atomically = false;
	model_run.tracing = tracing;
	model_run.scenario = scenario;
	model_memory_reset();
	model_plain_reset();
	for (unsigned i = 0; i < MODEL_THREADS && scenario->thread[i]; i++)
		model_spawn(scenario->thread[i], NULL, NULL);
	model_run.own_threads = model_run.threads;
	if (scenario->setup)
		model_aside(scenario->setup);
	if (!model_run.failed)
		model_threads_run();
	if (model_run.steps > longest)
		longest = model_run.steps;
	if (!model_run.failed && scenario->check)
		model_aside(scenario->check);
	return model_run.failed;
}

static double
cpu_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Keeps the choices of the failing run just made as the plan of a replay. Drops the choices without which it still
 * fails. */
static void
shrink(const struct model_scenario *scenario)
{
	unsigned length = depth;
	memset(plan, 0, sizeof plan);
	for (unsigned i = 0; i < length; i++)
		plan[i] = choices[i].taken;
	char failure[sizeof model_run.failure];
	strcpy(failure, model_run.failure);
	mode = REPLAY;
	for (unsigned i = length; i-- > 0;) {
		uint8_t was = plan[i];
		if (!was)
			continue;
		plan[i] = 0;
		if (!run_once(scenario) || strncmp(failure, model_run.failure, 9))
			plan[i] = was;
	}
}

static void
plan_print(char *text, size_t size)
{
	size_t at = 0;
	text[0] = 0;
	for (unsigned i = 0; i < CHOICES; i++)
		if (plan[i])
			at += snprintf(text + at, at < size ? size - at : 0, "%s%u=%u", at ? "," : "", i, plan[i]);
}

bool
model_replay(const struct model_scenario *scenario, const char *text)
{
	memset(plan, 0, sizeof plan);
	while (*text) {
		unsigned at, value;
		int length;
		if (sscanf(text, "%u=%u%n", &at, &value, &length) != 2 || at >= CHOICES || value > 255) {
			fprintf(stderr,
				"--replay: `%s' is not of the form 7=1,23=2 (number of the choice = option taken)\n",
				text);
			exit(2);
		}
		plan[at] = value;
		text += length;
		text += *text == ',';
	}
	mode = REPLAY;
	model_run.tracing = true;
	bool failed = run_once(scenario);
	model_run.tracing = false;
	return failed;
}

/* Bounds by growing cost: preemptions, oddities. */
static const uint8_t bounds[][2] = {{0, 2}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {1, 2}, {2, 2}, {3, 1}, {3, 2}};

/* Adds a bound to the text of the largest bounds, and removes the bounds that it contains. */
static void
searched_add(char *text, const uint8_t bound[2])
{
	char old[80], *word, *rest = old;
	strcpy(old, text);
	text[0] = 0;
	while ((word = strsep(&rest, " ")))
		if (*word && (word[0] - '0' > bound[0] || word[2] - '0' > bound[1]))
			sprintf(text + strlen(text), " %s", word);
	sprintf(text + strlen(text), " %u+%u", bound[0], bound[1]);
}

/* Makes random runs, after those made before, until `end` of CPU time or `most` runs. True: one failed. */
static bool
random_runs(const struct model_scenario *scenario, uint64_t most, double end, struct model_report *report)
{
	mode = RANDOM;
	while (report->random < most && (report->random % 256 != 255 || cpu_time() < end)) {
		random_begin(++report->random);
		if (run_once(scenario))
			return true;
	}
	return false;
}

/* Makes all runs within each of the bounds in turn, until `end` of CPU time. Bounds that must be complete have until
 * `must_end`. True: one run failed. */
static bool
exhaustive_runs(const struct model_scenario *scenario, double end, double must_end, struct model_report *report)
{
	mode = EXHAUSTIVE;
	memset(uses, 0, sizeof uses);
	report->exhaustive = 0;
	report->searched[0] = 0;
	for (unsigned b = 0; b < sizeof bounds / sizeof *bounds; b++) {
		limit[0] = bounds[b][0];
		limit[1] = bounds[b][1];
		prefix = 0;
		bool must = b <= 4; /* 3 preemptions without oddities */
		bool more = true;
		news_take();
		while (more) {
			report->exhaustive++;
			if (run_once(scenario))
				return true;
			more = exhaustive_next();
			if (!more && news_take()) {
				prefix = 0;
				more = true;
			}
			if (report->exhaustive % 256 == 0 && cpu_time() > (must ? must_end : end))
				return false;
		}
		searched_add(report->searched, bounds[b]);
	}
	return false;
}

bool
model_explore(const struct model_scenario *scenario, double seconds, enum model_search search,
	      struct model_report *report)
{
	double start = cpu_time(), soon = start + 0.01 * seconds,
	       end = start + (search == MODEL_THOROUGH ? 0.7 : 0.4) * seconds;
	*report = (struct model_report){.random = 0};
	longest = 0;
	/* Where the first exhaustive runs find nothing, a few thousand random ones mostly do. That is long before
	 * the other exhaustive runs would. */
	bool failed = search == MODEL_HUNT && (exhaustive_runs(scenario, soon, soon, report) ||
					       random_runs(scenario, UINT64_MAX, start + 0.1 * seconds, report));
	if (!failed)
		failed = exhaustive_runs(scenario, end, search == MODEL_THOROUGH ? start + 10 * seconds : end, report);
	if (!failed) {
		/* a small scenario is not worth many more runs than it has */
		uint64_t most = report->exhaustive > 500 ? 20 * report->exhaustive : 10000;
		failed = random_runs(scenario, most, cpu_time() + start + seconds - end, report);
	}
	report->seconds = cpu_time() - start;
	if (failed) {
		shrink(scenario);
		plan_print(report->replay, sizeof report->replay);
		mode = REPLAY;
		run_once(scenario);
		snprintf(report->failure, sizeof report->failure, "%s", model_run.failure);
	}
	return failed;
}
