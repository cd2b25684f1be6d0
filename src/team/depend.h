/* Dependences of a task: the ABI's array in a normal form, and which two tasks it orders (floor: team; called by task.c).
 *
 * Matching is by exact address among siblings. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Kinds as in omp_depend_t. mutexinoutset orders like inout, which is legal. */
enum fg_depend_kind { FG_DEPEND_IN = 1, FG_DEPEND_OUT, FG_DEPEND_INOUT, FG_DEPEND_MUTEX, FG_DEPEND_INOUTSET };

struct fg_depend {
	void *address; /* NULL with an out kind: omp_all_memory */
	unsigned kind;
};

struct fg_depend_list {
	struct fg_depend *items;
	size_t count;
};

/* Entries of the ABI's array. */
size_t fg_depend_count(void **depend);
/* Fills `items`, which has room for fg_depend_count() of them. */
void fg_depend_read(void **depend, struct fg_depend *items);
/* A later task with `later` must follow an earlier one with `earlier`. */
bool fg_depend_conflict(const struct fg_depend_list *earlier, const struct fg_depend_list *later);
