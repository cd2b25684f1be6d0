/* `forestgomp run --mpi`: the object for the program's MPI, which lies beside the library (src/mpi). */
#include "command.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const known[] = {"openmpi", "mpich"};

int
run_take_mpi(const char *word, struct run_call *call)
{
	if (strncmp(word, "--mpi", 5) != 0 || (word[5] && word[5] != '='))
		return -1;
	call->mpi = true;
	if (!word[5])
		return 0;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(word + 6, known[i]) == 0) {
			call->mpi_name = known[i];
			return 0;
		}
	return complain("run", "--mpi=%s is not valid; accepted: openmpi, mpich", word + 6);
}

int
run_find_mpi(const struct run_call *call, char **object)
{
	struct program_facts facts = {0};
	if (!call->mpi || !call->program[0])
		return 0;
	char *path = program_path(call->program[0]);
	program_look(path, &facts);
	free(path);
	const char *name = call->mpi_name ? call->mpi_name : facts.mpi;
	if (!name)
		return complain("run", "--mpi: '%s' does not tell which MPI it uses; say --mpi=openmpi or --mpi=mpich",
				call->program[0]);
	if (asprintf(object, "%.*s/libforestgomp-mpi-%s.so", (int)(strrchr(call->runtime, '/') - call->runtime),
		     call->runtime, name) < 0)
		return 1;
	if (access(*object, R_OK) != 0)
		return complain("run", "--mpi: there is no %s: ForestGOMP was built where %s was not installed",
				*object, name);
	return 0;
}
