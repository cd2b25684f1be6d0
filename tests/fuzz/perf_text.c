/* The text of `perf script`: what is told of a line is a sample. All lines are found, and no line has an end within. */
#include "fuzz.h"
#include "perf_text.h"
#include <string.h>

void
fuzz_text(const char *text)
{
	char line[PERF_LINE];
	bool cut = false;
	size_t length = strlen(text), ends = 0, lines = 0;
	if (!length)
		return;
	FILE *file = fmemopen((void *)(uintptr_t)text, length, "r");
	HOLDS(file);
	for (size_t i = 0; i < length; i++)
		ends += text[i] == '\n';
	for (; perf_line_next(file, line, &cut); lines++) {
		struct perf_sample sample;
		HOLDS(memchr(line, '\0', PERF_LINE) && !strchr(line, '\n'));
		if (perf_sample_read(line, &sample) != PERF_WHOLE)
			continue;
		HOLDS(sample.tid && sample.tid <= INT32_MAX && sample.period && !(sample.loads && sample.writes));
		HOLDS(sample.address || (!sample.loads && !sample.writes));
	}
	HOLDS(cut == (text[length - 1] != '\n') && lines == ends + cut);
	fclose(file);
}
