/* Build: the making of a machine out of levels (floor: machine; called by machine.c, hwloc.c and synthetic.c). They
 * grow a tree, then turn it into a machine, which owns it. Without memory for a level the function returns its parent,
 * or NULL for a root, and no machine comes of it. The caller is outside the runtime, because malloc is asked, and alone
 * has the tree. */
#pragma once
#include "machine/level.h"

struct fg_level *fg_level_new(struct fg_level *parent, enum fg_level_kind kind, unsigned os_index);
void fg_level_free(struct fg_level *level);
/* Merges levels with a single child and numbers the rest. NULL: no PU, or no memory; the tree is freed. */
struct fg_machine *fg_machine_build(struct fg_level *root, enum fg_machine_source source);
