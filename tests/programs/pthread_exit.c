// pthread_exit by any member, at any place: one line with advice and status 1, and no hang.
// Outside a region, and in a region of one thread, it ends the thread as ever.
// stock: fails (hangs)
// env: -
// env: FGOMP_THREADS=kernel
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

static int threads, who, place;

static void
leave(void)
{
	if (omp_get_thread_num() == who)
		pthread_exit(NULL);
}

static void
region(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(threads)
	{
		if (place == 2)
#pragma omp single
			for (int i = 0; i < 20; i++)
#pragma omp task
				leave();
		if (place == 1)
#pragma omp parallel num_threads(3)
			leave();
		if (place == 0)
			leave();
#pragma omp barrier
	}
}

static void *
thread(void *arg)
{
	region();
	return arg;
}

int
main(int argc, char **argv)
{
	if (argc == 5) {
		threads = atoi(argv[1]), who = atoi(argv[2]), place = atoi(argv[3]);
		if (argv[4][0] == 'm')
			thread(NULL);
		pthread_t other;
		pthread_create(&other, NULL, thread, NULL);
		pthread_join(other, NULL);
		return 5;
	}
	for (int t = 1; t <= 8; t = t == 1 ? 2 : t + 6)
		for (int place = 0; place < 3; place++)
			for (int w = 0; w < t && w < 3; w++)
				for (int c = 0; c < 2; c++) {
					char command[300], line[300] = "";
					int advice = 0;

					snprintf(command, sizeof command, "timeout 100 %s %d %d %d %c 2>&1", argv[0], t,
						 w, place, c ? 'm' : 't');
					FILE *pipe = popen(command, "r");
					while (fgets(line, sizeof line, pipe))
						advice += strstr(line, "pthread_exit") != NULL;
					int status = WEXITSTATUS(pclose(pipe));
					if (t == 1 && place != 1)
						CHECK(status == (c ? 0 : 5) && !advice, "%s: %d", command, status);
					else if (place == 2)
						CHECK((status == 1 && advice) || (status == 5 && !advice) ||
							      status == 0,
						      "%s: %d", command, status);
					else
						CHECK(status == 1 && advice == 1, "%s: status %d, advice %d", command,
						      status, advice);
				}
	return check_end();
}
