// An unknown policy: one line on stderr that names it, the variable and what is accepted; the program goes on with the
// default.
// stock: fails (it has no policies)
#include <omp.h>
#include <string.h>

#include "check.h"

int
main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		int sum = 0;

#pragma omp parallel num_threads(4) reduction(+ : sum)
		sum++;
		return sum != 4;
	}
	char text[2000] = "", *line;
	FILE *out;
	size_t got;

	setenv("FGOMP_SCHED", "no-such-policy", 1);
	char command[4200], self[4000] = "";
	CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
	snprintf(command, sizeof command, "'%s' again 2>&1", self);
	out = popen(command, "r");
	CHECK(out != NULL);
	got = fread(text, 1, sizeof text - 1, out);
	text[got] = 0;
	CHECK(pclose(out) == 0, "%s", text);
	line = strstr(text, "no-such-policy");
	CHECK(line && strstr(text, "FGOMP_SCHED"), "\"%s\"", text);
	CHECK(strstr(text, "spread") && strstr(text, "steal"), "\"%s\" does not say what is accepted", text);
	CHECK(line && !strstr(line + 1, "no-such-policy"), "said twice: \"%s\"", text);
	return check_end();
}
