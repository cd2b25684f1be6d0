/* Region features: what regions and barriers do besides the work itself, where anything asks for it (floor: team; called by region/region.c and sync/barrier.c). One
 * word, so that where nothing asks for more each of them pays one look. */
#pragma once
#include <stdbool.h>

enum fg_feature {
	FG_FEATURE_PLACES = 1,	/* members are bound (places/list.h) */
	FG_FEATURE_CLOCK = 2,	/* some policy wants to know what members use (exec/thread/clock.h) */
	FG_FEATURE_TRACE = 4,	/* there is a trace (trace/trace.h) */
	FG_FEATURE_DISPLAY = 8, /* OMP_DISPLAY_AFFINITY (places/affinity_format.h) */
	FG_FEATURE_CANCEL = 16, /* OMP_CANCELLATION (sync/cancel.h) */
	FG_FEATURE_WATCH = 32,	/* a race detector is in the program (platform/sanitizer.h) */
};
extern unsigned fg_features; /* those there are: set when the library is loaded */
/* Of these a barrier has to do with. */
#define FG_FEATURES_BARRIER (FG_FEATURE_CLOCK | FG_FEATURE_TRACE | FG_FEATURE_CANCEL | FG_FEATURE_WATCH)

static inline bool
fg_features_any(void)
{
	return __builtin_expect(fg_features != 0, 0);
}
