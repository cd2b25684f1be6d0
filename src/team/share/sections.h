/* Sections: handing out the sections of a construct, numbered from 1 (floor: team; called by gomp). A member calls,
 * without a lock. workshare.h has the invariants. The counter of an instance gives each section once. */
#pragma once
#include "team/inside.h"
#include "team/share/workshare.h"

/* Fills in a new instance. */
FG_ANYWHERE void fg_sections_set_up(struct fg_workshare *share, unsigned count);
/* First call of a member. Returns its first section, or 0 if there is none. */
FG_OUTSIDE unsigned fg_sections_start(struct fg_identity *self, unsigned count, uintptr_t *reductions, void **memory);
/* Returns the next section of the caller, or 0 if there is none. */
FG_OUTSIDE unsigned fg_sections_next(struct fg_identity *self);
/* A scope with task reductions. Only its registration makes this construct shared. */
FG_OUTSIDE void fg_scope_start(struct fg_identity *self, uintptr_t *reductions);
