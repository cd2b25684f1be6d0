/* `forestgomp run`: the program starts, or one line tells why it cannot (command.h). */
#include "command.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_file(const char *name)
{
	struct stat status;
	return stat(name, &status) == 0 && S_ISREG(status.st_mode);
}

/* There is no such program, or its interpreter is missing. */
static void
tell_missing(const char *name)
{
	bool on_path = !strchr(name, '/'), here = is_file(name);
	if (here && run_is_script(name))
		complain("run", "'%s' is a script: `python3 -m forestgomp run %s`, or `forestgomp run python3 %s`",
			 name, name, name);
	else if (here && on_path)
		complain("run", "there is no program '%s' on the PATH; './%s' is here", name, name);
	else if (here)
		complain("run", "'%s' needs an interpreter that does not exist", name);
	else
		complain("run", "there is no program '%s'", name);
}

int
run_start(char **argv)
{
	execvp(argv[0], argv);
	int error = errno;
	if (error == ENOENT || error == ENOTDIR) {
		tell_missing(argv[0]);
		return 127;
	}
	if (error == EACCES && is_file(argv[0]) && run_is_script(argv[0]))
		complain("run", "cannot run the script '%s'; `forestgomp run python3 %s` does", argv[0], argv[0]);
	else
		complain("run", "cannot run '%s': %s", argv[0], strerror(error));
	return 126;
}
