/* Part: the PUs of a root's layout (floor: exec; called by berths.c and layout.c). Other roots have layouts, too, and
 * no PU belongs to two of them. fg_part_find is called outside, without a lock, because it may read the machine's
 * levels. The others are called under the lock of the pool. */
#pragma once
#include <limits.h>

#include "exec/thread/dock_state.h"
#include "exec/thread/identity.h"

#define FG_PU_LATER UINT_MAX /* the layout gets its PUs with its workers */

/* The part of the machine for a new layout of so many workers: the smallest level that has as many PUs and on which no
 * other dock has one. The whole machine where no other dock has a layout. NULL: there is no such level. */
struct fg_runqueue *fg_part_find(struct fg_root *root, unsigned slots);
/* The following are called under the lock of the pool. For the first three, fg_hiring.used tells the PUs of others.
 *
 * Counts the free PUs. */
unsigned fg_part_free_locked(void);
/* The PUs that the root has chosen are free. */
bool fg_part_is_free_locked(const struct fg_root *root, unsigned slots);
/* They are not, or it has chosen none. The root gets others, close to each other. So many PUs must be free. */
void fg_part_take_any_locked(struct fg_root *root, unsigned slots);
/* The root's PUs lie on a level that is as small as possible. */
bool fg_part_is_compact(const struct fg_root *root, unsigned slots);
/* The dock's root would find such a level now. */
bool fg_part_may_be_compact_locked(const struct fg_dock *dock);
