/* Own set: the PUs that this process has chosen among those of the user's programs (floor: share; called by share.c,
 * levels.c, dock_setup.c, grant.c, seat.c, binding.c and unit tests).
 *
 * There is a set while other programs are active, and this one has fewer PUs than alone, on a machine with several
 * domains: NUMA nodes or L3 caches. It is chosen by the enhanced choice (set.h) from the share of the process and the
 * sets of the others, and told to them. Workers of the pool whose own PU lies in it keep their kernel threads. They are
 * bound to it as a group. It binds no root: a root has its seat on the set's first node then, instead of that of its
 * leaf, and goes to the set's PUs, which it may leave.
 *
 * A set that is too small for the share, because others have the rest, is told and binds nobody.
 *
 * The thread that looks (grant/grant.c) writes, one at a time. Owners of workers read the words at any time, and may
 * see those of two sets.
 *
 *     Invariant: a worker that has read a word of a former set finds that `returns` (thread/all_workers.h) has another
 *     value than its own, and sits down anew.
 *
 * Proof. The thread that looks writes the words, and then raises `returns` (release). A worker reads `returns`
 * (acquire) before the words, and keeps what it read. If it has read the count that was raised after a set, it sees the
 * words of that set or of a later one. */
#pragma once
#include <stdbool.h>

#include "machine/cpuset.h"
#include "machine/machine.h"
#include "share/board.h"

extern struct fg_own_set {
	bool on;			   /* the process shares its PUs; written before there are other threads */
	struct fg_atomic_ptr machine;	   /* NULL: it has one domain, or its levels are not known */
	struct fg_atomic_u32 pus;	   /* in the set; 0: there is none, or it binds nobody */
	struct fg_atomic_u32 wants_levels; /* the machine may have several domains, so its levels must be read */
	struct fg_atomic_u32 company;	   /* others are active, or were just now */
	struct fg_atomic_u32 own_pu; /* the PU where the root belongs, by the kernel's number; valid while pus != 0 */
	struct fg_atomic_u64 cpus[FG_BOARD_PUS / 64];
	uint32_t changes; /* of these words, for the thread that looks */
} fg_own_set __attribute__((visibility("hidden")));

/* The levels are known. True: the machine has several domains, and this file keeps it from now on. */
bool fg_own_set_keep(const struct fg_machine *machine);
/* The process has joined the board. others: other programs may be active. The caller is outside the runtime. */
void fg_own_set_join(bool others);

struct fg_own_request {
	unsigned granted; /* PUs, by the shares of all */
	int root;	  /* where the root is, by the kernel's numbers; below 0: it is not known */
	const struct fg_cpuset *cpus;
};
/* A look in a region while others are active. Returns how many PUs the process uses. */
unsigned fg_own_set_look(struct fg_board *board, unsigned entry, uint64_t now, const struct fg_own_request *request);
/* The process may use all PUs, perhaps for a moment only, because a stamp of another program is late. The set binds
 * nobody, and is told as before. */
void fg_own_set_pause(void);
/* The others have gone, or the process is in no region. It has no set. The next one will be where this one was, if
 * nobody is there then. */
void fg_own_set_forget(struct fg_board *board, unsigned entry);
void fg_own_set_after_fork(void);

/* A set binds workers now. */
static inline bool
fg_own_set_binds(void)
{
	return fg_load_relaxed(&fg_own_set.pus) != 0;
}
static inline bool
fg_own_set_has(unsigned cpu)
{
	return cpu < FG_BOARD_PUS && (fg_load_relaxed(&fg_own_set.cpus[cpu / 64]) >> cpu % 64 & 1);
}
/* Takes PUs from `cpus` that are not in the set. */
void fg_own_set_narrow(struct fg_cpuset *cpus);
