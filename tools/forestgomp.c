/* The main function of `forestgomp`. Each command has a file of its own. */
#include "command.h"
#include "base/options.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"ForestGOMP " FG_VERSION ": an OpenMP runtime for hierarchical machines, in the place of libgomp\n"
	"\n"
	"  forestgomp run [OPTIONS] PROGRAM [ARGUMENTS]   run a program that gcc built with -fopenmp on it\n"
	"  forestgomp topo [--svg FILE] [--json]          show the tree of levels of this machine, or of another\n"
	"  forestgomp sim --machine M PROGRAM [ARGUMENTS] run it as if on another machine: predicted time and speed-up\n"
	"  forestgomp info [--json]                       version, options and where they come from, what the machine "
	"offers\n"
	"  forestgomp trace FILE [-o PAGE.html]           what `run --trace FILE` wrote: a table, or a page for the browser\n"
	"  forestgomp replay FILE --sched P [-m MACHINE]  run a trace again under another policy, without the program\n"
	"\n"
	"`forestgomp COMMAND --help` tells more about each.\n";

/* With `run`, `sim` and `replay` only the library complains about the environment, or each complaint would appear twice. This
 * file is linked first, so this constructor runs before that of the options. */
__attribute__((constructor(101))) static void
keep_quiet(int argc, char **argv)
{
	fg_options_quiet = argc > 1 && (strcmp(argv[1], "run") == 0 || strcmp(argv[1], "sim") == 0 ||
					strcmp(argv[1], "replay") == 0);
}

/* If a standard descriptor is closed, no file of ours may take its number. What stands in there refuses to be written,
 * and is closed again for the programs that we start. */
static void
keep_closed(void)
{
	for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
		if (fcntl(file, F_GETFD) < 0)
			open("/dev/null", (file == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {{"run", command_run},	{"sim", command_sim},	  {"topo", command_topo},
			{"info", command_info}, {"trace", command_trace}, {"replay", command_replay}};
	keep_closed();
	choose_colours(STDOUT_FILENO);
	if (argc < 2) {
		fputs(usage, stderr);
		return WRONG_USE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		fputs(usage, stdout);
		return finish(0);
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("ForestGOMP " FG_VERSION);
		return finish(0);
	}
	for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return finish(commands[i].run(argc - 1, argv + 1));
	static const char *const names[] = {"run", "sim", "topo", "info", "trace", "replay", NULL};
	const char *like = most_like(argv[1], names);
	if (like)
		return complain(
			"", "no command is called '%s'; did you mean '%s'? Known: run, sim, topo, info, trace, replay",
			argv[1], like);
	return complain("",
			"no command is called '%s'; known: run, sim, topo, info, trace, replay (`forestgomp --help`)",
			argv[1]);
}
