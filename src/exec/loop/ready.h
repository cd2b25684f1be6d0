/* Ready: a suspended thread may run again (floor: exec; called by loop.c, park.c, flat/lend.c, nested/birth.c,
 * relief/spare.c and move, on any thread). */
#pragma once

struct fg_identity;
struct fg_worker;

/* Makes a suspended thread ready: on its own worker if it is pinned, else where it was, or where a policy wants it. It
 * wakes a worker for it. The thread is saved, and nothing else makes it ready. */
void fg_worker_ready(struct fg_identity *thread);
