/* Policies on the command line of `sim`, `replay` and `topo`: a wrong one is an error of usage. The command knows their
 * names, and the library judges options, levels and plug-ins, as in `forestgomp run`. */
#include "command.h"
#include "base/options.h"
#include <stdlib.h>
#include <string.h>

/* The library's words about FGOMP_SCHED=TEXT: " REASON; accepted: WORDS". NULL: it takes the policy, or is missing. The
 * caller frees them. */
static char *
refused(const char *text)
{
	static const char *const variable[] = {"FGOMP_SCHED"};
	const char *library = find_library(), *old = getenv(variable[0]);
	if (!library)
		return NULL;
	char *kept = old ? strdup(old) : NULL;
	setenv(variable[0], text, 1);
	const char *line = run_judge(library, variable, 1);
	if (kept)
		setenv(variable[0], kept, 1);
	else
		unsetenv(variable[0]);
	free(kept);
	size_t length = strlen(variable[0]) + strlen(text) + 2;
	bool told = line && strncmp(line, variable[0], strlen(variable[0])) == 0;
	if (!told)
		return NULL;
	const char *end = strstr(line, "; using "), *reason = strlen(line) > length ? line + length : "";
	return strndup(reason, end > reason ? (size_t)(end - reason) : strlen(reason));
}

int
take_policy(const char *command, const char *option, const char *text)
{
	const struct fg_option *sched = &fg_option_table[FG_OPTION_sched];
	if (!fg_option_set(&fg_option_table[FG_OPTION_sched], text))
		return complain(command, "--%s %s is not valid; accepted: %s", option, text, sched->accepted);
	char *why = strpbrk(text, "/,+") ? refused(text) : NULL;
	int status = why ? complain(command, "--%s %s is not valid:%s", option, text, why) : 0;
	free(why);
	return status;
}
