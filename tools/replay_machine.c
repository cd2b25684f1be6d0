/* The machine of a trace, as a list of levels that `forestgomp sim` reads. */
#include "replay.h"
#include "machine/machine.h"
#include <stdarg.h>

static const char *const words[FG_LEVEL_KINDS] = {"", "node", "package", "die", "group", "l3", "l2", "core", "pu"};

static bool __attribute__((format(printf, 4, 5)))
append(char *text, size_t size, size_t *used, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(text + *used, size - *used, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= size - *used)
		return false;
	*used += (size_t)n;
	return true;
}

/* All levels of a depth must be alike. Returns how many there are; 0: they are not alike. */
static size_t
alike(const struct fg_trace *trace, uint32_t depth, const struct fg_trace_level **first)
{
	size_t n = 0;
	*first = NULL;
	for (size_t i = 0; i < trace->n_levels; i++) {
		const struct fg_trace_level *level = &trace->levels[i];
		if (level->depth != depth)
			continue;
		if (*first && (level->kinds != (*first)->kinds || level->n_pus != (*first)->n_pus))
			return 0;
		*first = *first ? *first : level;
		n++;
	}
	return n;
}

bool
replay_machine(const struct fg_trace *trace, char *text, size_t size)
{
	size_t used = 0, above = 1, pus = 0;
	for (uint32_t depth = 0; pus < trace->n_pus; depth++) {
		const struct fg_trace_level *level;
		size_t n = alike(trace, depth, &level), each = n / above;
		if (n == 0 || n * level->n_pus != trace->n_pus)
			return false;
		for (unsigned kind = FG_NUMA_NODE; kind < FG_LEVEL_KINDS; kind++) {
			if (!(level->kinds >> kind & 1))
				continue;
			if (!append(text, size, &used, "%s%s:%zu", used ? " " : "", words[kind], each))
				return false;
			each = 1;
		}
		above = pus = n;
	}
	return used > 0;
}
