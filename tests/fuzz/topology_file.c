/* FGOMP_TOPOLOGY, a file that hwloc saved. Its seeds are run, but it is not fuzzed: hwloc 2.9 itself crashes on files
 * that are broken by chance. */
#include "fuzz.h"
#include "machine/machine.h"
#include "topology_check.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void
fuzz_text(const char *text)
{
	const char *why = NULL;
	char path[64];
	int file = memfd_create("topology", MFD_CLOEXEC);
	HOLDS(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	struct fg_machine *machine = fg_machine_xml(path, &why);
	close(file);
	HOLDS(machine || why);
	if (machine) {
		topology_check(machine);
		fg_machine_free(machine);
	}
}
