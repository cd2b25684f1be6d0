/* Wish: the nodes on which the program wants memory, as a plan (floor: team; called by manager.c, outside). It
 * reads the machine and keeps nothing. */
#pragma once
#include "forestgomp/memory.h"
#include "memory/plan.h"

struct fg_wish {
	const char *who; /* the function that the program has called */
	enum fgomp_pages_placement how;
	const struct fgomp_pages_wish *wish; /* or NULL */
};

/* 0: *plan is new, and the caller frees it (platform/memory.h). EINVAL: there is no such wish, which the user is told;
 * ENOMEM: there is no memory for the plan. `allowed` gets the nodes that the process may use. */
int fg_wish_plan(const struct fg_wish *wish, struct fg_plan **plan, struct fg_nodes *allowed);
static inline bool
fg_wish_is_strict(const struct fg_wish *wish)
{
	return wish->wish && wish->wish->flags & FGOMP_PAGES_STRICT;
}
/* Says in one line what is wrong with a call, and that it does nothing. Returns EINVAL. */
int fg_wish_bad(const char *who, const char *format, ...) __attribute__((format(printf, 2, 3)));
