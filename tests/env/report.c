/* Prints the ICVs that the environment gave, for comparison between two runtimes. Arguments: nothing, or
 *   format TEXT...   captures each TEXT as an affinity format
 *   set              calls the routines that write ICVs and prints the ICVs after each
 *   display          calls omp_display_env(1) after some of them
 *   members N BIND   prints where the members of a region of N are bound, and those of a nested region of 2; BIND as
 *                    proc_bind: 0 none, 2 primary, 3 close, 4 spread
 *   regions N...     opens regions of these sizes one after the other (for OMP_DISPLAY_AFFINITY) */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
print_place(int place)
{
	int count = omp_get_place_num_procs(place);
	int *ids = calloc((size_t)count + 1, sizeof *ids);
	omp_get_place_proc_ids(place, ids);
	printf("place %d:", place);
	for (int i = 0; i < count; i++)
		printf(" %d", ids[i]);
	printf("\n");
	free(ids);
}

static void
print_partition(void)
{
	int count = omp_get_partition_num_places();
	int *places = calloc((size_t)count + 1, sizeof *places);
	omp_get_partition_place_nums(places);
	printf("at %d of", omp_get_place_num());
	for (int i = 0; i < count; i++)
		printf(" %d", places[i]);
	printf("\n");
	free(places);
}

static void
print_all(void)
{
	omp_sched_t kind;
	int chunk;
	char format[4096];
	omp_get_schedule(&kind, &chunk);
	printf("threads %d procs %d dynamic %d nested %d levels %d limit %d\n", omp_get_max_threads(),
	       omp_get_num_procs(), omp_get_dynamic(), omp_get_nested(), omp_get_max_active_levels(),
	       omp_get_thread_limit());
	printf("schedule %x,%d bind %d cancellation %d teams %d,%d priority %d device %d\n", (unsigned)kind, chunk,
	       (int)omp_get_proc_bind(), omp_get_cancellation(), omp_get_max_teams(), omp_get_teams_thread_limit(),
	       omp_get_max_task_priority(), omp_get_default_device());
	size_t length = omp_get_affinity_format(format, sizeof format);
	printf("format %zu %s\n", length, format);
	printf("places %d\n", omp_get_num_places());
	for (int place = -1; place <= omp_get_num_places() && place < 40; place++)
		print_place(place);
	print_partition();
	printf("levels %d %d %d, thread %d of %d, in parallel %d, league %d of %d\n", omp_get_level(),
	       omp_get_active_level(), omp_get_supported_active_levels(), omp_get_thread_num(), omp_get_num_threads(),
	       omp_in_parallel(), omp_get_team_num(), omp_get_num_teams());
	for (int level = -1; level < 3; level++)
		printf("level %d: thread %d of %d\n", level, omp_get_ancestor_thread_num(level),
		       omp_get_team_size(level));
	fflush(stdout);
}

static void
write_all(void)
{
	static const int values[] = {3, 0, -1, 1, 300, 2147483647, -2147483647 - 1};
	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		int value = values[i];
		omp_set_num_threads(value);
		omp_set_dynamic(value);
		omp_set_max_active_levels(value);
		omp_set_num_teams(value);
		omp_set_teams_thread_limit(value);
		omp_set_schedule((omp_sched_t)i, value);
		if (value >= 0) /* later versions take -1 for the host */
			omp_set_default_device(value);
		print_all();
		omp_set_schedule((omp_sched_t)(i | 0x80000000u), value);
		omp_set_nested(value);
		print_all();
		omp_set_nested(!value);
		print_all();
	}
}

/* Is the kernel thread bound inside the caller's place? (Outside of active regions the runtimes differ.) */
static const char *
bound(void)
{
	cpu_set_t mask;
	int place = omp_get_place_num(), inside = 0;
	if (!omp_in_parallel())
		return "or not";
	if (place < 0 || sched_getaffinity(0, sizeof mask, &mask) != 0)
		return "unbound";
	int count = omp_get_place_num_procs(place);
	int *ids = calloc((size_t)count + 1, sizeof *ids);
	omp_get_place_proc_ids(place, ids);
	for (int i = 0; i < count; i++)
		inside += CPU_ISSET(ids[i], &mask) != 0;
	free(ids);
	return inside && inside == CPU_COUNT(&mask) ? "inside" : "outside";
}

/* Lines of the members, in the order of their numbers. */
static void
print_members(int count, int bind)
{
#define REGION(clause)                                                                                                 \
	_Pragma(clause) for (int turn = 0; turn < omp_get_num_threads(); turn++)                                       \
	{                                                                                                              \
		if (turn == omp_get_thread_num()) {                                                                    \
			printf("%d/%d %d: ", omp_get_thread_num(), omp_get_num_threads(), omp_get_max_threads());      \
			print_partition();                                                                             \
			printf("  bound %s\n", bound());                                                               \
			_Pragma("omp parallel num_threads(2)") for (int inner = 0; inner < omp_get_num_threads();      \
								    inner++)                                           \
			{                                                                                              \
				if (inner == omp_get_thread_num()) {                                                   \
					printf("  %d/%d %d level %d bind %d: ", inner, omp_get_num_threads(),          \
					       omp_get_ancestor_thread_num(1), omp_get_level(),                        \
					       (int)omp_get_proc_bind());                                              \
					print_partition();                                                             \
				}                                                                                      \
				_Pragma("omp barrier")                                                                 \
			}                                                                                              \
		}                                                                                                      \
		_Pragma("omp barrier")                                                                                 \
	}
	switch (bind) {
	case 0:
		REGION("omp parallel num_threads(count)")
		break;
	case 2:
		REGION("omp parallel num_threads(count) proc_bind(primary)")
		break;
	case 3:
		REGION("omp parallel num_threads(count) proc_bind(close)")
		break;
	case 4:
		REGION("omp parallel num_threads(count) proc_bind(spread)")
		break;
	}
}

int
main(int count, char **words)
{
	const char *what = count > 1 ? words[1] : "";
	print_all();
	if (strcmp(what, "set") == 0)
		write_all();
	if (strcmp(what, "display") == 0) {
		omp_set_num_threads(7);
		omp_set_num_teams(5);
		omp_set_affinity_format("%n");
		omp_display_env(1);
		omp_display_env(0);
	}
	for (int i = 2; i < count && strcmp(what, "format") == 0; i++) {
		char text[24];
		printf("%zu", omp_capture_affinity(text, sizeof text, words[i]));
		printf(" <%s>\n", text);
		fflush(stdout);
		omp_display_affinity(words[i]);
	}
	if (strcmp(what, "members") == 0 && count > 3)
		print_members(atoi(words[2]), atoi(words[3]));
	for (int i = 2; i < count && strcmp(what, "regions") == 0; i++) {
#pragma omp parallel num_threads(atoi(words[i]))
		{
#pragma omp barrier
		}
		printf("region %s\n", words[i]);
		fflush(stdout);
	}
	return 0;
}
