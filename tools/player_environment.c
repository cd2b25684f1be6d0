/* The environment of the player (replay.h). */
#include "replay.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
is_callers(const char *entry, bool places)
{
	if (places && (strncmp(entry, "OMP_PLACES=", 11) == 0 || strncmp(entry, "OMP_PROC_BIND=", 14) == 0))
		return false;
	return strncmp(entry, "OMP_", 4) == 0 || strncmp(entry, "GOMP_", 5) == 0 ||
	       strncmp(entry, "FGOMP_TRACE", 11) == 0 || strncmp(entry, "FGOMP_STATS=", 12) == 0 ||
	       strncmp(entry, "FGOMP_THREADS=", 14) == 0 || strncmp(entry, "FGOMP_PIN=", 10) == 0;
}

void
player_environment(bool places)
{
	for (char **entry = environ; *entry;) {
		char name[64];
		size_t length = strcspn(*entry, "=");
		if (!is_callers(*entry, places) || length >= sizeof name) {
			entry++;
			continue;
		}
		memcpy(name, *entry, length);
		name[length] = '\0';
		unsetenv(name); /* the entries behind it move up */
	}
}
