/* Sched option: which policies are in force, from FGOMP_SCHED (floor: team; called by start.c).
 *
 * "POLICY[,OPTION=VALUE]...[+LEVEL:POLICY[,OPTION=VALUE]...]...": the first looks after the machine, each other one after the levels of its kind and
 * all below (numa, package, die, group, l3, l2, core). POLICY is a built-in one, or a shared object with a '/' in its name. */
#pragma once

/* Once, when the library is loaded. What is wrong is said in one line, and `default` taken. */
void fg_scheduler_choose(const char *text);
