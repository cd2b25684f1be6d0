/* The built-in policies by name, and instances of them with their options (floor: sched). A constructor calls, outside,
 * so malloc is used here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/policy.h"

static const struct fgomp_sched *const built_in[] = {
	&fg_sched_default, &fg_sched_spread,   &fg_sched_compact, &fg_sched_steal,  &fg_sched_random,
	&fg_sched_global,  &fg_sched_affinity, &fg_sched_cache,	  &fg_sched_memory,
};
#define N_BUILT_IN (sizeof built_in / sizeof *built_in)

const struct fgomp_sched *
fg_sched_built_in(unsigned i)
{
	return i < N_BUILT_IN ? built_in[i] : NULL;
}

const struct fgomp_sched *
fg_sched_find(const char *name)
{
	for (size_t i = 0; i < N_BUILT_IN; i++)
		if (!strcasecmp(built_in[i]->name, name))
			return built_in[i];
	return NULL;
}

static char wrong[256]; /* policies are started one after the other, when the library is loaded */

static bool
value_of(const struct fgomp_sched_option *option, const char *text, double *value)
{
	char *end;
	for (unsigned i = 0; option->words && option->words[i]; i++)
		if (!strcmp(text, option->words[i])) {
			*value = i;
			return true;
		}
	if (!strcmp(text, "yes") || !strcmp(text, "no")) {
		*value = *text == 'y';
		return true;
	}
	*value = strtod(text, &end);
	double whole;
	return end != text && *end == '\0' && (!option->words || modf(*value, &whole) == 0);
}

static void
refuse(const struct fgomp_sched *sched, const struct fgomp_sched_option *option, const char *value)
{
	int n = snprintf(wrong, sizeof wrong, "option %s of %s is a %snumber from %g to %g, or yes or no", option->name,
			 sched->name, option->words ? "whole " : "", option->low, option->high);
	for (unsigned i = 0; option->words && option->words[i] && n < (int)sizeof wrong; i++)
		n += snprintf(wrong + n, sizeof wrong - (size_t)n, " or %s", option->words[i]);
	if (n < (int)sizeof wrong)
		snprintf(wrong + n, sizeof wrong - (size_t)n, ", not '%s'", value);
}

static bool
option_set(const struct fgomp_sched *sched, void *self, char *text)
{
	char *value = strchr(text, '=');
	if (value)
		*value++ = '\0';
	for (const struct fgomp_sched_option *option = sched->options; option && option->name; option++) {
		double number;
		if (strcmp(option->name, text) != 0)
			continue;
		if (!value_of(option, value ? value : "yes", &number) ||
		    !(number >= option->low && number <= option->high)) {
			refuse(sched, option, value ? value : "");
			return false;
		}
		memcpy((char *)self + option->offset, &number, sizeof number);
		return true;
	}
	snprintf(wrong, sizeof wrong, "%s has no option '%s'", sched->name, text);
	return false;
}

static bool
options_set(const struct fgomp_sched *sched, void *self, const char *options)
{
	for (const struct fgomp_sched_option *option = sched->options; option && option->name; option++)
		memcpy((char *)self + option->offset, &option->preset, sizeof option->preset);
	char *copy = options ? strdup(options) : NULL, *rest = copy, *one;
	bool good = true;
	while (good && (one = strsep(&rest, ",")))
		good = option_set(sched, self, one);
	free(copy);
	return good;
}

/* Reads which events the policy wants counted; false: it names no such event. */
static bool
counters_read(const struct fgomp_sched *sched, void *self, struct fgomp_counters *counters)
{
	*counters = (struct fgomp_counters){0};
	if (sched->counters)
		sched->counters(self, counters);
	if (counters->event <= FGOMP_PAGE_FAULTS && counters->threshold >= 0)
		return true;
	snprintf(wrong, sizeof wrong,
		 "%s asks for event %u above %g a second; events are 0 (none) to %u, a threshold is 0 or more",
		 sched->name, counters->event, counters->threshold, FGOMP_PAGE_FAULTS);
	return false;
}

bool
fg_policy_start(struct fg_policy *policy, const struct fgomp_sched *sched, const char *options, const char **why)
{
	void *self = calloc(1, sched->size ? sched->size : 1);
	*why = wrong;
	if (!self) {
		*why = "out of memory";
		return false;
	}
	if (!options_set(sched, self, options)) {
		free(self);
		return false;
	}
	if (sched->start && sched->start(self) != 0) {
		snprintf(wrong, sizeof wrong, "%s does not start", sched->name);
		free(self);
		return false;
	}
	struct fgomp_counters counters;
	if (!counters_read(sched, self, &counters)) {
		if (sched->stop)
			sched->stop(self);
		free(self);
		return false;
	}
	fg_policy_stop(policy);
	policy->counters = counters;
	policy->sched = sched;
	policy->self = self;
	fg_store_relaxed(&policy->failed, 0);
	policy->next = fg_policies_first();
	fg_own_store_release(&fg_policies.first, policy);
	return true;
}

void
fg_policy_stop(struct fg_policy *policy)
{
	struct fg_policy *one = fg_policies_first();
	if (one == policy)
		fg_own_store_release(&fg_policies.first, policy->next);
	while (one && one->next != policy)
		one = one->next;
	if (one)
		one->next = policy->next;
	if (policy->self && policy->sched->stop)
		policy->sched->stop(policy->self);
	free(policy->self);
	policy->self = NULL;
}
