/* FGOMP_TOPOLOGY, a line that makes up a machine. */
#include "fuzz.h"
#include "machine/machine.h"
#include "topology_check.h"

void
fuzz_text(const char *text)
{
	const char *why = NULL;
	struct fg_machine *machine = fg_machine_synthetic(text, &why);
	HOLDS(machine || why);
	if (machine) {
		topology_check(machine);
		fg_machine_free(machine);
	}
}
