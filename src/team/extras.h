/* Extras: what regions and barriers do besides the work itself, where anything asks for it (floor: team; called by region.c and barrier.c). One
 * word, so that where nothing asks for more each of them pays one look. */
#pragma once
#include <stdbool.h>

enum fg_extra {
	FG_EXTRA_PLACES = 1,  /* members are bound (places.h) */
	FG_EXTRA_CLOCK = 2,   /* some policy wants to know what members use (exec/clock.h) */
	FG_EXTRA_TRACE = 4,   /* there is a trace (trace/trace.h) */
	FG_EXTRA_DISPLAY = 8, /* OMP_DISPLAY_AFFINITY (affinity_format.h) */
	FG_EXTRA_CANCEL = 16, /* OMP_CANCELLATION (cancel.h) */
	FG_EXTRA_WATCH = 32,  /* a race detector is in the program (platform/sanitizer.h) */
};
extern unsigned fg_extras; /* those there are: set when the library is loaded */
/* Of these a barrier has to do with. */
#define FG_EXTRAS_BARRIER (FG_EXTRA_CLOCK | FG_EXTRA_TRACE | FG_EXTRA_CANCEL | FG_EXTRA_WATCH)

static inline bool
fg_extras_any(void)
{
	return __builtin_expect(fg_extras != 0, 0);
}
