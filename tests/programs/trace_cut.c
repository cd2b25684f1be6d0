// Somebody truncates the file of a trace, or of sums, while the program writes it: the trace ends, and the program goes
// on. The program's own SIGBUS stays the program's.
// threads: 4
// env: FGOMP_TRACE=/tmp/trace-cut-%p
// env: FGOMP_STATS=/tmp/trace-cut-%p
// env: FGOMP_TRACE=/tmp/trace-cut-%p FGOMP_SLICE=1ms
// limit: 60
#include <fcntl.h>
#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"

static char name[100];

static void
regions(int rounds)
{
	for (int r = 0; r < rounds; r++)
#pragma omp parallel num_threads(4)
	{
#pragma omp parallel num_threads(3)
		{
			check_burn(3);
#pragma omp barrier
		}
#pragma omp task
		check_burn(1);
	}
}

static sigjmp_buf back;
static volatile int handled;

static void
handler(int number, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	handled += number == SIGBUS;
	siglongjmp(back, 1);
}

/* A fault of the program's own, in a file that it has mapped. */
static void
own_fault(void)
{
	char own[] = "/tmp/trace-cut-own-XXXXXX";
	int file = mkstemp(own);

	CHECK(file >= 0 && ftruncate(file, 4096) == 0);
	volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	CHECK(page != MAP_FAILED && ftruncate(file, 0) == 0);
	if (sigsetjmp(back, 1) == 0)
		*page = 1;
	munmap((void *)page, 4096);
	close(file);
	unlink(own);
}

/* kinds: 0: the program has no handler. 1: it has one before the trace begins. 2: it installs one later. */
static int
with_handler(int kind)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO}, old;

	omp_set_max_active_levels(2);
	snprintf(name, sizeof name, "/tmp/trace-cut-%d", getpid());
	if (kind == 1)
		CHECK(sigaction(SIGBUS, &action, NULL) == 0);
	regions(20);
	CHECK(access(name, F_OK) == 0);
	CHECK(sigaction(SIGBUS, kind == 2 ? &action : NULL, &old) == 0);
	CHECK(kind == 1 ? old.sa_sigaction == handler : old.sa_handler == SIG_DFL, "%d", kind);
	if (kind)
		own_fault();
	CHECK(handled == (kind != 0), "%d %d", kind, handled);
	CHECK(truncate(name, 0) == 0);
	regions(200);
	CHECK(handled == (kind != 0), "%d %d", kind, handled);
	FILE *file = fopen(name, "w");
	CHECK(file && fputs("notes", file) > 0 && fclose(file) == 0);
	regions(20);
	return check_end();
}

/* The file is the user's since he has truncated it. */
static void
check_notes(pid_t pid)
{
	char text[100] = "";

	snprintf(name, sizeof name, "/tmp/trace-cut-%d", pid);
	FILE *file = fopen(name, "r");
	CHECK(file && fread(text, 1, sizeof text - 1, file) == 5 && strcmp(text, "notes") == 0, "%s", text);
	if (file)
		fclose(file);
	unlink(name);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		return with_handler(atoi(argv[1]));
	for (int kind = 0; kind < 3; kind++) {
		char word[] = {(char)('0' + kind), '\0'};
		int status = -1;
		pid_t pid = fork();

		if (pid == 0) {
			execl(argv[0], argv[0], word, (char *)NULL);
			_exit(98);
		}
		waitpid(pid, &status, 0);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d: %d", kind, status);
		check_notes(pid);
	}
	/* Without a handler a signal that another process sends ends the program, as ever. */
	int status = -1;
	pid_t pid = fork();
	if (pid == 0) {
		regions(2);
		raise(SIGBUS);
		_exit(97);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS, "%d", status);
	snprintf(name, sizeof name, "/tmp/trace-cut-%d", pid);
	unlink(name);
	return check_end();
}
