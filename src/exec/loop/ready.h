/* Ready: a suspended thread may run again (floor: exec; called by loop.c, park.c, flat/lend.c, nested/birth.c,
 * relief/spare.c and move, on any thread). The caller is inside or has no identity, perhaps in the preemption handler
 * or in the callback of a switch. It holds no lock of rank INBOX or higher. The call changes the thread's marks, and
 * one inbox, runqueue or the list of stopped threads (move/stop.c); it neither allocates nor waits. A policy may be
 * asked (`woken`). */
#pragma once

struct fg_identity;
struct fg_worker;

/* Makes a suspended thread ready: on its own worker if it is pinned, else where it was, or where a policy wants it. It
 * wakes a worker for it. The thread is saved, and nothing else makes it ready. */
void fg_worker_ready(struct fg_identity *thread);
