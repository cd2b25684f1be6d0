/* `forestgomp run --stats`: runs the program as a child, then reads its trace and prints the table of regions. */
#include "command.h"
#include "draw/table.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t child;

static void
pass_on(int number)
{
	if (child > 0)
		kill(child, number);
}

static void
print(const char *path, bool json)
{
	char why[200];
	if (access(path, F_OK) != 0) {
		complain("run", "--stats: no parallel region was met");
		return;
	}
	struct fg_trace *trace = fg_trace_read(path, why, sizeof why);
	if (!trace) {
		complain("run", "--stats: the trace '%s' %s", path, why);
		return;
	}
	struct fg_story *story = fg_story_tell(trace);
	choose_colours(STDERR_FILENO);
	if (json)
		fg_table_json(story, stderr);
	else
		fg_table_print(story, stderr, bold, dim, plain);
	fg_story_free(story);
	fg_trace_free(trace);
}

/* Ends by the same signal as the program, but without a second core file. */
static int
end_like(int status)
{
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

int
run_with_stats(char **argv, const char *trace, bool json, int (*start)(char **argv))
{
	char folder[4096], path[4096 + 8];
	const char *temporary = getenv("TMPDIR");
	int status = 0;
	folder[0] = '\0';
	if (trace)
		snprintf(path, sizeof path, "%s", trace);
	else {
		snprintf(folder, sizeof folder, "%s/forestgomp-XXXXXX", temporary && *temporary ? temporary : "/tmp");
		if (!mkdtemp(folder)) {
			complain("run", "--stats: cannot make a folder '%s': %s", folder, strerror(errno));
			return 1;
		}
		snprintf(path, sizeof path, "%s/trace", folder);
		setenv("FGOMP_TRACE", path, 1);
	}
	/* The terminal sends its signals to the program, too, and the program decides. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, pass_on);
	signal(SIGHUP, pass_on);
	child = fork();
	if (child == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		_exit(start(argv));
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	bool began = child > 0 && !(WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127));
	if (began)
		print(path, json);
	else if (child < 0)
		complain("run", "cannot start another process: %s", strerror(errno));
	if (folder[0]) {
		unlink(path);
		rmdir(folder);
	}
	return child < 0 ? 1 : end_like(status);
}
