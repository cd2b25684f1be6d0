// Members call setuid and its family while they run on donors. The calls return, every kernel thread has the new
// identity, and threads can still be made. For root they change something; for other users they set the identity that
// is there already.
// threads: 1 2 8
// env: -
// env: FGOMP_THREADS=kernel
#include <dirent.h>
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

static int
group_of(const char *task)
{
	char path[300], line[200];
	int group = -1;

	snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file))
		sscanf(line, "Gid: %d", &group);
	if (file)
		fclose(file);
	return group;
}

/* How many kernel threads have another group. */
static int
others(int group)
{
	DIR *dir = opendir("/proc/self/task");
	int count = 0;

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (entry->d_name[0] != '.')
			count += group_of(entry->d_name) != group;
	closedir(dir);
	return count;
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

	/* By a member. Its own donor, which never runs, may keep the old group. */
#pragma omp parallel
	{
#pragma omp critical
		for (int i = 0; i < 5; i++) {
			CHECK(setgid(getuid() == 0 ? OTHER + i : getgid()) == 0);
			CHECK(getuid() != 0 || getgid() == OTHER + (gid_t)i);
		}
#pragma omp barrier
		CHECK(pthread_create(&(pthread_t){0}, NULL, nothing, NULL) == 0);
	}
	if (getuid() == 0) {
		CHECK(setuid(OTHER) == 0);
#pragma omp parallel
		CHECK(geteuid() == OTHER && setuid(0) != 0);
	}
	CHECK(pthread_create(&thread, NULL, nothing, NULL) == 0);
	pthread_join(thread, NULL);
	return check_end();
}
