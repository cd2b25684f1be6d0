/* Team: the members of one parallel region and the things that they share (floor: team; made by region/region.c,
 * used by every construct).
 *
 * The primary thread writes the plain fields, before the fork and after the join. While members run they only read
 * those. The exceptions name their lock or their file. Teams are never freed, because a former member may still look at
 * one (region/teams.h). Only one of a single member may lie on a stack (region/region.c). */
#pragma once
#include "base/atomic.h"
#include "base/spinlock.h"
#include "exec/thread/identity.h"
#include "exec/nested/birth.h"
#include "team/env/icv.h"
#include "trace/sums.h"

/* The number of worksharing constructs (loop, sections, ...) that a team's ring has room for: share/workshare.h. */
#define FG_TEAM_SHARES 8
struct fg_arrivals;
struct fg_load_history;
struct fg_workshare;

enum fg_team_mode {
	FG_TEAM_SERIAL, /* one member: the encountering thread */
	FG_TEAM_DOCKED, /* flat: members docked on the workers, crews (exec/loop/crew.h) */
	FG_TEAM_LOOSE,	/* nested: members born lazily (exec/nested/birth.c) */
	FG_TEAM_KERNEL, /* FGOMP_THREADS=kernel: a kernel thread each (exec/kernel/kernel_team.c) */
};

/* For fields that the members of a hot team read on their own PUs. A store, even of the same value, would take the
 * cache line away from them. */
#define STORE_CHANGE(field, value)                                                                                     \
	do {                                                                                                           \
		if ((field) != (value))                                                                                \
			(field) = (value);                                                                             \
	} while (0)

struct fg_team {
	/* All members read these at each region and barrier. A region of a hot team writes only the fields that have
	 * changed, so that the cache line stays where it is. */
	_Alignas(64) unsigned size;
	unsigned level;	       /* omp_get_level() of the members */
	unsigned active_level; /* omp_get_active_level() of the members */
	uint8_t mode;	       /* enum fg_team_mode */
	uint8_t features;      /* enum fg_feature, of this call of the region: all are below 256 */
	/* The members that may run at a time, roughly: the product of the sizes from the outermost team to this one. */
	uint16_t width;
	struct fg_icv *icv; /* the members' initial ICVs; constant while members run */
	struct fg_team *outer;
	/* struct fg_task_pool: tasks, reductions, cancellation (tasks/pool.h). The first need makes it. */
	struct fg_atomic_ptr tasks;
	/* The ring of FG_TEAM_SHARES worksharing constructs. The first use makes it, and the team keeps it
	 * (share/workshare.h). */
	struct fg_atomic_ptr shares;
	/* The history of the region, or NULL (hints/history.h). This field and the next hold only while fg_clock_on. */
	struct fg_load_history *learnt;
	struct fg_time *times; /* CPU time of the members, by number; NULL: not counted */

	/* Of the region: members of a docked team get fn and data with the fork's line. For a race detector in the
	 * program, the addresses of the two also name the fork and the join. The addresses of arrived and phase name
	 * every other barrier. */
	_Alignas(64) void (*fn)(void *);
	void *data;
	unsigned proc_bind; /* clause of the construct, 0 none */
	struct fg_team *free_next;
	struct fg_atomic_ptr tasks_free; /* an empty pool for the next region */
	struct fg_thread saved;		 /* the encountering thread's state before the region */
	struct fg_identity *primary;
	/* The time of the primary thread as a member of the region around, or NULL (hints/history.c). */
	struct fg_time *met_time;
	struct fg_load_history_site *met_site; /* its site in that region's history, or NULL */
	bool clocked;			       /* met_time and met_site are set */
	uint64_t recalled; /* the digest of the areas that were recalled at the region's begin (hints/recall.h) */
	/* The team's place among the teams, and all that follows from it and `size` (region/region.c: bubble_set_kin).
	 * It is kept while neither has changed. */
	uint64_t version;	/* counts the changes, over all its regions; 0: none yet */
	uint64_t outer_version; /* the outer team's version at that time; 0: none yet */
	struct fg_icv own_icv;	/* storage behind `icv` where the region's ICVs differ from the outer ones */
	/* Places of the members, by number (places/bind.h). NULL: there is no list of places, or the team has one
	 * member. */
	struct fg_place_slot *places;
	/* The worker of each member, where members are bound and outnumber the PUs (places/bind.h). */
	uint16_t *places_slots;
	float *loads; /* loads of the members, as hinted (hints/loads.c) */
	unsigned places_size,
		/* The size and binding for which `places` was assigned. The primary thread's own slot lies after the
		 * last member's. */
		places_bind;

	struct fg_births births; /* loose teams: unborn members */
	struct fg_sums_skipped skipped;
	/* Threads of the contention group. They are counted where there is a thread limit and the team asks for more
	 * than one, else this is NULL. */
	struct fg_atomic_u32 *group_threads;
	struct fg_atomic_u32 group_count; /* the counter, in the outermost team */
	unsigned group_added;

	/* Barrier of a loose team (team/sync/barrier.c): the threads that have arrived, and the number of the phase.
	 * With cancellation: the members that stay if the region was cancelled at the last barrier with any. */
	_Alignas(64) struct fg_atomic_u64 arrived;
	struct fg_atomic_u32 phase;
	unsigned stayed;

	struct fg_atomic_u64 singles; /* number of single constructs that some member has taken */

	/* Cancellation (sync/cancel.c): the number of the barrier at which the region was cancelled, and that at the
	 * end of the construct that was cancelled last; 0: none. All members read them, and they are seldom written. */
	_Alignas(64) struct fg_atomic_u64 cancelled;
	struct fg_atomic_u64 share_cancelled;
	struct fg_atomic_u64 stay; /* the members that stay in a cancelled region (sync/stay.c); 0: none yet */

	_Alignas(64) struct fg_spinlock shares_lock; /* guards set-up of a construct and the next two */
	struct fg_workshare *overflow;		     /* constructs for which the ring had no room */
	/* Number of the last construct set up; 0: none in this region. */
	uint64_t shares_top;
	struct fg_atomic_ptr copyprivate; /* the executor's data (fg_single_copy_end) */
	/* The groups of a large loose team (sync/arrivals.h). The first region that needs them makes them. */
	struct fg_arrivals *arrivals;
};
