/* Marks (floor: sim; set by homes.c, met through carrier.c): pages that go to the node of the PU that next touches
 * them, or next writes to them. The real library closes windows for that (memory/windows.h). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/where.h"

/* The pages of these numbers, as far as a PU has touched them. */
void fg_mark_set(uintptr_t first, uintptr_t last, enum fg_where_mark mark);
/* The caller goes through so many bytes, as fg_memory_touch. Before it comes to a marked page, all marked pages of that
 * window move to its node, at its price: a fault, a system call and the pages. They stay where the node is full. */
void fg_mark_touch(const void *start, size_t bytes, bool writes);
