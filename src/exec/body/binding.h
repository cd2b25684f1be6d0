/* Binding: the kernel thread that carries a thread with a place is bound to that place (floor: exec; called where a
 * suspended thread is switched to, by chores.c, spare.c and process_fork.c, by places/bind.c and region/member.c of
 * team, and by libc/children.c).
 *
 * The caller is the worker's owner, inside the runtime. It may be in the preemption handler, or hold a bucket of the
 * parking lot. Only fg_binding_lead acts on another kernel thread, a spare that sleeps: the monitor may call it, too.
 * No function here allocates, or waits for another thread. */
#pragma once
#include "base/atomic.h"
#include "machine/cpuset.h"

struct fg_identity;
struct fg_worker;

/* Invariant: while a thread with a place runs, the kernel thread that carries it is bound to that place. So a thread
 * that takes a suspended thread to switch to it binds the worker first (fg_worker_bind, look.h). Two kinds of thread
 * need no binding. A free donor binds with the member that it brings to life. The members of one crew share one place
 * (fg_places_slots). */
void fg_binding_change(struct fg_worker *worker, unsigned place);
/* The caller may have been given another place: its worker's kernel thread is bound to that. */
void fg_binding_follow(struct fg_identity *self);
/* The place to which the caller's kernel thread is bound, + 1; 0: to none by the runtime. Any thread with a worker may
 * ask, inside or outside. */
unsigned fg_binding_place(const struct fg_identity *self);
/* The mask that this kernel thread has for the program, while it has a place. */
struct fg_cpuset *fg_binding_program(const struct fg_identity *self);
/* The caller, if the runtime may have bound its kernel thread; else NULL. Threads of the program have places, but no
 * seats. Any thread may ask. */
struct fg_identity *fg_binding_self(void);

/* The caller's kernel thread has the program's mask: until its worker sits down again, or is bound anew at the next
 * switch or region. */
void fg_binding_leave(struct fg_worker *worker);
/* PUs have come back since the kernel thread was bound (fg_all_workers.returns). So the owner binds it anew. */
void fg_binding_renew(struct fg_worker *worker);
/* A kernel thread that sleeps is about to carry this worker of the pool. The kernel could wake it on the caller's PU,
 * where the caller may spin. So it is bound to the PU of the worker's leaf, if that is one of these. It must bind
 * itself anew. */
void fg_binding_lead(int tid, struct fg_worker *worker, const struct fg_cpuset *granted);
/* The caller's worker has found that it shares its PU. The kernel may have put two of our workers on one PU. It sees
 * that they take turns there, and leaves them. So a worker of the pool that is on another PU than its leaf's goes to
 * its own. One that is on its own PU calls on those of the pool that are there too, and they go. If the root of its
 * team is there, it goes to the root's PU: a root stays where it is, because the program sets its mask. */
void fg_binding_part(struct fg_worker *worker);
/* Where no kernel thread can have a seat, the kernel may take a worker of the pool to another NUMA node than its
 * leaf's. Then the worker goes to its own PU, and may leave it again. */
void fg_binding_return(struct fg_worker *worker);
extern struct fg_binding {
	struct fg_atomic_u32 called_off; /* the PU of the last call */
	struct fg_atomic_u32 calls;	 /* counts them */
	/* Up to this time a worker may share its maker's PU, because it was started just now. Threads that wait must
	 * not keep it from its start. */
	struct fg_atomic_u64 crowded_until;
} fg_binding __attribute__((visibility("hidden")));
/* If the caller's kernel thread is a root's, and other programs are active, it tells where it is. Where it has left the
 * set of the process (share/own_set.h), it goes there, and may leave again. The worker may ride. */
void fg_binding_join_set(struct fg_worker *worker);
/* Reads the mask of the worker's kernel thread. False: it is not known, because the kernel thread is on its way to a
 * PU, and has a mask of that PU alone for some microseconds. Any thread may ask. The worker does not ride. */
bool fg_binding_mask(struct fg_worker *worker, struct fg_cpuset *mask);
/* A root's worker tells where it is. */
void fg_binding_tell(struct fg_worker *worker);
/* A worker calls this for itself, now and then where it waits. */
void fg_binding_keep(struct fg_worker *worker);
