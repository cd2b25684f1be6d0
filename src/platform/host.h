/* Host: what the system tells of itself (floor: platform; called by exec, machine, memory, team and trace).
 *
 * The caller is outside the runtime, without a lock: the C library may read files. (fg_host_page_size may be asked
 * anywhere.) Nothing is kept. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Puts the name of the computer there; an empty one if it is not known. */
static inline bool
fg_host_name(char *name, size_t size)
{
	name[0] = name[size - 1] = '\0';
	return gethostname(name, size - 1) == 0;
}

/* The kernel has this version at least. */
static inline bool
fg_host_kernel_is(unsigned version, unsigned of_it)
{
	struct utsname system;
	unsigned is, of_that;
	return uname(&system) == 0 && sscanf(system.release, "%u.%u", &is, &of_that) == 2 &&
	       (is > version || (is == version && of_that >= of_it));
}

static inline size_t
fg_host_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The PUs that run, whatever the caller may use; at most 0: not known. */
static inline long
fg_host_pus_online(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

/* The kernel counts times in its files in so many parts of a second. */
static inline long
fg_host_ticks(void)
{
	return sysconf(_SC_CLK_TCK);
}
