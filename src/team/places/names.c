/* Places by name: threads, cores, sockets, ll_caches, numa_domains (floor: team; called by parse.c).
 *
 * This code reads the kernel's own files, not the machine tree. It runs for a few CPUs while the library is loaded,
 * and must not make the process load a topology library. CPUs outside the mask lie in no place. Neighbours in the
 * machine come side by side. Sockets come in the order of their first CPU. Cores follow in each socket, and hardware
 * threads in each core. It writes only the list that the caller makes. */
#include "team/places/list.h"
#include "platform/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_PATH "%s/cpu/cpu%u/"
#define NODE_PATH "%s/node/"

/* Reads a file with a list such as "0-3,8,10-11". */
static bool
read_list(cpu_set_t *set, const char *path)
{
	static char line[4096]; /* one thread loads the library, and its stack may be a small one */
	CPU_ZERO(set);
	if (!fg_file_text(path, line, sizeof line))
		return false;
	for (char *at = line, *end;; at = end + 1) {
		unsigned long first = strtoul(at, &end, 10), last = first;
		if (end == at)
			break;
		if (*end == '-') {
			at = end + 1;
			last = strtoul(at, &end, 10);
			if (end == at)
				break;
		}
		for (; first <= last && first < CPU_SETSIZE; first++)
			CPU_SET(first, set);
		if (*end != ',')
			break;
	}
	return CPU_COUNT(set) != 0;
}

/* The CPUs that share something with `cpu`, from a file of its folder. */
static bool
read_group(cpu_set_t *group, unsigned cpu, const char *file)
{
	char path[256];
	snprintf(path, sizeof path, CPU_PATH "%s", fg_place_list.system, cpu, file);
	return read_list(group, path);
}

/* Name of the file that lists the CPUs around the last-level cache. It is the last of the caches with the highest
 * level. */
static bool
find_last_cache(char *file, size_t size, unsigned cpu)
{
	long highest = -1;
	for (unsigned index = 0; index < 64; index++) {
		char path[256], line[32];
		snprintf(path, sizeof path, CPU_PATH "cache/index%u/level", fg_place_list.system, cpu, index);
		if (!fg_file_text(path, line, sizeof line))
			break;
		long level = strtol(line, NULL, 10);
		if (level >= highest) {
			highest = level;
			snprintf(file, size, "cache/index%u/shared_cpu_list", index);
		}
	}
	return highest >= 0;
}

/* Takes `group` out of *left. It becomes a place if *left had any CPU of it. */
static bool
append_group(struct fg_places *places, const cpu_set_t *group, cpu_set_t *left, unsigned long limit)
{
	cpu_set_t usable;
	CPU_AND(&usable, group, left);
	if (CPU_COUNT(&usable) == 0)
		return true;
	cpu_set_t *place = places->count < limit ? fg_places_append(places) : NULL;
	if (!place)
		return false;
	*place = usable;
	CPU_XOR(left, left, &usable);
	return true;
}

/* Threads and cores of one socket. If a core's file cannot be read, its CPU counts as a core of its own. */
static bool
append_socket(struct fg_places *places, const cpu_set_t *socket, cpu_set_t *left, bool threads, unsigned long limit)
{
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, socket) || !CPU_ISSET(cpu, left))
			continue;
		cpu_set_t core;
		if (!read_group(&core, cpu, "topology/thread_siblings_list"))
			CPU_SET(cpu, &core);
		for (unsigned thread = 0; threads && thread < CPU_SETSIZE; thread++) {
			cpu_set_t alone;
			CPU_ZERO(&alone);
			CPU_SET(thread, &alone);
			if (CPU_ISSET(thread, &core) && !append_group(places, &alone, left, limit))
				return false;
		}
		if (!threads && !append_group(places, &core, left, limit))
			return false;
	}
	return true;
}

static void
append_cpus(struct fg_places *places, enum fg_place_kind kind, cpu_set_t *left, unsigned long limit)
{
	char file[64] = "topology/core_siblings_list";
	bool cores = kind == FG_PLACES_THREADS || kind == FG_PLACES_CORES;
	bool file_known = kind != FG_PLACES_LL_CACHES;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, left))
			continue;
		cpu_set_t group;
		if (!file_known && !(file_known = find_last_cache(file, sizeof file, cpu)))
			continue;
		if (!read_group(&group, cpu, file)) {
			if (!cores)
				continue;
			CPU_SET(cpu, &group);
		}
		CPU_SET(cpu, &group);
		if (!(cores ? append_socket(places, &group, left, kind == FG_PLACES_THREADS, limit)
			    : append_group(places, &group, left, limit)))
			return;
	}
}

static void
append_nodes(struct fg_places *places, cpu_set_t *left, unsigned long limit)
{
	cpu_set_t nodes, group;
	char path[256];
	snprintf(path, sizeof path, NODE_PATH "online", fg_place_list.system);
	if (!read_list(&nodes, path))
		return;
	for (unsigned node = 0; node < CPU_SETSIZE; node++) {
		snprintf(path, sizeof path, NODE_PATH "node%u/cpulist", fg_place_list.system, node);
		if (CPU_ISSET(node, &nodes) && read_list(&group, path) && !append_group(places, &group, left, limit))
			return;
	}
}

bool
fg_places_by_kind(struct fg_places *places, enum fg_place_kind kind, unsigned long limit)
{
	cpu_set_t left = fg_place_list.start_mask;
	if (kind == FG_PLACES_NUMA_DOMAINS)
		append_nodes(places, &left, limit);
	else
		append_cpus(places, kind, &left, limit);
	return places->count != 0;
}
