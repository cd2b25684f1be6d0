/* Region features: the things besides the work itself that regions and barriers must do (floor: team; read by
 * region/region.c, region/member.h and sync/barrier.c). One word holds them all. Thus a region or barrier pays one look
 * where nothing asks for more. team->features has those of a region's call. Constructors write fg_features; then all
 * threads only read it. */
#pragma once

enum fg_feature {
	/* Members are bound (places/list.h), or some policy has a daemon or is told of members that begin
	 * or end (sched/time_calls.h). */
	FG_FEATURE_MORE = 1,
	FG_FEATURE_CLOCK = 2,	 /* some policy wants to know the CPU time of members (exec/thread/clock.h) */
	FG_FEATURE_TRACE = 4,	 /* there is a trace (trace/trace.h) */
	FG_FEATURE_DISPLAY = 8,	 /* OMP_DISPLAY_AFFINITY (places/affinity_format.h) */
	FG_FEATURE_CANCEL = 16,	 /* OMP_CANCELLATION (sync/cancel.h) */
	FG_FEATURE_WATCH = 32,	 /* a race detector is in the program (platform/sanitizer.h) */
	FG_FEATURE_SUMS = 64,	 /* calls of regions are summed up (trace/sums.h), this one is timed */
	FG_FEATURE_GROUPS = 128, /* of a team only: it counts arrivals by groups (sync/arrivals.h) */
	FG_FEATURE_LEARN = 256,	 /* some regions are timed (share/learnt.h); of no team */
};
extern unsigned fg_features
	__attribute__((visibility("hidden"))); /* the features in force; set when the library is loaded */
/* The features that concern a barrier. */
#define FG_FEATURES_BARRIER                                                                                            \
	(FG_FEATURE_CLOCK | FG_FEATURE_TRACE | FG_FEATURE_SUMS | FG_FEATURE_CANCEL | FG_FEATURE_WATCH |                \
	 FG_FEATURE_GROUPS)
