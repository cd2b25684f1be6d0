/* Manager: the operations of include/forestgomp/memory.h, which also has their results (floor: team; called by
 * omp/memory.c). It keeps the program's areas in the registry of memory/area.h.
 *
 * Callers are outside, without a lock: pages are placed and moved by system calls, and those may take long. */
#pragma once
#include "team/alloc/wish.h"
#include "team/inside.h"

/* A range of the program's memory. `who` is the function that the program has called. */
struct fg_managed {
	const char *who;
	const void *start;
	size_t bytes;
};

FG_OUTSIDE void *fg_manager_alloc(const struct fg_wish *wish, size_t bytes);
/* Frees memory from there, or unregisters other memory. */
FG_OUTSIDE int fg_manager_drop(const char *who, void *start, bool mapped);
FG_OUTSIDE int fg_manager_register(const struct fg_managed *range);
FG_OUTSIDE int fg_manager_split(const struct fg_managed *whole, unsigned n, void **parts);
FG_OUTSIDE int fg_manager_locate(const struct fg_managed *range, size_t *on_node, unsigned n);
FG_OUTSIDE int fg_manager_move(const struct fg_wish *wish, const struct fg_managed *range, enum fgomp_pages_when when);
FG_OUTSIDE size_t fg_manager_room(unsigned node);
FG_OUTSIDE unsigned long long fg_manager_move_cost(size_t bytes, unsigned from, unsigned to);
