// FGOMP_TRACE: a flat and a nested region leave their events in the file, in the order of time.
// threads: 4
// stock: fails (it knows no traces)
#include <omp.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

static void
regions(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
#pragma omp parallel num_threads(3)
		check_burn(10);
	}
}

static int
count(const char *path, const char *event)
{
	char line[200], name[100];
	double last = 0, time;
	int found = 0;
	FILE *file = fopen(path, "r");

	CHECK(file != NULL, "%s", path);
	while (file && fgets(line, sizeof line, file)) {
		CHECK(sscanf(line, "%lf %*u %99s %*u", &time, name) == 2 && time >= last, "%s", line);
		last = time;
		found += !strcmp(name, event);
	}
	if (file)
		fclose(file);
	return found;
}

int
main(int argc, char **argv)
{
	char path[] = "/tmp/fgomp-trace-XXXXXX";

	if (argc > 1) {
		regions();
		return 0;
	}
	int file = mkstemp(path);
	CHECK(file >= 0);
	close(file);
	pid_t child = fork();
	if (child == 0) {
		setenv("FGOMP_TRACE", path, 1);
		execl("/proc/self/exe", argv[0], "traced", (char *)NULL);
		_exit(127);
	}
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	CHECK(count(path, "fork") == 1 && count(path, "join") == 1);
	CHECK(count(path, "publish") == 2 && count(path, "birth") == 4);
	unlink(path);
	return check_end();
}
