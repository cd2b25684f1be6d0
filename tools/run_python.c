/* `forestgomp run` of Python: scripts, -m and -c take the interpreter to which ForestGOMP belongs (command.h). */
#include "command.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "FORESTGOMP_PYTHON"

/* `python -m forestgomp` and the command of a wheel tell their interpreter by a variable. The first call, at the start,
 * takes it away. */
const char *
own_python(void)
{
	static char *kept;
	const char *told = getenv(VARIABLE);
	if (told) {
		kept = *told ? strdup(told) : NULL;
		unsetenv(VARIABLE);
	}
	return kept;
}

/* The program is the interpreter with up to two words, then the rest. */
static void
begin_with(struct run_call *call, const char *option, const char *value, char **rest)
{
	unsigned n = 0, at = 0;
	while (rest[n])
		n++;
	char **words = calloc(n + 4, sizeof *words);
	if (!words)
		abort();
	words[at++] = strdup(own_python());
	if (option) {
		words[at++] = strdup(option);
		words[at++] = strdup(value);
	}
	memcpy(words + at, rest, n * sizeof *words);
	call->program = words;
}

int
run_take_python(int argc, char **argv, int i, struct run_call *call)
{
	const char *missing = NULL, *option = "-m";
	const char *value = option_value(argc, argv, &i, "module", 'm', &missing);
	if (!value && !missing) {
		option = "-c";
		value = option_value(argc, argv, &i, "code", 'c', &missing);
	}
	if (missing)
		return complain("run", "%s needs a value", missing);
	if (!value)
		return -1;
	if (!own_python())
		return complain("run",
				"%s is of the Python package: `python3 -m forestgomp run`; here say which Python: "
				"`forestgomp run python3 %s ...`",
				option, option);
	begin_with(call, option, value, argv + i + 1);
	return 0;
}

bool
run_is_script(const char *name)
{
	size_t length = strlen(name);
	return length > 3 && strcmp(name + length - 3, ".py") == 0;
}

int
run_script(struct run_call *call)
{
	const char *name = call->program[0];
	if (!name || !run_is_script(name) || !own_python())
		return 0;
	if (access(name, F_OK) == 0)
		begin_with(call, NULL, NULL, call->program);
	else if (strchr(name, '/') || !program_path(name)) {
		complain("run", "there is no script '%s'", name);
		return 127;
	}
	return 0;
}
