/* Four teams on a machine of four nodes of four PUs, each with data on the node behind its own: `follow ROUNDS`. The
 * thread that meets the inner regions only waits for the other three of its team, each of which goes through 256 KB. */
#include <omp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "forestgomp.h"

#pragma weak fgomp_add_next_team_area

enum { TEAMS = 4, INNER = 4, PUS = 16, PAGE = 4096, PART = 256 << 10, ALL = (INNER - 1) * PART };

int
main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10;
	char *data[TEAMS];
	for (int k = 0; k < TEAMS; k++)
		data[k] = mmap(NULL, ALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(PUS)
	if (omp_get_thread_num() % INNER == 0)
		for (int at = 0; at < ALL; at += PAGE)
			fgomp_sim_read(data[(omp_get_thread_num() / INNER + TEAMS - 1) % TEAMS] + at + PAGE - 1, 1);
#pragma omp parallel num_threads(TEAMS)
	for (int k = omp_get_thread_num(), round = 0; round < rounds; round++) {
		fgomp_add_next_team_area(data[k], ALL, FGOMP_READ);
#pragma omp parallel num_threads(INNER)
		if (omp_get_thread_num() > 0)
			fgomp_sim_read(data[k] + (omp_get_thread_num() - 1) * PART, PART);
	}
	return 0;
}
