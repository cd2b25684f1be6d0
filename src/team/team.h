/* Team: the members of one parallel region and what they share (floor: team; made by region/region.c, used by every construct). */
#pragma once
#include "base/atomic.h"
#include "base/spinlock.h"
#include "exec/thread/identity.h"
#include "exec/nested/birth.h"
#include "team/env/icv.h"

/* A worksharing construct (loop, sections, single copyprivate ...) in flight: share/workshare.h. */
#define FG_TEAM_SHARES 8
struct fg_load_history;
struct fg_workshare;

enum fg_team_mode {
	FG_TEAM_SERIAL, /* one member: the encountering thread */
	FG_TEAM_DOCKED, /* flat: members docked on the workers, crews (exec/loop/ring.h) */
	FG_TEAM_LOOSE,	/* nested: members born lazily by whoever gets to them (exec/nested/birth.c) */
	FG_TEAM_KERNEL, /* FGOMP_THREADS=kernel: a kernel thread each (exec/kernel/kernel_team.c) */
};

/* For what the members of a hot team read on their own PUs. */
#define STORE_CHANGE(field, value)                                                                                     \
	do {                                                                                                           \
		if ((field) != (value))                                                                                \
			(field) = (value);                                                                             \
	} while (0)

struct fg_team {
	/* Read by all members at each region and barrier: written only where it changes from one region of a hot team to the next,
	 * so that its line stays where it is. */
	_Alignas(64) unsigned size;
	unsigned level;	       /* omp_get_level() of the members */
	unsigned active_level; /* omp_get_active_level() of the members */
	uint8_t mode;	       /* enum fg_team_mode */
	bool display_affinity; /* each member is to print its line */
	uint16_t width; /* members that may run at a time, about: the product of the sizes from the outermost team to this one */
	struct fg_icv *icv; /* the members' initial ICVs; never written while members run */
	struct fg_team *outer;
	struct fg_atomic_ptr
		tasks; /* struct fg_task_pool: tasks, reductions, cancellation (tasks/pool.h); made at first need */
	struct fg_atomic_ptr
		shares; /* ring of FG_TEAM_SHARES worksharing constructs, made at first use and kept (share/workshare.h) */
	struct fg_load_history *
		learnt; /* what is known of the region, or NULL (hints/history.h): this and the next only while fg_clock_on */
	struct fg_time *times; /* what its members use is counted, by number; NULL: it is not */

	/* Of the region: members of a docked team get fn and data with the fork's line. (The addresses of the two also name the fork
	 * and the join for a race detector in the program, those of arrived and phase every other barrier.) */
	_Alignas(64) void (*fn)(void *);
	void *data;
	unsigned proc_bind; /* clause of the construct, 0 none */
	struct fg_team *spare_next;
	struct fg_atomic_ptr tasks_kept; /* an empty pool for the next region */
	struct fg_thread saved;		 /* what the encountering thread was before */
	struct fg_identity *primary;
	struct fg_time *met_time; /* of the primary thread, as a member of the region around, or NULL (hints/history.c) */
	struct fg_load_history_seat *met_seat; /* and what it meets there, or NULL */
	bool clocked;			       /* these two are set */
	/* Where it is among the teams, what follows from that and `size` (region/region.c: settle), is kept while neither has changed. */
	uint64_t lineage;	/* counts the changes, over all its regions; 0: none yet */
	uint64_t outer_lineage; /* of the team around it then; 0: to be settled */
	struct fg_icv own_icv;	/* storage behind `icv` where the region's ICVs differ from the outer ones */
	struct fg_place_slot
		*places;	/* of the members, by number (places/bind.h); NULL: no list of places, or team of one */
	uint16_t *places_slots; /* the worker of each member where they are bound and outnumber the PUs (places/bind.h) */
	float *loads;		/* of the members, as hinted (hints/loads.c) */
	unsigned places_size,
		places_bind; /* what they were assigned for; the primary thread's own slot lies behind the last */

	struct fg_births births; /* loose teams: unborn members */
	struct fg_atomic_u32
		*group_threads; /* threads of the contention group, counted where a thread limit is set; else NULL */
	struct fg_atomic_u32 group_count; /* the counter, in the outermost team */
	unsigned group_added;

	/* Barrier of a loose team (team/sync/barrier.c): threads that arrived, and the number of the phase. */
	_Alignas(64) struct fg_atomic_u32 arrived;
	struct fg_atomic_u32 phase;

	struct fg_atomic_u64 singles; /* single constructs already taken by somebody */

	_Alignas(64) struct fg_spinlock shares_lock; /* guards set-up of a construct and the next two */
	struct fg_workshare *overflow;		     /* constructs for which the ring had no room */
	uint64_t shares_top;			     /* number of the last construct set up; 0: none in this region */
	struct fg_atomic_ptr copyprivate;	     /* single_copy_start */
};
