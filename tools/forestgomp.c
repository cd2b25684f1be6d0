/* The main function of `forestgomp`. Each command has a file of its own. */
#include "command.h"
#include "manual.h"
#include "base/options.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* With `run`, `sim`, `replay` and `pin` only the library complains about the environment, or each complaint would
 * appear twice. This file is linked first, so this constructor runs before that of the options. */
__attribute__((constructor(101))) static void
keep_quiet(int argc, char **argv)
{
	fg_options.quiet = argc > 1 && (strcmp(argv[1], "run") == 0 || strcmp(argv[1], "sim") == 0 ||
					strcmp(argv[1], "replay") == 0 || strcmp(argv[1], "pin") == 0);
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
	static int (*const run[])(int argc, char **argv) = {
		command_run,   command_doctor,	command_topo, command_sim,	 command_info,
		command_trace, command_replay,	command_pin,  command_top,	 command_limit,
		command_serve, command_jupyter, command_man,  command_completion};
	keep_closed();
	own_python(); /* programs must not inherit what it reads */
	choose_colours(STDOUT_FILENO);
	manual_begin();
	if (argc < 2) {
		manual_usage(stderr);
		return WRONG_USE;
	}
	bool help = strcmp(argv[1], "help") == 0;
	if (help && argc > 2) {
		const struct manual *manual = manual_of(argv[2]);
		if (!manual)
			return manual_unknown_command(argv[2]);
		int status = manual_one_word("help", argc - 1, argv + 1);
		if (!status)
			manual_help(manual);
		return status ? status : finish(0);
	}
	if (help || manual_asked(argv[1])) {
		manual_usage(stdout);
		return finish(0);
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "version") == 0) {
		if (argc > 2)
			return complain(argv[1], "nothing follows it, not '%s'", argv[2]);
		puts("ForestGOMP " FG_VERSION);
		return finish(0);
	}
	for (unsigned i = 0; i < n_manuals; i++)
		if (strcmp(argv[1], manuals[i]->command) == 0)
			return finish(run[i](argc - 1, argv + 1));
	return manual_unknown_command(argv[1]);
}
