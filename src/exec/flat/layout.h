/* Layout: the identities of the members of a root's flat teams, and the workers on which they sit (floor: exec; called
 * by dock_setup.c for the owner of the dock, by shutdown.c, and by team for loads). A function returns false or 0 if
 * the system gives no more.
 *
 * fg_layout_place and fg_layout_members run outside the runtime, because they read files and make pthreads. The others
 * run inside, on the root's thread or in a shutdown, and hold no lock. They write the root's fields, and of its workers
 * only home_root and home->member. While root->size != 0, the members, slots and PUs of the root describe its last
 * team. Member k keeps its identity from team to team, because threadprivate data lie there. A root has two sets: set 0
 * may have homes of workers; set 1, for layouts by `slot_of`, has donors only. Threadprivate data do not go from one
 * to the other. */
#pragma once
#include "exec/thread/identity.h"

/* The last team of the root was such a team. slot_of: NULL, or the worker of each member. */
bool fg_layout_same(const struct fg_root *root, unsigned size, const uint16_t *slot_of);
/* Keeps a copy of the layout by places. Returns the number of its workers. */
unsigned fg_layout_by_place(struct fg_root *root, unsigned size, const uint16_t *slot_of);
/* Such a team has all members on the root's worker. False: there is no memory. */
bool fg_layout_on_one(struct fg_root *root, unsigned size);
/* Afterwards no root has members. Returns the donors among them in front of the list. The other members were homes
 * and stay with their workers. */
struct fg_identity *fg_layout_dissolve(struct fg_identity *list);
/* The policy chooses the PUs of the members, and so of the workers. It may change `slots`, the number of workers. If
 * the policy never steals, a team with no fewer members than PUs gets no plan. Each of its workers then has a PU of the
 * part in order: no other worker would look at a runqueue that is left. */
bool fg_layout_place(struct fg_root *root, unsigned size, unsigned *slots);
/* Writes where each member of the root's new layout sits: events of a trace. */
void fg_layout_trace(const struct fg_root *root);
/* Tells the loads of the root's teams of `size` members, by number. A copy is kept. NULL: they are not known. If the
 * loads are new, the next team gets a new layout. The root's thread calls it before it owns the dock. */
void fg_layout_tell(struct fg_root *root, unsigned size, const float *loads);
/* Tells the PUs of the workers, by slot, where the next layout is by `slot_of`. NULL: as ever. Where the layout of
 * another root has one of them, the workers get other PUs. Other PUs than before make a new layout. The root's thread
 * calls it before it owns the dock. */
void fg_layout_pin(struct fg_root *root, const uint16_t *pus);
/* Tells whether the last team of the root, which the root still has, is balanced for these loads. For each part of the
 * machine that has more than one member:
 *
 *     load of the part <= 9/8 * its share of the load
 *
 * A part with one member may have any load. The caller's region has ended. So a shutdown in another thread may have the
 * dock by now, and take the layout away. Then the answer is true, and so it is if the size has changed. */
bool fg_layout_is_balanced(struct fg_root *root, unsigned size, const float *loads);
/* Writes the PU of each member of that team. False: as above. */
bool fg_layout_pus(struct fg_root *root, unsigned size, unsigned *pu);
/* The next team has a new layout, by these loads. Where the policy sends members back to where they ran last, that is
 * these PUs. NULL: there are no loads, or nothing is known of PUs. */
void fg_layout_return(struct fg_root *root, unsigned size, const float *loads, const unsigned *pu);
/* Provides identities for members 1 .. size-1. A new member k is the home of worker k only if k < slots, there is one
 * root, the layout is not by `slot_of`, and no root has that home. All other new members are donors.
 * Each donor runs donor_entry for good. */
bool fg_layout_members(struct fg_root *root, unsigned size, unsigned slots, void (*donor_entry)(void));
