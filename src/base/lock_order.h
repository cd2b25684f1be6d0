/* The order of the runtime's spin locks (floor: base; used by spinlock.h, and where a thread leaves the runtime or
 * switches). A thread takes only locks of higher rank than it holds, or of the same rank in an order of their own. So
 * no circle of threads can wait for each other. A thread holds none when it goes back to the program's code, sleeps for
 * another thread or switches. The code after that may do anything, and a lock's holder must be back in some 100 ns.
 *
 * It is checked where assert is (-Db_ndebug=false); no code of it is left elsewhere. The locks held are known for each
 * identity, in its thread-local storage. The current context passes a lock that the next one must free on to it by name
 * (fg_spinlock_pass). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* In the order in which they are taken. The text says what the lock guards, the comment why it has this place. */
#define FG_LOCK_RANKS(X)                                                                                               \
	X(NONE, "none: not initialised")                                                                               \
	X(SHARES, "a team's worksharing constructs")		 /* setting one up may do anything but wait */         \
	X(PARK, "a bucket of the parking lot")			 /* held until the waiter is saved, over all below */  \
	X(TASKS, "a team's tasks")				 /* a waiter looks there last, under its bucket */     \
	X(INBOX, "a worker's inbox")				 /* here and below: a parked thread searches them */   \
	X(LIVE, "the tree of live bubbles")			 /* policies move what they find there */              \
	X(FETCH, "what the PUs of a cache fetch")		 /* from a runqueue */                                 \
	X(RUNQUEUE, "a runqueue")				 /* one at a time; or a level, then those below it */  \
	X(MACHINE, "the making of the machine's runqueues")	 /* here and below: no lock is taken under it */       \
	X(AREAS, "areas of memory and what is attached to them") /* policies ask under a runqueue's lock */            \
	X(MOVES, "the moves of memory in the background")                                                              \
	X(POOL, "a pool of identities or of kernel threads")                                                           \
	X(NOTES, "the blocks noted for Fortran code")                                                                  \
	X(SHELVES, "small blocks of allocators")                                                                       \
	X(MEMORY, "a shard of the runtime's memory") /* here and below: under any lock of the caller */                \
	X(SEGMENTS, "pieces of memory from the system")

enum fg_lock_rank {
#define FG_LOCK_RANK(name, text) FG_RANK_##name,
	FG_LOCK_RANKS(FG_LOCK_RANK)
#undef FG_LOCK_RANK
};

/* Each returns true, or prints on the standard error what is wrong: for use in an assert. */
bool fg_lock_order_take(const void *lock, enum fg_lock_rank rank, uint64_t order); /* the caller will wait for it */
/* The caller has it, without a wait. */
bool fg_lock_order_have(const void *lock, enum fg_lock_rank rank, uint64_t order);
bool fg_lock_order_free(const void *lock, enum fg_lock_rank rank, uint64_t order);
bool fg_lock_order_pass(const void *lock);	/* the context of the next switch has it from then on */
bool fg_lock_order_take_back(const void *lock); /* it did not switch, and goes on with the lock */
bool fg_lock_order_switch(void);		/* none is held but those passed on */
bool fg_lock_order_none(const char *where);
/* The caller holds it: for functions that are called under a lock. */
bool fg_lock_order_holds(const void *lock, enum fg_lock_rank rank, uint64_t order);
