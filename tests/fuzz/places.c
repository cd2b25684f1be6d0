/* The notations of places. Each published list has sets of CPUs of the mask, none empty. */
#include "fuzz.h"
#include "team/places/list.h"
#include <stdlib.h>
#include <string.h>

static void
read_as(const char *name, const char *text, bool unwanted)
{
	static bool mask_known;
	if (!mask_known)
		fg_places_read_mask();
	mask_known = true;
	unsetenv("OMP_PLACES");
	unsetenv("GOMP_CPU_AFFINITY");
	fg_places_publish(&(const struct fg_places){0});
	fuzz_setenv(name, text);
	bool found = fg_places_from_env(unwanted);
	HOLDS(found == (fg_place_list.count > 0) && !(unwanted && found));
	for (unsigned i = 0; i < fg_place_list.count; i++) {
		cpu_set_t usable;
		CPU_AND(&usable, fg_place_cpus(i), &fg_place_list.start_mask);
		if (strcmp(name, "OMP_PLACES") == 0)
			HOLDS(CPU_COUNT(&usable) > 0 && CPU_EQUAL(&usable, fg_place_cpus(i)));
		else
			HOLDS(CPU_COUNT(fg_place_cpus(i)) == 1);
	}
}

void
fuzz_text(const char *text)
{
	read_as("OMP_PLACES", text, true);
	read_as("OMP_PLACES", text, false);
	read_as("GOMP_CPU_AFFINITY", text, true);
	read_as("GOMP_CPU_AFFINITY", text, false);
}
