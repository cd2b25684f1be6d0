/* Sched option: FGOMP_SCHED chooses the policies that are in force (floor: team; called by start.c).
 *
 *     POLICY[,OPTION=VALUE]...[+LEVEL:POLICY[,OPTION=VALUE]...]...
 *
 * The first policy looks after the machine. Each other one looks after the levels of its kind and all below: numa,
 * package, die, group, l3, l2, core. POLICY is the name of a built-in policy, or of a shared object if it has a
 * '/'.
 *
 * fg_scheduler_choose is called in a constructor, outside, and may load plug-ins. fg_scheduler_of_level is called as
 * exec/ground/above.h says, and only reads what the first has chosen. */
#pragma once

/* Called once, when the library is loaded. It reports an error in one line, and takes `default` then. */
void fg_scheduler_choose(const char *text);
/* The policy for a level of these kinds, below a level that has `above`. */
struct fg_policy;
struct fg_policy *fg_scheduler_of_level(unsigned kinds, struct fg_policy *above);
