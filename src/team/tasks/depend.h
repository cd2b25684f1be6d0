/* Dependences of a task: the ABI's array in a normal form (floor: team; called by depend_table.c).
 *
 * Dependences of siblings match if their addresses are equal.
 *
 * The creator of the task calls, inside and without a lock. It reads the array of the program and writes only
 * `items`. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* The kinds are those of omp_depend_t. Tasks of kind mutexinoutset exclude each other, and may run in any order. */
enum fg_depend_kind { FG_DEPEND_IN = 1, FG_DEPEND_OUT, FG_DEPEND_INOUT, FG_DEPEND_MUTEX, FG_DEPEND_INOUTSET };

struct fg_depend {
	void *address; /* NULL with an out kind: omp_all_memory */
	unsigned kind;
};

/* The next two are declared for tests/unit/depend.c only. The first returns how many entries the ABI's array has. */
size_t fg_depend_count(void **depend);
/* Fills `items`, which has room for fg_depend_count() of them. */
void fg_depend_read(void **depend, struct fg_depend *items);
/* True: tasks of this kind on one address do not follow each other. */
static inline bool
fg_depend_kind_is_shared(unsigned kind)
{
	return kind == FG_DEPEND_IN || kind == FG_DEPEND_MUTEX || kind == FG_DEPEND_INOUTSET;
}

#define FG_DEPEND_LOCAL 16

/* All dependences of a task, one for each address. */
struct fg_depend_items {
	struct fg_depend local[FG_DEPEND_LOCAL], *item;
	size_t count;
};
/* False: there is no memory. Then the only item is omp_all_memory. A caller that waits may use it, because it then
 * waits for all siblings. No other caller may. */
bool fg_depend_items_read(struct fg_depend_items *items, void **depend);
void fg_depend_items_free(struct fg_depend_items *items);
/* The first counts the items of kind mutexinoutset. The second makes them inout, for a caller that takes no locks. */
unsigned fg_depend_mutexes(const struct fg_depend_items *items);
void fg_depend_order_mutexes(struct fg_depend_items *items);
