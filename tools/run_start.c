/* `forestgomp run`: the program starts, or one line tells why it cannot (command.h). */
#include "command.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* There is no such program, or its interpreter is missing. */
static void
tell_missing(const char *command, const char *name)
{
	bool on_path = !strchr(name, '/'), here = is_file(name);
	if (here && run_is_script(name))
		complain(command, "'%s' is a script: `python3 -m forestgomp %s %s`, or `forestgomp %s python3 %s`",
			 name, command, name, command, name);
	else if (here && on_path)
		complain(command, "there is no program '%s' on the PATH; './%s' is here", name, name);
	else if (here)
		complain(command, "'%s' needs an interpreter that does not exist", name);
	else
		complain(command, "there is no program '%s'", name);
}

int
run_cannot_start(const char *command, const char *name, int error)
{
	if (error == ENOENT || error == ENOTDIR) {
		tell_missing(command, name);
		return 127;
	}
	if (error == EACCES && is_file(name) && run_is_script(name))
		complain(command, "cannot run the script '%s'; `forestgomp %s python3 %s` does", name, command, name);
	else
		complain(command, "cannot run '%s': %s", name, strerror(error));
	return 126;
}

int
run_startable(const char *command, const char *name)
{
	char *path = program_path(name);
	int error = !path ? ENOENT : access(path, X_OK) != 0 ? errno : is_file(path) ? 0 : EACCES;
	free(path);
	return error ? run_cannot_start(command, name, error) : 0;
}

int
run_start(char **argv)
{
	execvp(argv[0], argv);
	return run_cannot_start("run", argv[0], errno);
}
