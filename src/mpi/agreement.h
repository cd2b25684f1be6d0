/* Agreement: do all ranks run with this object? (floor: mpi; called by collective.c, and by the program in MPI_Init)
 *
 * A collective call that blocks does not match one that does not. So either all ranks replace them, or none does. A
 * rank leaves a mark before MPI_Init, and looks for the marks of the other ranks of its node after it. No rank comes
 * out of MPI_Init before all have gone in, so a mark that is missing then is that of a rank without the object. */
#pragma once
#include <stdbool.h>

/* Written in MPI_Init only. */
extern bool fg_mpi_all_have_it __attribute__((visibility("hidden")));

static inline bool
fg_mpi_agreed(void)
{
	return fg_mpi_all_have_it;
}
