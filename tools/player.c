/* The player: runs a score (tools/draw/score_format.h) on the runtime. `forestgomp replay` and `topo` start it on the
 * simulated machine, where only the computing that it gives takes time. */
#include "draw/score_format.h"
#include "forestgomp.h"
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* gcc calls them for the constructs. A call needs no code of its own for each place. */
void GOMP_parallel(void (*function)(void *), void *data, unsigned members, unsigned flags);
void GOMP_barrier(void);
void GOMP_taskwait(void);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);

static const struct fg_score_head *head;
static const struct fg_score_strand *strands;
static const struct fg_score_region *regions;
static const struct fg_score_member *members;
static const struct fg_score_step *steps;
static int places_file = -1; /* `forestgomp topo` asks for the members' places */

static void meet(const struct fg_score_region *region);

static void
play(uint64_t strand)
{
	const struct fg_score_step *step = &steps[strands[strand].first], *end = step + strands[strand].n_steps;
	for (; step < end; step++)
		switch (step->kind) {
		case FG_SCORE_WORK:
			fgomp_sim_work(step->number);
			break;
		case FG_SCORE_READ:
			fgomp_sim_read((const void *)step->number, (size_t)step->lines * FG_SCORE_LINE);
			break;
		case FG_SCORE_WRITE:
			fgomp_sim_write((const void *)step->number, (size_t)step->lines * FG_SCORE_LINE);
			break;
		case FG_SCORE_BARRIER:
			GOMP_barrier();
			break;
		case FG_SCORE_REGION:
			meet(&regions[step->number]);
			break;
		case FG_SCORE_TASK: {
			uint64_t task = step->number;
#pragma omp task firstprivate(task)
			play(task);
			break;
		}
		case FG_SCORE_CHILDREN:
			GOMP_taskwait();
			break;
		case FG_SCORE_GROUP:
			GOMP_taskgroup_start();
			break;
		case FG_SCORE_GROUP_END:
			GOMP_taskgroup_end();
			break;
		}
}

/* Tells the place that OpenMP has given to the member: a line "1.3 CPU CPU ...". No line: there are no places. */
static void
tell_place(void)
{
	char line[4096];
	int place = omp_get_place_num(), n = place >= 0 ? omp_get_place_num_procs(place) : 0, ids[256];
	size_t used = 0;
	if (n < 1 || n > 256 || omp_get_proc_bind() == omp_proc_bind_false)
		return;
	for (int level = 1; level <= omp_get_level(); level++)
		used += (size_t)snprintf(line + used, 64, "%s%d", level > 1 ? "." : "",
					 omp_get_ancestor_thread_num(level));
	omp_get_place_proc_ids(place, ids);
	for (int i = 0; i < n; i++)
		used += (size_t)snprintf(line + used, 12, " %d", ids[i]);
	line[used++] = '\n';
	if (write(places_file, line, used) < 0)
		_exit(1);
}

static void
play_member(const struct fg_score_region *region)
{
	unsigned number = (unsigned)omp_get_thread_num();
	if (places_file >= 0)
		tell_place();
	if (number < region->members && members[region->first_member + number].strand != FG_SCORE_NONE)
		play(members[region->first_member + number].strand);
}

/* Policies know a region of the program by its function. So each one has its own here. */
#define FOUR(X, n) X(n##0) X(n##1) X(n##2) X(n##3)
#define SITES(X)                                                                                                       \
	FOUR(X, 00)                                                                                                    \
	FOUR(X, 01)                                                                                                    \
	FOUR(X, 02)                                                                                                    \
	FOUR(X, 03)                                                                                                    \
	FOUR(X, 10)                                                                                                    \
	FOUR(X, 11)                                                                                                    \
	FOUR(X, 12)                                                                                                    \
	FOUR(X, 13) FOUR(X, 20) FOUR(X, 21) FOUR(X, 22) FOUR(X, 23) FOUR(X, 30) FOUR(X, 31) FOUR(X, 32) FOUR(X, 33)
#define SITE(n)                                                                                                        \
	__attribute__((noinline, noclone, no_icf)) static void site_##n(void *region)                                  \
	{                                                                                                              \
		play_member(region);                                                                                   \
	}
SITES(SITE)
#define SITE_NAME(n) site_##n,
static void (*const sites[])(void *) = {SITES(SITE_NAME)};
_Static_assert(sizeof sites / sizeof *sites == FG_SCORE_SITES, "one function for each region of the program");

static void
tell_loads(const struct fg_score_region *region)
{
	double *loads = region->told == 2 ? malloc(region->members * sizeof *loads) : NULL;
	for (uint32_t k = 0; loads && k < region->members; k++)
		loads[k] = members[region->first_member + k].load;
	if (loads)
		fgomp_set_next_team_member_loads(region->members, loads);
	else
		fgomp_set_next_team_load(region->load);
	free(loads);
}

static void
meet(const struct fg_score_region *region)
{
	if (region->members == 0)
		return;
	if (region->told)
		tell_loads(region);
	GOMP_parallel(sites[region->site], (void *)region, region->members, 0);
}

/* Only `forestgomp replay` writes scores, so a wrong one is no score at all. */
static bool
open_score(const char *path)
{
	struct stat stat;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0 || fstat(file, &stat) != 0 || (size_t)stat.st_size < sizeof *head)
		return false;
	head = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (head == MAP_FAILED || memcmp(head->magic, FG_SCORE_MAGIC, sizeof head->magic) != 0)
		return false;
	strands = (const void *)(head + 1);
	regions = (const void *)(strands + head->n_strands);
	members = (const void *)(regions + head->n_regions);
	steps = (const void *)(members + head->n_members);
	return (uint64_t)stat.st_size == (uint64_t)((const char *)(steps + head->n_steps) - (const char *)head);
}

static int
own_code(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1; /* the first is the program */
}

/* A pin file knows regions by their code, so `forestgomp replay` asks for the offset of each function. */
static int
tell_sites(const char *path)
{
	uintptr_t bias = 0;
	FILE *file = fopen(path, "we");
	dl_iterate_phdr(own_code, &bias);
	for (unsigned i = 0; file && i < FG_SCORE_SITES; i++)
		fprintf(file, "%" PRIxPTR "\n", (uintptr_t)sites[i] - bias);
	return !file || fclose(file) != 0;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--sites") == 0)
		return tell_sites(argv[2]);
	if (argc == 3)
		places_file = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (argc < 2 || argc > 3 || !open_score(argv[1])) {
		fputs("forestgomp-player: `forestgomp replay` calls it with a score of its own\n", stderr);
		return 2;
	}
	omp_set_max_active_levels(INT_MAX);
	omp_set_dynamic(0);
	play(0);
	return 0;
}
