/* Statistics: plain counters of each worker, from one table (floor: base; printed with FGOMP_VERBOSE). The owner of the
 * worker counts, in plain words. They are added up where no worker runs, or as hints. */
#pragma once
#include <stdint.h>

#define FG_STATISTICS(X)                                                                                               \
	X(regions, "nested regions met")                                                                               \
	X(births, "members born")                                                                                      \
	X(steals, "claims from another PU's runqueue")                                                                 \
	X(suspends, "threads suspended")                                                                               \
	X(preemptions, "threads preempted")                                                                            \
	X(loans, "members lent to an idle PU")                                                                         \
	X(sleeps, "times a worker slept")                                                                              \
	X(spares, "times a spare worker took over")                                                                    \
	X(rides, "times a worker boarded another kernel thread")

struct fg_statistics {
#define FG_STATISTIC_FIELD(field, text) uint64_t field;
	FG_STATISTICS(FG_STATISTIC_FIELD)
#undef FG_STATISTIC_FIELD
};
