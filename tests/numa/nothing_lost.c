// Memory that lies well stays, and watching it costs next to nothing: each thread has touched its own part first.
// Nothing is told and nothing is asked for.
// threads: 16
// env: HUGE=never
// env: FGOMP_MEMORY=hints HUGE=never
// limit: 60
#include "nodes.h"
#include <dirent.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MIB = 96, LINE = 64, SECONDS = 12 };

static char *array;
static const size_t bytes = (size_t)MIB << 20;

// The CPU time of the process's threads of this name, in seconds; NULL: of all.
static double
cpu_time(const char *name)
{
	DIR *tasks = opendir("/proc/self/task");
	double sum = 0;
	for (struct dirent *task; (task = readdir(tasks));) {
		char path[300], text[512] = "", *end;
		unsigned long user, system;
		snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
		FILE *file = task->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (!file)
			continue;
		if (fgets(text, sizeof text, file) && (end = strrchr(text, ')')) && (!name || strstr(text, name)) &&
		    sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) == 2)
			sum += (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
		fclose(file);
	}
	closedir(tasks);
	return sum;
}

static void
sweep(void)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < bytes; i += LINE)
		array[i]++;
}

int
main(void)
{
	array = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(array != MAP_FAILED);
	sweep();
	long moved = pages_moved();
	double begun = check_now();
	size_t sweeps = 0;
	for (; check_now() - begun < SECONDS; sweeps++)
		sweep();
	moved = pages_moved() - moved;
	double watched = cpu_time("(fg-memory)"), all = cpu_time(NULL);
	printf("%zu sweeps, %ld pages moved, %.2f s of %.1f s of CPU time went to the watcher\n", sweeps, moved,
	       watched, all);
	CHECK(moved <= MIB * 256 / 100, "%ld pages moved", moved);
	CHECK(watched <= 0.02 * all, "%.2f s of %.1f s", watched, all);
	return check_end();
}
