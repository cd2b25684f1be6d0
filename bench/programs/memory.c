/* Memory of a blocked thread: the resident KiB, page tables and kernel threads that each further member of a team costs
   while it waits in a barrier. For an idle runtime: the same a second after its last region of two threads, and its
   share of a CPU. `memory blocked N` or `memory idle` */
#include <dirent.h>
#include <omp.h>
#include "bench.h"

struct usage {
	double resident_kib;
	double tables_kib;
	int tasks;
};

static double
field_read(const char *path, const char *format)
{
	char line[256];
	double value = 0;
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, format, &value) == 1)
			break;
	if (file)
		fclose(file);
	return value;
}

static struct usage
usage_read(void)
{
	struct usage usage = {field_read("/proc/self/smaps_rollup", "Rss: %lf"),
			      field_read("/proc/self/status", "VmPTE: %lf"), 0};
	DIR *tasks = opendir("/proc/self/task");
	for (struct dirent *entry; tasks && (entry = readdir(tasks));)
		usage.tasks += entry->d_name[0] != '.';
	if (tasks)
		closedir(tasks);
	return usage;
}

/* After the first barrier all members live. During the pause all others reach the second barrier and block. */
static struct usage
usage_with_blocked(int threads)
{
	struct usage usage = {0};
#pragma omp parallel num_threads(threads)
	{
#pragma omp barrier
		if (omp_get_thread_num() == 0) {
			bench_sleep_ms(150);
			usage = usage_read();
		}
#pragma omp barrier
	}
	return usage;
}

static void
report_value(const char *name, const char *unit, double value)
{
	bench_report(name, unit, value, value, 0);
}

static void
report_blocked(int threads)
{
	struct usage few = usage_with_blocked(2), many = usage_with_blocked(threads);
	double more = threads - 2;
	double resident = (many.resident_kib - few.resident_kib) / more;
	double tables = (many.tables_kib - few.tables_kib) / more;
	report_value("blocked_thread", "KiB", resident + tables);
	report_value("blocked_resident", "KiB", resident);
	report_value("blocked_page_tables", "KiB", tables);
	report_value("blocked_kernel_threads", "threads", (many.tasks - few.tasks) / more);
}

static void
report_idle(void)
{
	struct timespec cpu0, cpu1;
	struct usage before = usage_read();
#pragma omp parallel num_threads(2)
	__asm__ volatile("" : : : "memory");
	bench_sleep_ms(1000);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu0);
	double start = bench_now();
	bench_sleep_ms(300);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu1);
	double wall = bench_now() - start;
	struct usage after = usage_read();
	report_value("idle_resident", "KiB", after.resident_kib - before.resident_kib);
	report_value("idle_kernel_threads", "threads", after.tasks - before.tasks);
	report_value("idle_cpu", "percent",
		     ((cpu1.tv_sec - cpu0.tv_sec) * 1e9 + (cpu1.tv_nsec - cpu0.tv_nsec)) / wall * 100);
}

int
main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "blocked") && atoi(argv[2]) > 2)
		report_blocked(atoi(argv[2]));
	else if (argc == 2 && !strcmp(argv[1], "idle"))
		report_idle();
	else
		return bench_usage("memory blocked THREADS, more than 2 | memory idle");
	return 0;
}
