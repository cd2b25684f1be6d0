/* Layout: who the members of a root's flat teams are, and on which workers they sit (floor: exec; called by
 * dock_setup.c by whoever has taken the dock). Each false or 0: the system gives no more. */
#pragma once
#include "exec/thread/root.h"

/* The last team of the root was such a one. slot_of: NULL, or the worker of each member. */
bool fg_layout_same(const struct fg_root *root, unsigned size, const uint16_t *slot_of);
/* Keeps a copy of the layout by places; the number of its workers. */
unsigned fg_layout_by_place(struct fg_root *root, unsigned size, const uint16_t *slot_of);
/* The root has no members any more. Returns the donors among those it had, as a list; homes are their workers'. */
struct fg_identity *fg_layout_dissolve(struct fg_root *root, struct fg_identity *list);
/* Where the members and so the workers sit, as the policy has it; `slots`, the number of workers, may change. A policy
 * that never steals keeps every worker where it is, for nobody else would look at the runqueue it leaves. */
bool fg_layout_place(struct fg_root *root, unsigned size, unsigned *slots);
/* Its teams of `size` members have these loads, by number (a copy is kept); NULL: not known. If that is new, they sit
 * down anew. */
void fg_layout_tell(struct fg_root *root, unsigned size, const float *loads);
/* The members of its last team, which it still has, sit so that no part of the machine has an eighth more of these
 * loads than its share, unless that is a single member's; a PU that has one member only may have any. */
bool fg_layout_is_balanced(const struct fg_root *root, const float *loads);
/* Room for member k in one of the root's sets. */
bool fg_layout_room(struct fg_root *root, unsigned set, unsigned k);
/* Identities for members 1 .. size-1: homes of workers where no other root has them, else donors, which run
 * donor_entry, each for good. */
bool fg_layout_members(struct fg_root *root, unsigned size, unsigned slots, void (*donor_entry)(void));
