/* The tests of golden placements share made-up machines, a policy started by its text, and a comparison that goes on
 * after a difference.
 *
 * The expected texts are derived by hand from the published algorithms, beside each; never from the output of the code.
 * Of the papers:
 *   [A] Affinity, IWOMP 2008, 3.2: count the entities. If they are enough for all PUs below, deal them to the children,
 *       least filled first. Else bubbles that fill a child stay whole if every child gets something. Else burst the one
 *       that fills the least, and again.
 *   [C] Cache, IPDPS 2010, III.A: sort by load. While there are fewer entities than PUs, burst the largest. Each,
 *       heaviest first, goes to the child where it ran last if the balance allows, else to the least filled.
 * The papers leave choices open (src/sched/deal.h). A child with nothing comes before one with something, and the
 * filling is per PU. Entities that weigh the same are dealt in their order, and evenly where they are fewer than equal
 * children: of n on P equal children, i goes to child i P / n, rounded down. "t" below is the thread that met the
 * region: it is an entity, and sits on its PU already. "Bubble b of 4" has 4 members that have not begun. */
#pragma once
#include "fake_machine.h"

#include <stdio.h>
#include <string.h>

#define N4X4 "n(....)n(....)n(....)n(....)"
#define N8X2 "n(..)n(..)n(..)n(..)n(..)n(..)n(..)n(..)"
#define P2X2L3X4 "p(3(....)3(....))p(3(....)3(....))"
#define SMALL_LAST "p(......)p(..)"
#define SMALL_FIRST "p(..)p(......)"
#define UNEVEN "n(....)n(.)n(...)"
#define OFFLINE "n(....)n(.x..)n(..xx)n(....)" /* 13 PUs: 0-3, 4-6, 7-8, 9-12 */
#define P_E                                                                                                            \
	"2(c(..))2(c(..))2(c(..))2(c(..))2(....)2(....)" /* 4 large cores of two threads, 2 clusters of 4 small ones */
/* From hwloc. The children of hybrid.xml's machine are two L2 caches of 2 PUs, 0-1 and 2-3, each a large core, and one
 * of 4, 4-7, small cores. Of offline.xml there are left: a node of 3 PUs, 0-2 (the system's 0, 2, 3), and one of 2, 3-4
 * (its 4, 5). */
#define HYBRID MACHINES "/hybrid.xml"
#define OFFLINE_XML MACHINES "/offline.xml"
#define SMT "package:2 core:4 pu:2"
#define ODD "numa:2 l3:2 core:3 pu:1"
#define N2X2 "n(..)n(..)"
#define BIG "numa:8 l3:4 core:8 pu:1"

static inline void
use(const char *policy)
{
	char name[64], *options;
	const char *why;
	snprintf(name, sizeof name, "%s", policy);
	options = strchr(name, ',');
	if (options)
		*options++ = '\0';
	const struct fgomp_sched *sched = fg_sched_find(name);
	assert_non_null(sched);
	fg_policies.wants = fg_sched_wants(sched);
	assert_true(fg_policy_start(&fg_policy, sched, options, &why));
}

static unsigned wrong;

static inline void
expect(const char *what, const char *policy, const char *machine, const char *text, const char *expected)
{
	if (!strcmp(text, expected))
		return;
	print_error("%s, %s on %s:\n  expected %s\n  but was  %s\n", what, policy, machine, expected, text);
	wrong++;
}

static inline void
all_right(const struct fg_runqueue *top)
{
	const char *why = fg_runqueue_check((struct fg_runqueue *)top);
	if (why)
		fail_msg("%s", why);
}
