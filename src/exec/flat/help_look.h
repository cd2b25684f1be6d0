/* Looks at the help with tasks that are one or two loads in most cases (floor: exec; called by dock.c, lend.c,
 * summary.c and forks.c, and by team/tasks/wait.c). help.h has the rules. */
#pragma once
#include "exec/flat/help.h"
#include "exec/flat/helpers_word.h"
#include "exec/thread/root_state.h"
#include "exec/thread/worker_state.h"

/* fg_help_late, if this is the team of the worker's crew. */
static inline bool
fg_help_late_for(const struct fg_worker *worker, const void *job)
{
	return worker->crew.fork && worker->crew.fork->job == job && __builtin_expect(fg_help_late(worker), 0);
}
/* fg_help_called, where the region has tasks. */
static inline bool
fg_help_calls(struct fg_worker *worker)
{
	return __builtin_expect(fg_load_relaxed(&worker->crew.fork->help_word) != 0, 0) && fg_help_called(worker);
}
/* The worker's region is open to helpers. */
static inline bool
fg_help_is_wanted(struct fg_worker *worker)
{
	uint64_t word = fg_load_relaxed(&worker->crew.fork->help_word);
	return __builtin_expect(word != 0, 0) && fg_helpers_word_admits(word, worker->crew.region);
}
