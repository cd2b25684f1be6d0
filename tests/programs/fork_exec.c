// Programs fork in a body, and the child calls _exit or exec at once. Also popen.
// threads: 1 2 8
#include <omp.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

int
main(void)
{
#pragma omp parallel
	for (int i = 0; i < 3; i++) {
		int status = -1, me = omp_get_thread_num();
		pid_t child = fork();

		if (child == 0) {
			if (i == 0)
				_exit(40 + me);
			execl("/bin/sh", "sh", "-c", "exit 23", (char *)NULL);
			_exit(1);
		}
		CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status), "%x", status);
		CHECK(WEXITSTATUS(status) == (i ? 23 : 40 + me), "%x", status);

		char line[20] = "";
		FILE *out = popen("echo word", "r");

		CHECK(out && fgets(line, sizeof line, out) && strcmp(line, "word\n") == 0, "%s", line);
		CHECK(out && pclose(out) == 0);
#pragma omp barrier
	}
	return check_end();
}
