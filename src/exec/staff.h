/* Staff: the workers there are besides those of roots, each with a kernel thread of its own, by slot (floor: exec; called by dock.c). */
#pragma once
#include "exec/root.h"

struct fg_staff {
	_Alignas(128) struct fg_worker **slot; /* [0]: that of the root that has the dock */
	unsigned n_slots; /* workers there are, the root's included; those that have ended lie behind */
};
extern struct fg_staff fg_staff;

/* Before anything else; false: out of memory. Workers begin in main(worker), having seen all forks that *epoch tells of. */
bool fg_staff_begin(void (*main)(void *worker), struct fg_atomic_u64 *epoch);
/* Around grow, sit, and whatever they rest on. */
void fg_staff_lock(void);
void fg_staff_unlock(void);
/* So many slots; false: the system gives no more. */
bool fg_staff_grow(unsigned slots);
/* The workers that take no part in the root's teams sit on PUs that are left: no two share one. */
void fg_staff_sit(const struct fg_root *root, unsigned slots);
/* A nested region comes: PUs that no flat team has had a member for get their workers. The caller may be preempted meanwhile. */
void fg_staff_fill(struct fg_identity *self, const struct fg_root *root);
/* All have ended: waits for the end of their kernel threads. */
void fg_staff_clear(void);
/* The worker of a slot other than 0. */
static inline struct fg_worker *
fg_staff_worker(unsigned slot)
{
	return fg_staff.slot[slot];
}
/* In the child of a fork. */
void fg_staff_after_fork(void);
