/* Starving: a worker can neither switch nor get a donor (floor: exec; called by loop.c).
 *
 * The system gives no more threads, and each donor that exists has a suspended thread on its stack. Each may come back
 * at any time. But if this needs members to be born first, the region cannot end.
 *
 * The caller is the worker's own thread, inside the runtime, without a lock and in no signal handler. These functions
 * write only the worker's `starved`, and read other workers as hints. */
#pragma once

struct fg_worker;

/* The worker has no donor. Sleeps for a millisecond. Ends the program if members wait to be born here, none was born
 * for a while, and all threads have waited meanwhile. If other threads run, the while is seconds. */
void fg_starve(struct fg_worker *worker);
