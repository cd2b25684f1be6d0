// Members call setuid and functions like it while they run on donors. The calls return, every kernel thread has the new
// identity, and threads can still be made. For root they change something; for other users they set the identity that
// is there already.
// threads: 1 2 8
// env: -
// env: FGOMP_THREADS=kernel
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"

#define OTHER 12345

static atomic_int stop;

static void *
nothing(void *arg)
{
	return arg;
}

/* The line "Uid" or "Gid" of a task has four ids: all of them must be the same. */
static int
id_of(const char *task, const char *key)
{
	char path[300], line[200];
	int id = -1;

	snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file))
		if (strncmp(line, key, 3) == 0) {
			int ids[4] = {-1};
			sscanf(line + 4, "%d %d %d %d", &ids[0], &ids[1], &ids[2], &ids[3]);
			id = ids[0] == ids[1] && ids[1] == ids[2] && ids[2] == ids[3] ? ids[0] : -2;
		}
	if (file)
		fclose(file);
	return id;
}

/* How many kernel threads have another id. Those that have just ended have none. */
static int
others_by(const char *key, int id)
{
	DIR *dir = opendir("/proc/self/task");
	int count = 0;

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (entry->d_name[0] != '.') {
			int has = id_of(entry->d_name, key);
			count += has != id && has != -1;
		}
	closedir(dir);
	return count;
}

static int
others(int group)
{
	return others_by("Gid", group);
}

static void *
caller(void *arg)
{
	gid_t groups[1] = {getgid()};

	for (int i = 0; i < 20; i++) {
		CHECK(setgid(getuid() == 0 && i % 2 ? OTHER : getgid()) == 0);
		if (getuid() == 0) {
			CHECK(setgroups(1, groups) == 0);
			CHECK(others(i % 2 ? OTHER : 0) == 0, "in turn %d", i);
			CHECK(setgid(0) == 0);
		}
		usleep(1000);
	}
	atomic_store(&stop, 1);
	return arg;
}

/* Each such call, by the members of a team with more members than the machine has PUs, one after the other.
 * The last one gives the rights up for good. */
static void
each_call(void)
{
	gid_t groups[2] = {OTHER, OTHER + 1};
#pragma omp parallel num_threads(16)
	{
#pragma omp barrier
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 32; i++)
#pragma omp ordered
		{
			gid_t g = OTHER + (gid_t)i, seen[8];
			CHECK(setregid(g, g) == 0 && others((int)g) == 0, "setregid, turn %d", i);
			CHECK(setresgid(g + 1, g + 1, g + 1) == 0 && others((int)g + 1) == 0, "setresgid, turn %d", i);
			CHECK(setegid(g) == 0 && getegid() == g && setegid(g + 1) == 0 && others((int)g + 1) == 0);
			CHECK(setgroups(2, groups) == 0 && getgroups(8, seen) == 2);
			CHECK(initgroups("root", 0) == 0 && getgroups(8, seen) >= 1);
			CHECK(seteuid(OTHER) == 0 && geteuid() == OTHER && seteuid(0) == 0 && others_by("Uid", 0) == 0);
			CHECK(setreuid(0, OTHER) == 0 && setreuid(0, 0) == 0 && others_by("Uid", 0) == 0);
			errno = 0;
			CHECK(setgid((gid_t)-1) == -1 && errno == EINVAL, "errno %d", errno);
		}
		if (omp_get_thread_num() == 13)
			CHECK(setresuid(OTHER, OTHER, OTHER) == 0 && others_by("Uid", OTHER) == 0);
#pragma omp barrier
		CHECK(geteuid() == OTHER && setuid(0) == -1 && errno == EPERM);
	}
	CHECK(others_by("Uid", OTHER) == 0 && setuid(0) == -1);
}

int
main(void)
{
	pthread_t thread;

	omp_set_max_active_levels(2);
	pthread_create(&thread, NULL, caller, NULL);
#pragma omp parallel
	while (!atomic_load(&stop)) {
#pragma omp parallel num_threads(3)
		check_burn(50);
	}
	pthread_join(thread, NULL);

	/* By a member, whose donor has a kernel thread that never runs. */
#pragma omp parallel
	{
#pragma omp critical
		for (int i = 0; i < 5; i++) {
			CHECK(setgid(getuid() == 0 ? OTHER + i : getgid()) == 0);
			CHECK(getuid() != 0 || (getgid() == OTHER + (gid_t)i && others(OTHER + i) == 0));
		}
#pragma omp barrier
		CHECK(pthread_create(&(pthread_t){0}, NULL, nothing, NULL) == 0);
	}
	if (getuid() == 0)
		each_call();
	CHECK(setuid(OTHER) == -1 || getuid() == OTHER);
	CHECK(pthread_create(&thread, NULL, nothing, NULL) == 0);
	pthread_join(thread, NULL);
	return check_end();
}
