/* `forestgomp run`: files that options name. With a wrong one the program would run without what it is for, so it does
 * not start. */
#include "command.h"
#include "base/options.h"
#include "machine/machine.h"
#include "machine/pin_file.h"
#include <stdlib.h>
#include <string.h>

static const struct {
	enum fg_option_index option;
	const char *name;
} files[] = {{FG_OPTION_trace, "trace"},
	     {FG_OPTION_topology, "topology"},
	     {FG_OPTION_learnt, "learnt"},
	     {FG_OPTION_pin, "pin"}};

static int
judge_topology(const char *text)
{
	const char *why = "";
	struct fg_machine *machine = fg_machine_told(text, &why);
	if (!machine)
		return complain("run", "--topology %s is not valid (%s); accepted: %s", text, why,
				fg_option_table[FG_OPTION_topology].accepted);
	fg_machine_free(machine);
	return 0;
}

/* Whether it is of this machine, the library finds out. */
static int
judge_pin(const char *path)
{
	struct fg_pin pin;
	int status = take_pin_file("run", path, &pin);
	if (!status)
		fg_pin_free(&pin);
	return status;
}

int
run_judge_files(const bool *given)
{
	int status = 0;
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
		const char *value = *(const char **)fg_option_table[files[i].option].value;
		if (given[files[i].option] && !*value)
			return complain("run", "--%s '' is not valid; accepted: %s", files[i].name,
					fg_option_table[files[i].option].accepted);
	}
	if (given[FG_OPTION_pin_guard] && fg_options.pin_guard && !*fg_options.pin)
		return complain("run", "--pin-guard is of --pin FILE, which is missing");
	if (given[FG_OPTION_topology] && (status = judge_topology(fg_options.topology)))
		return status;
	if (given[FG_OPTION_pin] && (status = judge_pin(fg_options.pin)))
		return status;
	const char *why = given[FG_OPTION_learnt] ? file_no_room(fg_options.learnt) : NULL;
	return why ? complain("run", "--learnt %s: cannot write there: %s", fg_options.learnt, why) : 0;
}
