/* Pause: a rank that waits in MPI leaves its PU to others, the longer the more (floor: mpi; called by collective.c and
 * point.c).
 *
 * The caller tests its request, and pauses where the test says no. At first a pause is an instruction, so short waits
 * end as early as MPI's own. Then the thread yields. Then it sleeps, each time for a small part of what it has waited
 * already. So the end of a wait is seen late by that part at most, and a long wait costs hardly any CPU time.
 *
 * After a millisecond the runtime hears of the wait, so that programs that share the machine use this one's PUs. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Of one blocking call: it begins with all zeros. The thread that waits has it on its stack. */
struct fg_mpi_wait {
	uint64_t begun; /* ns; 0: no test has failed yet */
	bool told;	/* the runtime knows that this thread waits */
};

/* A test has failed. */
void fg_mpi_pause(struct fg_mpi_wait *wait) __attribute__((visibility("hidden")));
void fg_mpi_tell_end(void) __attribute__((visibility("hidden")));
/* The wait is over. */
static inline void
fg_mpi_wait_ends(const struct fg_mpi_wait *wait)
{
	if (wait->told)
		fg_mpi_tell_end();
}
