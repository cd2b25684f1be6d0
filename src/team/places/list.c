/* The list of places, and the operations on sets of CPUs that its notation has (floor: team; see list.h). */
#include "team/places/list.h"
#include "base/log.h"
#include "exec/ground/options.h"
#include "platform/affinity.h"
#include "platform/host.h"
#include "team/env/features.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct fg_place_list fg_place_list = {.cpu_bound = 64, .system = "/sys/devices/system"};

const cpu_set_t *
fg_place_cpus(unsigned place)
{
	return &fg_place_list.sets[place];
}

unsigned
fg_place_cpu_bound(void)
{
	return fg_place_list.cpu_bound;
}

/* A kernel with more CPUs than a cpu_set_t has bits needs a larger buffer. Places then use only the first 1024 CPUs. */
static unsigned
read_large_mask(void)
{
	for (unsigned cpus = 2 * CPU_SETSIZE; cpus <= 1U << 20; cpus *= 2) {
		size_t size = CPU_ALLOC_SIZE(cpus);
		cpu_set_t *mask = CPU_ALLOC(cpus);
		if (!mask)
			return 0;
		int error = fg_affinity_of_caller(size, mask);
		unsigned count = error ? 0 : (unsigned)CPU_COUNT_S(size, mask);
		memcpy(&fg_place_list.start_mask, mask, sizeof fg_place_list.start_mask);
		CPU_FREE(mask);
		if (error != EINVAL)
			return count;
	}
	return 0;
}

unsigned
fg_places_read_mask(void)
{
	unsigned count = 0;
	fg_cpuset_affinity(&fg_exec_options.cpus);
	int error = fg_affinity_of_caller(sizeof fg_place_list.start_mask, &fg_place_list.start_mask);
	if (!error)
		count = (unsigned)CPU_COUNT(&fg_place_list.start_mask);
	else if (error == EINVAL)
		count = read_large_mask();
	if (count == 0) {
		long online = fg_host_pus_online();
		return online > 0 ? (unsigned)online : 1;
	}
	for (unsigned cpu = CPU_SETSIZE; cpu-- > 0;)
		if (CPU_ISSET(cpu, &fg_place_list.start_mask)) {
			fg_place_list.cpu_bound = (cpu / 64 + 1) * 64;
			break;
		}
	return count;
}

cpu_set_t *
fg_places_append(struct fg_places *places)
{
	if (places->count == places->room) {
		unsigned room = places->room ? 2 * places->room : 16;
		cpu_set_t *sets = realloc(places->sets, room * sizeof *sets);
		if (!sets) {
			fg_error("Out of memory trying to allocate places list");
			return NULL;
		}
		places->sets = sets;
		places->room = room;
	}
	cpu_set_t *set = &places->sets[places->count++];
	CPU_ZERO(set);
	return set;
}

static bool
out_of_range(unsigned long cpu)
{
	fg_error("Logical CPU number %lu out of range", cpu);
	return false;
}

static bool
step_out_of_range(unsigned long cpu, long stride)
{
	fg_error("Logical CPU number %lu+%ld out of range", cpu, stride);
	return false;
}

/* cpu + stride, unless the sum is negative or does not fit. */
static bool
step(unsigned long cpu, long stride, unsigned long *next)
{
	*next = cpu + (unsigned long)stride;
	return stride < 0 ? *next < cpu : *next >= cpu;
}

bool
fg_place_add(cpu_set_t *set, unsigned long cpu, unsigned long length, long stride)
{
	if (stride == 0)
		length = 1;
	for (;;) {
		if (cpu >= fg_place_list.cpu_bound)
			return out_of_range(cpu);
		CPU_SET(cpu, set);
		if (--length == 0)
			return true;
		unsigned long next;
		if (!step(cpu, stride, &next))
			return step_out_of_range(cpu, stride);
		cpu = next;
	}
}

bool
fg_place_remove(cpu_set_t *set, unsigned long cpu)
{
	if (cpu >= fg_place_list.cpu_bound)
		return out_of_range(cpu);
	if (!CPU_ISSET(cpu, set)) {
		fg_error("Logical CPU %lu to be removed is not in the set", cpu);
		return false;
	}
	CPU_CLR(cpu, set);
	return true;
}

bool
fg_place_shift(cpu_set_t *to, const cpu_set_t *from, long stride)
{
	CPU_ZERO(to);
	for (unsigned cpu = 0; cpu < fg_place_list.cpu_bound; cpu++) {
		unsigned long next;
		if (!CPU_ISSET(cpu, from))
			continue;
		if (!step(cpu, stride, &next) || next >= fg_place_list.cpu_bound)
			return step_out_of_range(cpu, stride);
		CPU_SET(next, to);
	}
	return true;
}

bool
fg_places_remove(struct fg_places *places, const cpu_set_t *set)
{
	for (unsigned i = 0; i < places->count; i++)
		if (CPU_EQUAL(&places->sets[i], set)) {
			places->count--;
			memmove(&places->sets[i], &places->sets[i + 1], (places->count - i) * sizeof *places->sets);
			return true;
		}
	fg_error("Trying to remove a non-existing place from list of places");
	return false;
}

/* Drops CPUs outside the mask, and places that then have none. */
bool
fg_places_trim(struct fg_places *places)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < places->count; i++) {
		CPU_AND(&places->sets[kept], &places->sets[i], &fg_place_list.start_mask);
		kept += CPU_COUNT(&places->sets[kept]) != 0;
	}
	if (kept == 0) {
		fg_error("None of the places contain usable logical CPUs");
		return false;
	}
	if (kept < places->count)
		fg_error("Number of places reduced from %u to %u because some places didn't contain any usable "
			 "logical CPUs",
			 places->count, kept);
	places->count = kept;
	return true;
}

void
fg_places_free(struct fg_places *places)
{
	free(places->sets);
	*places = (struct fg_places){0};
}

void
fg_places_publish(const struct fg_places *places)
{
	free((void *)fg_place_list.sets); /* NULL except in tests, which read several lists */
	fg_place_list.sets = places->sets;
	fg_place_list.count = places->count;
	fg_features |= FG_FEATURE_MORE;
}
