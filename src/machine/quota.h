/* The CPU quota of the process's control groups (floor: machine; called by team for the default number of threads, by
 * exec/grant/grant.c and by `forestgomp info`).
 *
 * Any thread may call, inside or outside, without a lock and in no signal handler. Each call reads the files anew, and
 * nothing is kept. Where a sandbox may punish the reading of such files, no file is opened, and there is no quota. */
#pragma once

/* The time that the tightest of its groups grants, in thousandths of a PU, rounded up; 0: no quota. It reads a few
 * files of /proc and /sys. */
unsigned long fg_cpu_quota_milli(void);
/* The same for the files below another root folder ("": this machine's). */
unsigned long fg_cpu_quota_milli_at(const char *root);
