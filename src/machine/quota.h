/* The CPU quota of the process's control groups (floor: machine; exec for the default number of threads, `forestgomp info`). */
#pragma once

/* PUs' worth of time that the tightest of its groups grants, in thousandths; 0: no quota. Reads a few files of /proc and /sys. */
unsigned long fg_cpu_quota_milli(void);
