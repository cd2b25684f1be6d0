/* The CPU quota: control groups version 2 (cpu.max) and version 1 (cpu.cfs_quota_us), the process's own group and the
 * visible ones above it (floor: machine). It is read when the default number of threads is first needed, and by the
 * monitor. So it reads few files, and the list of mounts only where the group is not at its usual place. The caller may
 * have a small stack and be within malloc. So paths and texts lie in pages of their own, and no call allocates or is a
 * cancellation point. */
#include "machine/quota.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/path.h"
#include "platform/map.h"
#include "platform/sandbox.h"

#define PATH_SIZE 4600

struct room {
	char path[PATH_SIZE];	/* of the file that is read */
	char folder[PATH_SIZE]; /* of a group */
	char groups[8192];	/* /proc/self/cgroup */
	char lines[16384];	/* a part of /proc/self/mountinfo; a line of it may hold long paths */
};

static unsigned long
tighter(unsigned long a, unsigned long b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Up to two numbers of a file. Numbers that are missing, or "max", stay as they are. */
static void
read_numbers(struct room *room, const char *name, long *first, long *second)
{
	char text[128], *end;
	int length = snprintf(room->path, sizeof room->path, "%s/%s", room->folder, name);
	if (length >= PATH_SIZE || !fg_file_text(room->path, text, sizeof text))
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
quota_of(struct room *room, int version)
{
	long quota = -1, period = 100000;
	if (version == 2) {
		read_numbers(room, "cpu.max", &quota, &period);
	} else {
		read_numbers(room, "cpu.cfs_quota_us", &quota, NULL);
		if (quota > 0)
			read_numbers(room, "cpu.cfs_period_us", &period, NULL);
	}
	if (quota <= 0 || period <= 0)
		return 0;
	return (unsigned long)(((unsigned __int128)quota * 1000 + (unsigned long)period - 1) / (unsigned long)period);
}

/* The group and all above it, up to the mount; `length` is that of the mount's own path. */
static unsigned long
quota_up(struct room *room, size_t length, int version)
{
	unsigned long best = 0;
	for (;;) {
		best = tighter(best, quota_of(room, version));
		char *slash = strrchr(room->folder, '/');
		if (!slash || (size_t)(slash - room->folder) < length)
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

/* The folder of a group as it is seen from the mount of this line. A container may see it as the top of its mount, or a
 * part of its path below that. Returns the length of the mount's own path; 0: it is another mount. */
static size_t
folder_in_mount(char *line, const char *root, const char *group, int version, char *folder)
{
	char *top, *point;
	if (!mount_parse(line, version, &top, &point))
		return 0;
	size_t cut = strcmp(top, "/") ? strlen(top) : 0;
	bool inside = !strncmp(group, top, cut) && (group[cut] == '/' || !group[cut]);
	int whole = snprintf(folder, PATH_SIZE, "%s%s%s", root, point, inside ? group + cut : "");
	return whole < PATH_SIZE ? strlen(root) + strlen(point) : 0;
}

static size_t
folder_in_mounts(struct fg_file_reading *mounts, struct room *room, const char *root, const char *group, int version)
{
	char *lines = room->lines, *end;
	size_t used = 0, length = 0;
	ssize_t got;
	while ((got = fg_file_reading_next(mounts, lines + used, sizeof room->lines - 1 - used)) > 0) {
		char *line = lines;
		lines[used + (size_t)got] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			if ((length = folder_in_mount(line, root, group, version, room->folder)))
				return length;
		}
		used = strlen(line);
		if (used == sizeof room->lines -
				    1) /* a line as long as that is passed over, and its rest is none that counts */
			used = 0;
		memmove(lines, line, used);
	}
	return 0;
}

static size_t
folder_by_mounts(struct room *room, const char *root, const char *group, int version)
{
	snprintf(room->path, sizeof room->path, "%s/proc/self/mountinfo", root);
	struct fg_file_reading mounts;
	if (!fg_file_reading_begin(&mounts, room->path))
		return 0;
	size_t length = folder_in_mounts(&mounts, room, root, group, version);
	fg_file_reading_end(&mounts);
	return length;
}

static unsigned long
quota_in(struct room *room, const char *root, const char *group, int version)
{
	char *folder = room->folder;
	if (!strcmp(group, "/") ||
	    !strncmp(group, "/..", 3)) /* seen from a namespace it is not in: its top is all there is */
		group = "";
	size_t length = (size_t)snprintf(folder, PATH_SIZE, "%s/sys/fs/cgroup%s", root, version == 2 ? "" : "/cpu");
	size_t whole = length + (size_t)snprintf(folder + length, PATH_SIZE - length, "%s/cgroup.procs", group);
	if (whole < PATH_SIZE && fg_path_exists(folder)) {
		*strrchr(folder, '/') = '\0';
		return quota_up(room, length, version);
	}
	length = folder_by_mounts(room, root, group, version);
	return length ? quota_up(room, length, version) : 0;
}

static unsigned long
quota_of_groups(struct room *room, const char *root)
{
	char *saved;
	unsigned long best = 0;
	bool version_1 = false; /* version 1 has the controller; then version 2, the last line, does not */
	snprintf(room->path, sizeof room->path, "%s/proc/self/cgroup", root);
	fg_file_text(room->path, room->groups, sizeof room->groups);
	for (char *line = strtok_r(room->groups, "\n", &saved); line; line = strtok_r(NULL, "\n", &saved)) {
		/* HIERARCHY:CONTROLLERS:GROUP, without controllers for version 2 */
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(++controllers, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		if (has_word(controllers, "cpu")) {
			version_1 = true;
			best = tighter(best, quota_in(room, root, group, 1));
		} else if (*controllers == '\0' && !version_1)
			best = tighter(best, quota_in(room, root, group, 2));
	}
	return best;
}

unsigned long
fg_cpu_quota_milli_at(const char *root)
{
	struct room *room = fg_map(sizeof *room);
	if (!room)
		return 0;
	unsigned long quota = quota_of_groups(room, root);
	fg_unmap(room, sizeof *room);
	return quota;
}

unsigned long
fg_cpu_quota_milli(void)
{
	if (!fg_sandbox_allows(FG_SANDBOX_FILES))
		return 0;
	int saved = errno;
	unsigned long quota = fg_cpu_quota_milli_at("");
	errno = saved;
	return quota;
}
