/* `forestgomp run --stats` and `--trace`: the program runs as a child. Then its sums are read, and the table is
 * printed. */
#include "command.h"
#include "draw/table.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILES_MAX 10000

static volatile pid_t child;

/* A terminal sends its signals to the program, too. All others were meant for the program. */
static void
pass_on(int number, siginfo_t *info, void *context)
{
	(void)context;
	int saved = errno;
	if (child > 0 && info->si_code <= 0)
		kill(child, number);
	errno = saved;
}

/* These stay as they are: they concern this process, stop it, or cannot be caught. */
static bool
is_own(int number)
{
	static const int own[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCHLD, SIGSEGV,
				  SIGBUS,  SIGILL,  SIGFPE,  SIGABRT, SIGTRAP, SIGPIPE, SIGSYS};
	for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
		if (own[i] == number)
			return true;
	return number > 31 && number < SIGRTMIN;
}

static struct sigaction before[65];

static void
pass_all(bool begin)
{
	struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
	sigfillset(&action.sa_mask);
	for (int number = 1; number <= 64; number++)
		if (!is_own(number))
			sigaction(number, begin ? &action : &before[number], begin ? &before[number] : NULL);
}

static struct watch {
	const struct run_call *call;
	char folder[4096]; /* of the sums; empty: none are wanted */
	FILE *table;
	unsigned printed;
	uint64_t ended; /* when the child was seen to be over */
	struct rusage used;
	pid_t pid;
} watch;

static void
sums_path(unsigned number, char *path, size_t size)
{
	snprintf(path, size, number > 1 ? "%s/sums.%u" : "%s/sums", watch.folder, number);
}

/* A signal handler calls it, too: snprintf takes neither memory nor a lock for a text and a number. */
static void
remove_sums(void)
{
	char path[4096 + 32];
	unsigned number = 0;
	if (!watch.folder[0])
		return;
	do
		sums_path(++number, path, sizeof path);
	while (unlink(path) == 0);
	rmdir(watch.folder);
}

static void
on_end(int number)
{
	remove_sums();
	signal(number, SIG_DFL);
	raise(number);
}

/* The program is over. A signal is for the command now: it ends by that, and leaves no file behind. */
static void
pass_no_more(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action = {.sa_handler = on_end};
	child = 0;
	pass_all(false);
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
		if (before[ends[i]].sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
}

/* Ends by the same signal as the program, but without a second core file. */
static int
end_like(int status)
{
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	finish(0);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

static void
print(const char *path)
{
	char why[200];
	struct fg_trace *trace = fg_trace_read(path, why, sizeof why);
	if (!trace) {
		complain("run", "--stats: the file '%s' %s", path, why);
		return;
	}
	bool own = trace->head.pid == (uint32_t)watch.pid;
	struct fg_summary summary = fg_summary_of_sums(trace, own ? watch.ended : 0);
	if (own)
		summary.cpu =
			((uint64_t)watch.used.ru_utime.tv_sec + (uint64_t)watch.used.ru_stime.tv_sec) * 1000000000 +
			((uint64_t)watch.used.ru_utime.tv_usec + (uint64_t)watch.used.ru_stime.tv_usec) * 1000;
	const struct run_call *call = watch.call;
	if (call->json) {
		fputs(watch.printed ? ",\n" : "", watch.table);
		fg_table_json(&summary, call->top, watch.table);
	} else {
		fputs(watch.printed ? "\n" : "", watch.table);
		fg_table_print(&summary,
			       &(struct fg_table_style){bold, dim, plain, columns_of(fileno(watch.table)), call->top},
			       watch.table);
	}
	watch.printed++;
	fg_summary_free(&summary);
	fg_trace_free(trace);
}

static void
none_met(const char *option)
{
	complain("run", "%s: no parallel region was met%s%s", option, watch.call->unserved ? ": " : " on ForestGOMP",
		 watch.call->unserved ? watch.call->unserved : "");
}

/* Each program of a script has a file. Several are a list in JSON. Returns false if the table cannot be written. */
static bool
print_all(void)
{
	char path[4096 + 32];
	unsigned n = 0;
	while (n < FILES_MAX && (sums_path(n + 1, path, sizeof path), access(path, F_OK) == 0))
		n++;
	if (!n)
		none_met("--stats");
	choose_colours(fileno(watch.table));
	if (watch.call->json && n > 1)
		fputs("[", watch.table);
	for (unsigned i = 1; i <= n; i++) {
		sums_path(i, path, sizeof path);
		print(path);
	}
	if (watch.call->json && n > 1)
		fputs("]\n", watch.table);
	bool failed = ferror(watch.table);
	if ((watch.table == stderr ? fflush(stderr) : fclose(watch.table)) == 0 && !failed)
		return true;
	complain("run", "cannot write the table%s%s: %s", watch.call->stats_file ? " to " : "",
		 watch.call->stats_file ? watch.call->stats_file : "", strerror(errno));
	return false;
}

/* The sums go to a folder of their own. With a trace they lie in its file, and the folder has links. Returns 0, or an
 * exit status. */
static int
prepare(void)
{
	const char *temporary = getenv("TMPDIR"), *file = watch.call->stats_file;
	const char *why;
	char *name, *text;
	if (!watch.call->stats)
		return 0;
	watch.table = file ? fopen(file, "we") : stderr;
	if (!watch.table)
		return complain("run", "--stats=%s: cannot write it: %s", file, strerror(errno));
	snprintf(watch.folder, sizeof watch.folder, "%s/forestgomp-XXXXXX",
		 temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(watch.folder)) {
		complain("run", "--stats: cannot make a folder '%s': %s", watch.folder, strerror(errno));
		return 1;
	}
	if ((why = trace_no_room(watch.folder))) {
		complain("run", "--stats: cannot write in '%s': %s", watch.folder, why);
		rmdir(watch.folder);
		return 1;
	}
	if ((name = trace_name_of(watch.folder)) && asprintf(&text, "%s/sums%%n", name) > 0) {
		setenv("FGOMP_STATS", text, 1);
		free(text);
	}
	free(name);
	return 0;
}

/* A program that was killed could not write the time of its end into its trace. Its last event may lie long before. */
static void
note_end(const char *path)
{
	char block[sizeof(struct fg_trace_block) + sizeof watch.ended];
	struct fg_trace_head head;
	struct stat status;
	FILE *file = strchr(path, '%') ? NULL : fopen(path, "r+e");
	if (!file)
		return;
	struct fg_trace_block own = {
		.magic = "BLOC", .kind = FG_TRACE_SEEN_END, .bytes = FG_TRACE_ALIGN, .count = sizeof watch.ended};
	memcpy(block, &own, sizeof own);
	memcpy(block + sizeof own, &watch.ended, sizeof watch.ended);
	bool killed = fread(&head, sizeof head, 1, file) == 1 &&
		      memcmp(head.magic, FG_TRACE_MAGIC, sizeof head.magic) == 0 && !head.end &&
		      head.pid == (uint32_t)watch.pid && fstat(fileno(file), &status) == 0;
	if (killed) {
		off_t end = (status.st_size + FG_TRACE_ALIGN - 1) / FG_TRACE_ALIGN * FG_TRACE_ALIGN;
		ssize_t ignored = pwrite(fileno(file), block, sizeof block, end);
		(void)ignored;
	}
	fclose(file);
}

/* Starts the program. It tells by a pipe, which exec closes, that it could not start: its exit status may be any. */
static bool
begin(int (*start)(char **argv))
{
	int failure[2];
	char failed = 1;
	ssize_t got;
	if (pipe2(failure, O_CLOEXEC) != 0) {
		complain("run", "no pipe: %s", strerror(errno));
		return false;
	}
	child = fork();
	if (child == 0) {
		pass_all(false);
		int status = start(watch.call->program);
		ssize_t ignored = write(failure[1], &failed, 1);
		(void)ignored;
		_exit(status);
	}
	if (child < 0)
		complain("run", "cannot start another process: %s", strerror(errno));
	watch.pid = child;
	close(failure[1]);
	while ((got = read(failure[0], &failed, 1)) < 0 && errno == EINTR)
		;
	close(failure[0]);
	return child > 0 && got == 0;
}

int
run_watched(const struct run_call *call, int (*start)(char **argv))
{
	struct timespec now;
	watch = (struct watch){.call = call, .pid = -1};
	int status = prepare();
	if (status)
		return status;
	pass_all(true);
	bool began = begin(start);
	while (child > 0 && wait4(child, &status, 0, &watch.used) < 0 && errno == EINTR)
		;
	clock_gettime(CLOCK_MONOTONIC, &now);
	watch.ended = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	pass_no_more();
	if (began && call->trace)
		note_end(call->trace);
	bool whole = !began || !call->stats || print_all();
	if (began && !call->stats && call->trace && !strchr(call->trace, '%') && access(call->trace, F_OK) != 0)
		none_met("--trace");
	remove_sums();
	if (watch.pid < 0)
		return 1;
	if (call->emulate && WIFSIGNALED(status) && WTERMSIG(status) == SIGILL)
		complain("run", "the emulator lacks an instruction of the program: if that is AVX-512, record a "
				"program that is built with hooks (docs/pinning.md)");
	int own = end_like(status);
	return own || whole ? own : 1;
}
