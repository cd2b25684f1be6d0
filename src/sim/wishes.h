/* Wishes (floor: sim; used by homes.c and pages.c): on which nodes of the simulated machine an allocator wants its
 * pages to lie. Nodes are places among the machine's, and pages are numbers. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FG_HOME_PAGE 4096

/* The pages of a block lie on these nodes in turn. If there is no memory for the wish, they lie where they are
 * touched. */
void fg_wish_add(const void *start, size_t size, unsigned n, const unsigned *nodes);
/* The wishes for these pages are gone. */
void fg_wish_drop(uintptr_t first, uintptr_t last);
/* Returns whether there is a wish for some of these pages. */
bool fg_wish_is_for(uintptr_t first, uintptr_t last);
/* A PU of `node` touches the page for the first time. Returns the page's node. */
unsigned fg_wish_node(uintptr_t page, unsigned node);
