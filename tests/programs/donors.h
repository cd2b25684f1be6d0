/* Rounds of nested teams, and the kernel threads that they leave, for the tests of donors. */
#pragma once
#include <dirent.h>
#include <omp.h>

#define OUTER 4
#define INNER 8

static int
kernel_threads(void)
{
	int n = 0;
	DIR *folder = opendir("/proc/self/task");
	for (struct dirent *entry; (entry = readdir(folder));)
		n += entry->d_name[0] != '.';
	closedir(folder);
	return n;
}

/* The work makes the members of a team wait on several workers, and go on on others. */
static void
rounds(int n)
{
	for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(OUTER)
#pragma omp parallel num_threads(INNER)
		{
			for (volatile int x = 0; x < 300;)
				x++;
#pragma omp barrier
		}
	}
}
