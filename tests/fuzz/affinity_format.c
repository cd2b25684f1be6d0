/* OMP_AFFINITY_FORMAT: the same length for any size of the buffer, of which no byte more is written. */
#include "fuzz.h"
#include "team/places/affinity_format.h"
#include <stdlib.h>
#include <string.h>

void
fuzz_text(const char *text)
{
	static char kept[256];
	char *small = malloc(8);
	/* A wrong format ends the call by a jump: nothing may be left to free. */
	memset(kept, 'x', sizeof kept);
	free(small);
	if (!*text)
		return;
	size_t length = fg_affinity_print(NULL, 0, text);
	HOLDS(fg_affinity_print(kept, sizeof kept - 1, text) == length && kept[sizeof kept - 1] == 'x');
	small = malloc(8);
	HOLDS(fg_affinity_print(small, 8, text) == length);
	HOLDS(memcmp(small, kept, length < 8 ? length : 8) == 0);
	free(small);
}
