/* Sched option: choosing the policies (floor: team); see sched_option.h. */
#include "team/boot/sched_option.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/options.h"
#include "exec/body/stack_overflow.h"
#include "exec/ground/options.h"
#include "exec/thread/clock.h"
#include "exec/thread/levels.h"
#include "exec/thread/thread_counters.h"
#include "exec/watch/pu_counters.h"
#include "memory/area.h"
#include "sched/layer.h"
#include "sched/policy.h"
#include "team/env/features.h"
#include "team/hints/loads.h"

#define MAX_OFFERED 16
static struct {
	/* The policies by kind of level. That of the machine is fg_policy. */
	struct fg_policy below[FG_LEVEL_KINDS];
	/* The policies that these may start while the program runs. */
	struct fg_policy offered[MAX_OFFERED];
	unsigned n_offered;
	char wrong[512]; /* why a policy was refused */
	/* The shared objects that are loaded: at most one for each policy. */
	void *objects[FG_LEVEL_KINDS + 1 + MAX_OFFERED];
	unsigned n_objects;
	const struct fg_policy *counting; /* the first that asks for events; NULL: none */
} chosen;

static const struct fgomp_sched *
plugin(const char *path)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		snprintf(chosen.wrong, sizeof chosen.wrong, "%s", dlerror());
		return NULL;
	}
	chosen.objects[chosen.n_objects++] = object;
	const struct fgomp_sched *sched = dlsym(object, "fgomp_sched_plugin");
	if (!sched)
		snprintf(chosen.wrong, sizeof chosen.wrong,
			 "%s does not define fgomp_sched_plugin (forestgomp/sched.h)", path);
	else if (sched->abi != FGOMP_SCHED_ABI)
		snprintf(chosen.wrong, sizeof chosen.wrong,
			 "%s is for version %u of forestgomp/sched.h, this library has version %d", path, sched->abi,
			 FGOMP_SCHED_ABI);
	else if (!sched->name || !sched->summary)
		snprintf(chosen.wrong, sizeof chosen.wrong, "%s has no name or no summary", path);
	else {
		fg_stack_overflow_plugin(sched->name, sched);
		return sched;
	}
	return NULL;
}

/* own: the policy that names it, which may be meant itself; or NULL. */
static const struct fgomp_sched *
find(const char *name, const struct fgomp_sched *own)
{
	if (own && !strcmp(own->name, name))
		return own;
	if (strchr(name, '/'))
		return plugin(name);
	const struct fgomp_sched *sched = fg_sched_find(name);
	if (!sched)
		snprintf(chosen.wrong, sizeof chosen.wrong, "there is no policy '%s'", name);
	return sched;
}

static bool
start(struct fg_policy *policy, char *text, const struct fgomp_sched *own)
{
	const char *why;
	char *options = strchr(text, ',');
	if (options)
		*options++ = '\0';
	const struct fgomp_sched *sched = find(text, own);
	if (!sched)
		return false;
	if (fg_policy_start(policy, sched, options, &why))
		return true;
	snprintf(chosen.wrong, sizeof chosen.wrong, "%s", why);
	return false;
}

/* Starts the policy of "numa:cache". The level is of one of the kinds between the machine and its PUs. */
static bool
start_below(char *text)
{
	static const struct {
		const char *name;
		enum fg_level_kind kind;
	} levels[] = {{"numa", FG_NUMA_NODE}, {"package", FG_PACKAGE}, {"die", FG_DIE},	 {"group", FG_GROUP},
		      {"l3", FG_L3},	      {"l2", FG_L2},	       {"core", FG_CORE}};
	char *name = strchr(text, ':');
	if (name)
		*name++ = '\0';
	for (size_t i = 0; name && i < sizeof levels / sizeof *levels; i++) {
		if (strcasecmp(levels[i].name, text) != 0)
			continue;
		if (!chosen.below[levels[i].kind].sched)
			return start(&chosen.below[levels[i].kind], name, NULL);
		snprintf(chosen.wrong, sizeof chosen.wrong, "'%s' has a policy already", text);
		return false;
	}
	snprintf(chosen.wrong, sizeof chosen.wrong,
		 "'%s' is not a level: numa, package, die, group, l3, l2, core, each followed by ':POLICY'", text);
	return false;
}

static void
stop_all(void)
{
	for (unsigned kind = 0; kind < FG_LEVEL_KINDS; kind++) {
		fg_policy_stop(&chosen.below[kind]);
		chosen.below[kind] = (struct fg_policy){0};
	}
	fg_layer_offer_none();
	while (chosen.n_offered)
		fg_policy_stop(&chosen.offered[--chosen.n_offered]);
	fg_policy_stop(&fg_policy);
	fg_policy = (struct fg_policy){.sched = &fg_sched_default};
	while (chosen.n_objects)
		dlclose(chosen.objects[--chosen.n_objects]);
}

/* Loads the policies that this one may start, and those that these may start. */
static bool
offer_for(const struct fg_policy *policy)
{
	const struct fgomp_sched *sched = policy->sched;
	for (const char *const *text = sched ? sched->starts : NULL; text && *text; text++) {
		if (fg_layer_pattern(*text))
			continue;
		char why[300], *copy = chosen.n_offered < MAX_OFFERED ? strdup(*text) : NULL;
		struct fg_policy *pattern = &chosen.offered[chosen.n_offered];
		if (!copy) {
			snprintf(chosen.wrong, sizeof chosen.wrong,
				 "more than %d policies may be started, or there is no memory", MAX_OFFERED);
			return false;
		}
		*pattern = (struct fg_policy){0};
		bool good = start(pattern, copy, sched);
		free(copy);
		if (!good) {
			snprintf(why, sizeof why, "%.299s", chosen.wrong);
			snprintf(chosen.wrong, sizeof chosen.wrong, "%.64s may start '%.64s', but %.299s", sched->name,
				 *text, why);
			return false;
		}
		fg_store_relaxed(&pattern->asleep, 1);
		chosen.n_offered++;
		if (!fg_layer_offer(*text, pattern) || !offer_for(pattern))
			return false;
	}
	return true;
}

static bool
offer_all(void)
{
	bool good = offer_for(&fg_policy);
	for (unsigned kind = 0; good && kind < FG_LEVEL_KINDS; kind++)
		good = offer_for(&chosen.below[kind]);
	return good;
}

static bool
start_all(char *text)
{
	char *rest = text, *one = strsep(&rest, "+");
	bool good = start(&fg_policy, one, NULL);
	while (good && (one = strsep(&rest, "+")))
		good = start_below(one);
	return good;
}

static bool
looks_after(const struct fg_policy *wanted, const struct fg_policy *policy)
{
	while (policy && policy != wanted)
		policy = policy->outer;
	return policy;
}

/* Returns the policy of a level: that of the innermost of its kinds with a policy of its own. Where levels of a kind
 * lie in one another, the outermost counts, because a policy has only one around it. So a group in a package in a
 * group stays with the package's policy. */
struct fg_policy *
fg_scheduler_of_level(unsigned kinds, struct fg_policy *above)
{
	struct fg_policy *policy = above;
	for (unsigned kind = 0; kind < FG_LEVEL_KINDS; kind++)
		if (kinds >> kind & 1 && chosen.below[kind].sched && !looks_after(&chosen.below[kind], policy)) {
			chosen.below[kind].outer = policy ? policy : &fg_policy;
			policy = &chosen.below[kind];
		}
	return policy;
}

/* All policies get events of one kind. */
static void
count_for(struct fg_policy *policy)
{
	if (!policy->sched || policy->counters.event == FGOMP_NO_EVENT)
		return;
	if (!chosen.counting) {
		chosen.counting = policy;
		fg_pu_counters_ask(policy->counters.event, policy->counters.period, policy->sched->name);
		fg_store_relaxed(&fg_hints_any, 1);
	} else if (chosen.counting->counters.event != policy->counters.event) {
		fg_note("bubble scheduler %s asks for other events than %s, which are counted: it is told of none",
			policy->sched->name, chosen.counting->sched->name);
		policy->counters.threshold = HUGE_VAL;
	}
}

/* The events counted for each thread are of the same kind. */
static void
count_threads_for(const struct fg_policy *policy)
{
	const char *why = NULL;
	if (policy->counters.event == FGOMP_NO_EVENT)
		why = "and has no function `counters` that says which";
	else if (fg_exec_options.kernel_threads)
		why = "and with FGOMP_THREADS=kernel nothing is counted";
	if (why)
		fg_note("bubble scheduler %s wants events counted for each thread, %s: it is told that they are not "
			"known",
			policy->sched->name, why);
	else if (policy->counters.threshold < HUGE_VAL)
		fg_thread_counters_ask(policy->counters.event, policy->sched->name);
}

/* Its redistribution is called when a period is over, and never else. */
static bool
is_for_periods(const struct fgomp_sched *sched)
{
	return sched->occasions == 1u << FGOMP_PERIOD_OVER;
}

static void
add_wants(struct fg_policy *policy)
{
	const struct fgomp_sched *sched = policy->sched;
	if (!sched)
		return;
	fg_policies.wants |= fg_sched_wants(sched);
	fg_policies.homes |= fg_sched_has_homes(sched);
	if (fg_policy_redistributes(policy))
		fg_policies.wants |= FG_WANTS_TREE | (is_for_periods(sched) ? 0 : FG_WANTS_REDISTRIBUTE);
	enum fgomp_measure measure = sched->measures ? sched->measures(policy->self) : FGOMP_MEASURE_NOTHING;
	if (sched->expired && measure < FGOMP_MEASURE_CPU_TIME)
		measure = FGOMP_MEASURE_CPU_TIME;
	if (fg_policies.measures < measure)
		fg_policies.measures = measure;
	count_for(policy);
	if (measure == FGOMP_MEASURE_EVENTS)
		count_threads_for(policy);
}

static void
refuse(const char *text, const char *why)
{
	char names[128] = "";
	size_t length = 0;
	for (unsigned i = 0; fg_sched_built_in(i) && length < sizeof names; i++)
		length += (size_t)snprintf(names + length, sizeof names - length, " %s", fg_sched_built_in(i)->name);
	fg_error("FGOMP_SCHED=%.200s%s: %s; accepted: POLICY[,OPTION=VALUE]...[+LEVEL:POLICY...], the policies "
		 "being%s, or the path of a shared object; using default",
		 text, strlen(text) > 200 ? "..." : "", why, names);
}

void
fg_scheduler_choose(const char *text)
{
	char *copy = strdup(text);
	if (!copy || !start_all(copy) || !offer_all()) {
		refuse(text, copy ? chosen.wrong : "out of memory");
		stop_all();
	}
	free(copy);
	fg_policies.wants = 0;
	fg_policies.measures = FGOMP_MEASURE_NOTHING;
	add_wants(&fg_policy);
	fg_policies.layered = chosen.n_offered != 0;
	for (unsigned kind = 0; kind < FG_LEVEL_KINDS; kind++) {
		add_wants(&chosen.below[kind]);
		fg_policies.layered |= chosen.below[kind].sched != NULL;
	}
	for (unsigned i = 0; i < chosen.n_offered; i++)
		add_wants(&chosen.offered[i]);
	if (strcmp(fg_options.memory, "off") == 0)
		fg_policies.wants &= ~(unsigned)FG_WANTS_AREAS;
	fg_clock_on = fg_policies.measures != FGOMP_MEASURE_NOTHING;
	if (fg_clock_on)
		fg_features |= FG_FEATURE_CLOCK;
	if (fg_policies.wants & (FG_WANTS_DAEMON | FG_WANTS_BEGUN | FG_WANTS_FINISHED))
		fg_features |= FG_FEATURE_MORE;
	if (fg_policy.sched != &fg_sched_default)
		fg_areas_nodes(); /* it reads a file once, which no policy may do later, inside the runtime */
}
