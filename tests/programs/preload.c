// The library brought in by LD_PRELOAD: it is the one and only libgomp of the process.
// threads: 2 8
// load: preload
#include <omp.h>
#include <string.h>

#include "check.h"

int
main(void)
{
	const char *preload = getenv("LD_PRELOAD");
	char line[1000], found[1000] = "";
	FILE *maps = fopen("/proc/self/maps", "r");
	int sum = 0, copies = 0;

#pragma omp parallel reduction(+ : sum)
	sum++;
	CHECK(sum == omp_get_max_threads());
	while (fgets(line, sizeof line, maps)) {
		char *path = strchr(line, '/');

		if (!path || !strstr(path, "libgomp"))
			continue;
		path[strcspn(path, "\n")] = 0;
		copies += strcmp(path, found) != 0;
		strcpy(found, path);
	}
	fclose(maps);
	CHECK(copies == 1, "%d libraries, the last is %s", copies, found);
	if (preload && *preload == '/') {
		char *real = realpath(preload, NULL);

		CHECK(real && strcmp(real, found) == 0, "%s, not %s", found, real);
		free(real);
	}
	return check_end();
}
