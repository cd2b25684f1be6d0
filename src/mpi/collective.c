/* Collective: the collective calls (floor: mpi; called by the program).
 *
 * Each is there under both of its names, MPI_X and PMPI_X. So it also serves Fortran and tools: Open MPI's Fortran
 * calls PMPI_X, MPICH's calls MPI_X, and a tool that wraps MPI_X calls PMPI_X. Handles need no conversion. */
#include "mpi/agreement.h"
#include "mpi/call.h"
#include "mpi/pause.h"

/* The request is complete when it returns. */
static int
wait_for(MPI_Request *request)
{
	struct fg_mpi_wait wait = {0};
	int done = 0, error;
	while ((error = PMPI_Test(request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !done)
		fg_mpi_pause(&wait);
	fg_mpi_wait_ends(&wait);
	return error;
}

/* A communicator between two groups may connect two jobs, and the other one may be without this object. */
static bool
waits_here(MPI_Comm comm)
{
	int between = 0, size = 0;
	return fg_mpi_agreed() && comm != MPI_COMM_NULL && PMPI_Comm_test_inter(comm, &between) == MPI_SUCCESS &&
	       !between && PMPI_Comm_size(comm, &size) == MPI_SUCCESS && size > 1;
}

#define COLLECTIVE(Name, name, parameters, ...)                                                                        \
	CALL(LARGE(Name), parameters)                                                                                  \
	{                                                                                                              \
		MPI_Request request;                                                                                   \
		if (!waits_here(comm))                                                                                 \
			return PLAIN(LARGE(Name), parameters)(__VA_ARGS__);                                            \
		int error = START(LARGE(name))(__VA_ARGS__, &request);                                                 \
		return error == MPI_SUCCESS ? wait_for(&request) : error;                                              \
	}

#define LARGE(name) name
#define COUNT int
#define PLACE int
COLLECTIVE(Barrier, barrier, (MPI_Comm comm), comm)
#include "mpi/table.h"
#undef LARGE
#undef COUNT
#undef PLACE

#if MPI_VERSION >= 4
#define LARGE(name) name##_c
#define COUNT MPI_Count
#define PLACE MPI_Aint
#include "mpi/table.h"
#endif
