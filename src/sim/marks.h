/* Marks (floor: sim; set by homes.c, met by memory.c): pages that go to the node of the PU that next touches them, or
 * next writes to them. The real library closes windows for that (memory/windows.h). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "memory/where.h"

/* The pages of these numbers, as far as a PU has touched them. */
void fg_mark_set(uintptr_t first, uintptr_t last, enum fg_where_mark mark);
/* The running actor touches a page. If its mark says so, all marked pages of its window move to the actor's node, at
 * the actor's price: a fault, a system call and the pages. Pages stay where the node is full. */
void fg_mark_meet(uintptr_t page, bool writes);
