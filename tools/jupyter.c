/* `forestgomp jupyter`: installs a kernel for notebooks. The module jupyter of the Python package does the work,
 * because Python knows where kernels lie. */
#include "command.h"
#include "manual.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
command_jupyter(int argc, char **argv)
{
	const char *python = own_python();
	bool user = false, remove = false;
	for (int i = 1; i < argc; i++) {
		if (manual_asked(argv[i])) {
			manual_help(manual_of("jupyter"));
			return 0;
		}
		if (strcmp(argv[i], "--user") == 0)
			user = true;
		else if (strcmp(argv[i], "--remove") == 0)
			remove = true;
		else
			return manual_unknown(manual_of("jupyter"), argv[i]);
	}
	if (!python)
		return complain("jupyter", "this is of the Python package: `python3 -m forestgomp jupyter`");
	const char *words[] = {python, "-m", "forestgomp.jupyter", NULL, NULL, NULL};
	unsigned n = 3;
	if (user)
		words[n++] = "--user";
	if (remove)
		words[n++] = "--remove";
	execv(python, (char *const *)words);
	complain("jupyter", "cannot run '%s': %s", python, strerror(errno));
	return 1;
}
