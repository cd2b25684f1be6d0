/* Allocators: omp_allocator_handle_t, its traits, and the blocks that an allocator gives out (floor: team; called by
 * gomp/alloc.c, omp/alloc.c and boot).
 *
 * A header before each block names its allocator, so that a caller can free the block without naming it. So a block
 * must be freed before its allocator is destroyed.
 *
 * Most blocks come from the C library's malloc. So the runtime itself calls these functions only outside. The mark is
 * FG_ANYWHERE, because a malloc of the program may call them inside. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "team/env/icv.h"
#include "team/inside.h"

/* Predefined handles are FG_ALLOCATOR_DEFAULT to FG_ALLOCATOR_PREDEFINED, and some of gcc's own. Others are
 * pointers. */
#define FG_ALLOCATOR_PREDEFINED 8

/* omp_alloctrait_t */
struct fg_trait {
	int key;
	uintptr_t value;
};

/* Returns a handle. It is 0 (omp_null_allocator) if a trait is unknown, which the user is told, or if there is no
 * such memory. */
FG_ANYWHERE uintptr_t fg_allocator_new(uintptr_t space, int count, const struct fg_trait *traits);
/* The allocator that OMP_ALLOCATOR asks for, if the machine has it; else FG_ALLOCATOR_DEFAULT. */
uintptr_t fg_allocator_from_env(void);
/* Prints its name, or the space and traits from which it was made. */
void fg_allocator_print(FILE *out, uintptr_t allocator);
FG_ANYWHERE void fg_allocator_destroy(uintptr_t allocator);

struct fg_alloc_request {
	size_t align, size;
	bool zeroed;
};
/* A block, from the allocator's fallback if need be, or NULL. Allocator 0 stands for the caller's def-allocator-var. */
FG_ANYWHERE void *fg_alloc(struct fg_alloc_request request, uintptr_t allocator);
FG_ANYWHERE void fg_alloc_free(void *block);
/* As omp_realloc. Allocator 0 stands for that of the block. */
FG_ANYWHERE void *fg_alloc_resize(void *block, size_t size, uintptr_t allocator);

/* A set of addresses: blocks whose Fortran descriptors do not say that they came from an allocator. */
FG_ANYWHERE void fg_alloc_note(void *block);
/* Takes the block out of the set. True: it was there. */
FG_ANYWHERE bool fg_alloc_forget(void *block);

/* In the child of a fork. */
void fg_alloc_note_after_fork(void);
