/* Ends: what team forgets of threads that end (floor: team; called by exec through exec/ground/above.h, which tells
 * when).
 *
 * The caller of fg_ends_root and fg_ends_pthread is the pthread that ends. No thread uses the identity any more that is
 * forgotten. No lock is held. */
#pragma once

struct fg_identity;

void fg_ends_root(struct fg_identity *self);
void fg_ends_identity(struct fg_identity *identity);
/* The variables of the pthread that ends. */
void fg_ends_pthread(void);
