/* Starving: what a worker does that can neither switch nor get a donor (floor: exec; called by loop.c).
 *
 * The system gives no more threads, and all that there are stand on something. Each may come back at any time; but if
 * members have to be born for that, the region cannot end. */
#pragma once
#include "exec/thread/worker.h"

/* Sleeps for a millisecond; ends the program when members have waited in vain for seconds to be born here. */
void fg_starve(struct fg_worker *worker);
