/* Places by name on machines made of files: 2 sockets with 2 cores of 2 hardware threads, numbered as Linux does on PCs
 * (CPU 0 and CPU 4 are one core), a cache for each core pair, 2 NUMA nodes that are not the sockets. */
#include "team/places/list.h"
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char root[] = "/tmp/fg-places-XXXXXX";

/* Writes a file below the root, with the folders on its way. */
static void
put(const char *text, const char *format, ...)
{
	char path[256];
	size_t length = (size_t)snprintf(path, sizeof path, "%s/", root);
	va_list args;
	va_start(args, format);
	vsnprintf(path + length, sizeof path - length, format, args);
	va_end(args);
	for (char *slash = strchr(path + length, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	fclose(file);
}

static int
machine(void **state)
{
	if (!mkdtemp(root))
		return -1;
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		char core[16];
		snprintf(core, sizeof core, "%u,%u", cpu % 4, cpu % 4 + 4);
		put(core, "cpu/cpu%u/topology/thread_siblings_list", cpu);
		put(cpu % 4 < 2 ? "0-1,4-5" : "2-3,6-7", "cpu/cpu%u/topology/core_siblings_list", cpu);
		put("1", "cpu/cpu%u/cache/index0/level", cpu);
		put(core, "cpu/cpu%u/cache/index0/shared_cpu_list", cpu);
		put("3", "cpu/cpu%u/cache/index1/level", cpu);
		put(cpu % 2 ? "1,3,5,7" : "0,2,4,6", "cpu/cpu%u/cache/index1/shared_cpu_list", cpu);
	}
	put("0-1", "node/online");
	put("4-7", "node/node0/cpulist");
	put("0-3", "node/node1/cpulist");
	fg_place_list.system = root;
	return 0;
}

static int
clean(void **state)
{
	char command[64];
	snprintf(command, sizeof command, "rm -rf %s", root);
	return system(command);
}

/* The places as "0,4 1,5". */
static void
expect(enum fg_place_kind kind, unsigned long limit, const char *text)
{
	struct fg_places places = {0};
	char got[256] = "";
	bool found = fg_places_by_kind(&places, kind, limit);
	assert_int_equal(found, *text != '\0');
	for (unsigned i = 0; i < places.count; i++)
		for (unsigned cpu = 0, first = 1; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &places.sets[i])) {
				size_t length = strlen(got);
				snprintf(got + length, sizeof got - length, "%s%u", !first ? "," : i ? " " : "", cpu);
				first = 0;
			}
	assert_string_equal(got, text);
	fg_places_free(&places);
}

static void
set_mask(const char *cpus)
{
	CPU_ZERO(&fg_place_list.start_mask);
	for (; *cpus; cpus++)
		CPU_SET((unsigned)(*cpus - '0'), &fg_place_list.start_mask);
}

static void
whole(void **state)
{
	set_mask("01234567");
	expect(FG_PLACES_THREADS, ULONG_MAX, "0 4 1 5 2 6 3 7");
	expect(FG_PLACES_CORES, ULONG_MAX, "0,4 1,5 2,6 3,7");
	expect(FG_PLACES_SOCKETS, ULONG_MAX, "0,1,4,5 2,3,6,7");
	expect(FG_PLACES_LL_CACHES, ULONG_MAX, "0,2,4,6 1,3,5,7");
	expect(FG_PLACES_NUMA_DOMAINS, ULONG_MAX, "4,5,6,7 0,1,2,3");
	expect(FG_PLACES_THREADS, 3, "0 4 1");
	expect(FG_PLACES_SOCKETS, 1, "0,1,4,5");
	expect(FG_PLACES_CORES, 0, "");
}

static void
masked(void **state)
{
	set_mask("1267");
	expect(FG_PLACES_THREADS, ULONG_MAX, "1 2 6 7");
	expect(FG_PLACES_CORES, ULONG_MAX, "1 2,6 7");
	expect(FG_PLACES_SOCKETS, ULONG_MAX, "1 2,6,7");
	expect(FG_PLACES_LL_CACHES, ULONG_MAX, "1,7 2,6");
	expect(FG_PLACES_NUMA_DOMAINS, ULONG_MAX, "6,7 1,2");
}

/* CPUs that the kernel tells nothing about. */
static void
bare(void **state)
{
	set_mask("89");
	expect(FG_PLACES_THREADS, ULONG_MAX, "8 9");
	expect(FG_PLACES_CORES, ULONG_MAX, "8 9");
	expect(FG_PLACES_SOCKETS, ULONG_MAX, "");
	expect(FG_PLACES_LL_CACHES, ULONG_MAX, "");
}

int
main(void)
{
	alarm(300);
	const struct CMUnitTest tests[] = {cmocka_unit_test(whole), cmocka_unit_test(masked), cmocka_unit_test(bare)};
	return cmocka_run_group_tests(tests, machine, clean);
}
