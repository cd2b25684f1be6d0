/* The masks of all threads of the program, as a user sets them from outside (fewer_pus.c, idle_riders.c). A program
 * that includes this file defines _GNU_SOURCE first. */
#pragma once
#include <dirent.h>
#include <sched.h>
#include <stdlib.h>

/* As taskset -ap does. */
static void
mask_all(const cpu_set_t *mask)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;

	while (tasks && (task = readdir(tasks)))
		if (task->d_name[0] != '.')
			sched_setaffinity(atoi(task->d_name), sizeof *mask, mask);
	closedir(tasks);
}
