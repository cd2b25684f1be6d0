/* Places: sets of CPUs to which members are bound (floor: team; OpenMP 5.2, 6.4). The library makes the list when it
 * is loaded, and never changes it. The list is empty unless the environment asks for places. Any thread reads it,
 * anywhere. The functions that make it run in a constructor (called by boot/environment.c, parse.c and names.c). */
#pragma once
#include <sched.h>
#include <stdbool.h>
#include "base/atomic.h"
#include "team/inside.h"

extern struct fg_place_list {
	unsigned count; /* 0: there are no places, and nothing is bound */
	/* A thread of the program is bound when it meets its first active region, and stays in its place between
	 * regions, because to bind it anew takes longer than a region. The program does not see that, and neither do
	 * its children (libc/children.c). True: the calls of the program do not come to libc/children.c, so the thread
	 * leaves its place at the end of each outermost active region. */
	bool shown;
	unsigned cpu_bound;   /* see fg_place_cpu_bound */
	const char *system;   /* folder of the kernel's files; tests have their own */
	cpu_set_t start_mask; /* the affinity mask when the library was loaded */
	const cpu_set_t *sets;
	/* affinity-format-var; NULL: the preset. Its earlier texts are kept, because another thread may still read
	 * them. */
	struct fg_atomic_ptr format;
} fg_place_list __attribute__((visibility("hidden")));
/* CPUs of a place < fg_place_list.count. */
FG_ANYWHERE const cpu_set_t *fg_place_cpus(unsigned place);

/* Reads fg_place_list.start_mask. Returns the number of CPUs in it, at least 1. */
unsigned fg_places_read_mask(void);

/* Makes the list from OMP_PLACES, else from GOMP_CPU_AFFINITY. If it is unwanted, the call only checks the syntax.
 * True: there is a list now. */
bool fg_places_from_env(bool unwanted);
/* Makes the list where only binding was asked for. Each CPU of the mask is a place, and neighbours in the machine
 * lie side by side. */
void fg_places_default(void);

/* The construction of the list, for parse.c and names.c. A function that returns false has told the user why. */
struct fg_places {
	cpu_set_t *sets;
	unsigned count, room;
};
#define FG_PLACES_MAX 65536
unsigned fg_place_cpu_bound(void); /* CPU numbers from here on are out of range */
cpu_set_t *fg_places_append(struct fg_places *places);
bool fg_place_add(cpu_set_t *set, unsigned long cpu, unsigned long length, long stride);
bool fg_place_remove(cpu_set_t *set, unsigned long cpu);
bool fg_place_shift(cpu_set_t *to, const cpu_set_t *from, long stride);
bool fg_places_remove(struct fg_places *places, const cpu_set_t *set);
bool fg_places_trim(struct fg_places *places);
void fg_places_free(struct fg_places *places);
/* Makes it the list of the process. */
void fg_places_publish(const struct fg_places *places);

/* names.c: "cores" and the like, at most `limit` places. */
enum fg_place_kind {
	FG_PLACES_THREADS,
	FG_PLACES_CORES,
	FG_PLACES_SOCKETS,
	FG_PLACES_LL_CACHES,
	FG_PLACES_NUMA_DOMAINS
};
bool fg_places_by_kind(struct fg_places *places, enum fg_place_kind kind, unsigned long limit);
