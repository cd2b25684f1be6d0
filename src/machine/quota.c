/* The CPU quota: cgroup version 2 (cpu.max) and version 1 (cpu.cfs_quota_us), the group's own and its ancestors' (floor: machine). */
#include "machine/quota.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long
tighter(unsigned long a, unsigned long b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Reads one or two numbers of a file; those that are missing, or "max", stay as they are. */
static void
read_numbers(const char *root, const char *group, const char *name, long *first, long *second)
{
	char path[4600];
	snprintf(path, sizeof path, "%s%s/%s", root, group, name);
	FILE *file = fopen(path, "re");
	if (!file)
		return;
	if (fscanf(file, "%ld", first) == 1 && second && fscanf(file, "%ld", second) != 1)
		*second = 0;
	fclose(file);
}

static unsigned long
quota_of(const char *root, const char *group, int version)
{
	long quota = -1, period = 100000;
	if (version == 2) {
		read_numbers(root, group, "cpu.max", &quota, &period);
	} else {
		read_numbers(root, group, "cpu.cfs_quota_us", &quota, NULL);
		read_numbers(root, group, "cpu.cfs_period_us", &period, NULL);
	}
	if (quota <= 0 || period <= 0)
		return 0;
	unsigned long milli = (unsigned long)((double)quota * 1000 / (double)period);
	return milli ? milli : 1;
}

/* The group and all above it; the last one is the root "". */
static unsigned long
quota_up(const char *root, char *group, int version)
{
	unsigned long best = 0;
	for (;;) {
		best = tighter(best, quota_of(root, group, version));
		char *slash = strrchr(group, '/');
		if (!slash)
			return best;
		*slash = '\0';
	}
}

unsigned long
fg_cpu_quota_milli(void)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[4400];
	unsigned long best = 0;
	if (!file)
		return 0;
	while (fgets(line, sizeof line, file)) {
		/* HIERARCHY:CONTROLLERS:GROUP */
		line[strcspn(line, "\n")] = '\0';
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		controllers++;
		if (*controllers == '\0') {
			best = tighter(best, quota_up("/sys/fs/cgroup", group, 2));
			continue;
		}
		char *saved;
		for (char *name = strtok_r(controllers, ",", &saved); name; name = strtok_r(NULL, ",", &saved))
			if (strcmp(name, "cpu") == 0)
				best = tighter(best, quota_up("/sys/fs/cgroup/cpu", group, 1));
	}
	fclose(file);
	return best;
}
