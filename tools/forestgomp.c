/* The main function of `forestgomp`. Each command has a file of its own. */
#include "command.h"
#include "manual.h"
#include "base/options.h"
#include <string.h>
#include <unistd.h>

/* With `run`, `sim` and `replay` only the library complains about the environment, or each complaint would appear twice. This
 * file is linked first, so this constructor runs before that of the options. */
__attribute__((constructor(101))) static void
keep_quiet(int argc, char **argv)
{
	fg_options_quiet = argc > 1 && (strcmp(argv[1], "run") == 0 || strcmp(argv[1], "sim") == 0 ||
					strcmp(argv[1], "replay") == 0);
}

int
main(int argc, char **argv)
{
	static int (*const run[])(int argc, char **argv) = {command_run,   command_topo,   command_sim, command_info,
							    command_trace, command_replay, command_man, command_completion};
	choose_colours(STDOUT_FILENO);
	manual_begin();
	if (argc < 2) {
		manual_usage(stderr);
		return WRONG_USE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		manual_usage(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "version") == 0) {
		puts("ForestGOMP " FG_VERSION);
		return 0;
	}
	const char *known[n_manuals];
	for (unsigned i = 0; i < n_manuals; i++) {
		known[i] = manuals[i]->command;
		if (strcmp(argv[1], known[i]) != 0)
			continue;
		if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)) {
			manual_help(manuals[i]);
			return 0;
		}
		return run[i](argc - 1, argv + 1);
	}
	const char *meant = manual_nearest(argv[1], known, n_manuals);
	if (meant)
		return complain("", "no command is called '%s'; did you mean '%s'? (`forestgomp --help`)", argv[1], meant);
	return complain("", "no command is called '%s'; `forestgomp --help` lists them", argv[1]);
}
