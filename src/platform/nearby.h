/* Nearby: the PU on which a new pthread begins, beside its maker or not (floor: platform; called by exec/identity.c and exec/carrier/live.c).
 *
 * One whose maker is about to sleep until it has begun belongs on the maker's PU. The kernel puts a new thread where it sees the least load. Where all PUs are busy that is often behind a thread that computes, and there the
 * new one waits for a slice of that one, one to four milliseconds. The maker's own PU is free as soon as the maker sleeps. */
#pragma once
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define FG_NEARBY_WORDS 64 /* PUs up to 4096 */

struct fg_nearby {
	size_t size; /* of the mask in bytes; 0: nothing was changed */
	uint64_t mask[FG_NEARBY_WORDS];
};

/* Until it is let go the thread runs on the caller's PU only. Where the kernel refuses, nothing happens. */
void fg_nearby_pull(struct fg_nearby *nearby, pthread_t thread);
/* The thread may run where the caller could when it made the thread. */
void fg_nearby_let_go(const struct fg_nearby *nearby, pthread_t thread);

/* One whose maker goes on does not belong there. The kernel often puts it there all the same, and leaves both on one PU for up to 20
 * milliseconds, with others idle. Where it waits for the caller's PU it goes to another that it may use. */
void fg_nearby_push(pthread_t thread);
