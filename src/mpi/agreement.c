/* Agreement (floor: mpi): see agreement.h. */
#include "mpi/agreement.h"
#include "mpi/call.h"
#include "mpi/mark.h"

#include <stdio.h>

bool fg_mpi_all_have_it;

static bool marked; /* others see that this process has the object */

/* The first place whose rank has the object, or has it not; n: there is none. */
static unsigned
first(bool wanted, unsigned own, unsigned n)
{
	unsigned place = 0;
	while (place < n && (place == own ? marked : fg_mpi_mark_is_there(place)) != wanted)
		place++;
	return place;
}

/* Ranks on other nodes cannot know, and would wait for ever. */
static void
agree(unsigned own, unsigned n)
{
	int size = 0;
	unsigned without = first(false, own, n);
	fg_mpi_all_have_it = without == n;
	if (fg_mpi_all_have_it || PMPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS)
		return;
	bool elsewhere = (unsigned)size > n;
	if (own == first(true, own, n))
		fprintf(stderr, "forestgomp: rank %u of this node runs without `forestgomp run --mpi`: %s\n", without,
			elsewhere ? "the job ends, because ranks of other nodes may have it"
				  : "collective calls wait as without it");
	if (elsewhere)
		PMPI_Abort(MPI_COMM_WORLD, 1);
}

/* Begins MPI. A launcher that does not tell gives all ranks the same environment, we assume. */
static int
begin(int (*start)(int *, char ***, int, int *), int *argc, char ***argv, int level, int *got)
{
	unsigned own, n;
	bool placed = fg_mpi_place(&own, &n);
	if (placed)
		marked = fg_mpi_mark_leave(own);
	int error = start(argc, argv, level, got);
	if (error != MPI_SUCCESS)
		return error;
	if (placed)
		agree(own, n);
	else
		fg_mpi_all_have_it = true;
	return MPI_SUCCESS;
}

static int
start_plain(int *argc, char ***argv, int level, int *got)
{
	return PLAIN(Init, (int *, char ***))(argc, argv);
}

static int
start_level(int *argc, char ***argv, int level, int *got)
{
	return PLAIN(Init_thread, (int *, char ***, int, int *))(argc, argv, level, got);
}

CALL(Init, (int *argc, char ***argv))
{
	return begin(start_plain, argc, argv, MPI_THREAD_SINGLE, NULL);
}

CALL(Init_thread, (int *argc, char ***argv, int level, int *got))
{
	return begin(start_level, argc, argv, level, got);
}
