/* Allocators: omp_allocator_handle_t, its traits and the blocks it gives out (floor: team; called by gomp).
 *
 * A block is preceded by a header, which names its allocator, so that it can be freed without naming it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "team/env/icv.h"
#include "team/inside.h"

/* Predefined handles: FG_ALLOCATOR_DEFAULT to FG_ALLOCATOR_PREDEFINED, and some of gcc's own. Others are pointers. */
#define FG_ALLOCATOR_PREDEFINED 8

/* omp_alloctrait_t */
struct fg_trait {
	int key;
	uintptr_t value;
};

/* A handle; 0 (omp_null_allocator) if a trait is unknown, which is told, or there is no such memory. */
FG_ANYWHERE uintptr_t fg_allocator_new(uintptr_t space, int count, const struct fg_trait *traits);
/* What OMP_ALLOCATOR asks for, if that can be had: else FG_ALLOCATOR_DEFAULT. */
uintptr_t fg_allocator_from_env(void);
/* Its name, or the space and traits it was made of. */
void fg_allocator_print(FILE *out, uintptr_t allocator);
FG_ANYWHERE void fg_allocator_destroy(uintptr_t allocator);

struct fg_alloc_request {
	size_t align, size;
	bool zeroed;
};
/* A block, by way of the allocator's fallback if need be; NULL. Allocator 0: def-allocator-var of the caller. */
FG_ANYWHERE void *fg_alloc(struct fg_alloc_request request, uintptr_t allocator);
FG_ANYWHERE void fg_alloc_free(void *block);
/* As omp_realloc. allocator 0: that of the block. */
FG_ANYWHERE void *fg_alloc_resize(void *block, size_t size, uintptr_t allocator);

/* A set of addresses: blocks whose Fortran descriptors do not tell that they came from an allocator. */
FG_ANYWHERE void fg_alloc_note(void *block);
/* Whether it was in the set; it is taken out. */
FG_ANYWHERE bool fg_alloc_forget(void *block);

/* In the child of a fork. */
void fg_alloc_note_after_fork(void);
