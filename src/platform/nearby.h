/* Nearby: a new pthread begins on the PU of its maker, which will sleep until it has begun (floor: platform; called by
 * exec/donor/donor.c, exec/body/binding.c and exec/pool/workers.c).
 *
 * The kernel puts a new thread where it sees the least load. Where all PUs are busy, that is often behind a thread that
 * computes. There the new one waits for a slice of that thread, one to four milliseconds. The maker's own PU is free as
 * soon as the maker sleeps.
 *
 * These are system calls, and nothing is kept. While a mask is changed here, its kernel thread is new or is the caller,
 * so no other file changes it. */
#pragma once
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define FG_NEARBY_WORDS 64 /* PUs up to 4096 */

struct fg_nearby {
	size_t size; /* of the mask in bytes; 0: nothing was changed */
	uint64_t mask[FG_NEARBY_WORDS];
};

/* Until it is let go, the thread runs on the caller's PU only. Where the kernel refuses, nothing happens. */
void fg_nearby_pull(struct fg_nearby *nearby, pthread_t thread);
/* The thread may run where the caller could when it made the thread. */
void fg_nearby_let_go(const struct fg_nearby *nearby, pthread_t thread);

/* If the maker goes on, the new thread does not belong on the maker's PU. Where it sleeps and may use that PU, it wakes
 * on another. */
struct fg_nearby_kept {
	unsigned pu;   /* the maker's */
	unsigned left; /* how many PUs it may use then; 0: nothing was changed */
};
struct fg_nearby_kept fg_nearby_keep_off(int tid);
/* The caller may use that PU again, unless its mask has changed since. */
void fg_nearby_let_back(struct fg_nearby_kept kept);

/* The PU of the caller; -1: it is not known. */
int fg_nearby_here(void);
/* The caller goes to this PU, if its mask allows that. Its mask is the same afterwards, so the kernel may move it
 * again. `like`: another kernel thread, whose mask a user would change together with the caller's; 0: none is known. */
void fg_nearby_go_to(unsigned cpu, int like);
