/* The CPU quota: control groups version 2 (cpu.max) and version 1 (cpu.cfs_quota_us), the process's own group and the
 * visible ones above it (floor: machine). It is read when a program starts. So it reads few files, without stdio, and
 * the list of mounts only where the group is not at its usual place. */
#include "machine/quota.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 4600
#define GROUPS_SIZE 8192

static unsigned long
tighter(unsigned long a, unsigned long b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The beginning of a file, as a string; false: there is none. */
static bool
read_file(const char *path, char *text, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	size_t used = 0;
	ssize_t got;
	while (used < size - 1 && (got = read(file, text + used, size - 1 - used)) > 0)
		used += (size_t)got;
	close(file);
	text[used] = '\0';
	return used != 0;
}

/* Up to two numbers of a file. Numbers that are missing, or "max", stay as they are. */
static void
read_numbers(const char *folder, const char *name, long *first, long *second)
{
	char path[PATH_SIZE], text[128], *end;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (!read_file(path, text, sizeof text))
		return;
	long number = strtol(text, &end, 10);
	if (end != text)
		*first = number;
	char *rest = text + strcspn(text, " \n");
	number = strtol(rest, &end, 10);
	if (second && end != rest)
		*second = number;
}

static unsigned long
quota_of(const char *folder, int version)
{
	long quota = -1, period = 100000;
	if (version == 2) {
		read_numbers(folder, "cpu.max", &quota, &period);
	} else {
		read_numbers(folder, "cpu.cfs_quota_us", &quota, NULL);
		if (quota > 0)
			read_numbers(folder, "cpu.cfs_period_us", &period, NULL);
	}
	if (quota <= 0 || period <= 0)
		return 0;
	return (unsigned long)(((unsigned __int128)quota * 1000 + (unsigned long)period - 1) / (unsigned long)period);
}

/* The group and all above it, up to the mount; `length` is that of the mount's own path. */
static unsigned long
quota_up(char *folder, size_t length, int version)
{
	unsigned long best = 0;
	for (;;) {
		best = tighter(best, quota_of(folder, version));
		char *slash = strrchr(folder, '/');
		if (!slash || (size_t)(slash - folder) < length)
			return best;
		*slash = '\0';
	}
}

static bool
has_word(const char *list, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0' || at[length] == '\n'))
			return true;
	return false;
}

/* A line of mountinfo: ID PARENT DEVICE ROOT POINT OPTIONS ... - TYPE SOURCE OPTIONS. Is it the hierarchy wanted? */
static bool
mount_parse(char *line, int version, char **top, char **point)
{
	char *type = strstr(line, " - "), *saved;
	if (!type)
		return false;
	*type = '\0';
	char *options = strrchr(type + 3, ' ');
	bool wanted = version == 2 ? !strncmp(type + 3, "cgroup2 ", 8)
				   : !strncmp(type + 3, "cgroup ", 7) && options && has_word(options + 1, "cpu");
	char *word = strtok_r(line, " ", &saved);
	for (int i = 0; word && i < 3; i++)
		word = strtok_r(NULL, " ", &saved);
	*top = word;
	*point = word ? strtok_r(NULL, " ", &saved) : NULL;
	return wanted && *point;
}

/* The folder of a group as it is seen from here. A container may see it as the top of its mount, or a part of its path
 * below that. */
static bool
folder_by_mounts(const char *root, const char *group, int version, char *folder, size_t *length)
{
	char path[PATH_SIZE], *line = NULL, *top, *point;
	size_t room = 0;
	bool found = false;
	snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
	FILE *file = fopen(path, "re");
	while (file && !found && getline(&line, &room, file) > 0) {
		if (!mount_parse(line, version, &top, &point))
			continue;
		size_t cut = strcmp(top, "/") ? strlen(top) : 0;
		bool inside = !strncmp(group, top, cut) && (group[cut] == '/' || !group[cut]);
		*length = (size_t)snprintf(folder, PATH_SIZE, "%s%s", root, point);
		snprintf(folder + *length, PATH_SIZE - *length, "%s", inside ? group + cut : "");
		found = true;
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

static unsigned long
quota_in(const char *root, const char *group, int version)
{
	char folder[PATH_SIZE];
	if (!strcmp(group, "/") ||
	    !strncmp(group, "/..", 3)) /* seen from a namespace it is not in: its top is all there is */
		group = "";
	size_t length = (size_t)snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s", root, version == 2 ? "" : "/cpu");
	size_t whole = length + (size_t)snprintf(folder + length, sizeof folder - length, "%s/cgroup.procs", group);
	if (whole < sizeof folder && access(folder, F_OK) == 0) {
		*strrchr(folder, '/') = '\0';
		return quota_up(folder, length, version);
	}
	return folder_by_mounts(root, group, version, folder, &length) ? quota_up(folder, length, version) : 0;
}

unsigned long
fg_cpu_quota_milli_at(const char *root)
{
	char path[PATH_SIZE], text[GROUPS_SIZE], *saved;
	unsigned long best = 0;
	bool version_1 = false; /* version 1 has the controller; then version 2, the last line, does not */
	snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
	if (!read_file(path, text, sizeof text))
		return 0;
	for (char *line = strtok_r(text, "\n", &saved); line; line = strtok_r(NULL, "\n", &saved)) {
		/* HIERARCHY:CONTROLLERS:GROUP, without controllers for version 2 */
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(++controllers, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		if (has_word(controllers, "cpu")) {
			version_1 = true;
			best = tighter(best, quota_in(root, group, 1));
		} else if (*controllers == '\0' && !version_1)
			best = tighter(best, quota_in(root, group, 2));
	}
	return best;
}

unsigned long
fg_cpu_quota_milli(void)
{
	int saved = errno;
	unsigned long quota = fg_cpu_quota_milli_at("");
	errno = saved;
	return quota;
}
