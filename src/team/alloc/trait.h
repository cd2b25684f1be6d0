/* Traits of allocators, as numbers from programs and as text from OMP_ALLOCATOR (floor: team; used by allocator.c). The
 * functions write only what the caller gives, and messages. So the caller holds no lock, and is in no signal
 * handler. */
#pragma once
#include "team/env/parse.h"
#include <stdio.h>

/* omp_alloctrait_key_t */
enum fg_trait_key {
	FG_SYNC_HINT = 1,
	FG_ALIGNMENT,
	FG_ACCESS,
	FG_POOL_SIZE,
	FG_FALLBACK,
	FG_FB_DATA,
	FG_PINNED,
	FG_PARTITION,
};
#define FG_TRAITS FG_PARTITION

/* Values of omp_alloctrait_value_t that the code uses. The partitions are in pages.h. */
enum { FG_DEFAULT_MEM_FB = 11, FG_NULL_FB, FG_ABORT_FB, FG_ALLOCATOR_FB };
#define FG_NO_LIMIT UINTPTR_MAX /* of pool_size */

#define FG_SPACE_HIGH_BW 3
#define FG_SPACES 5

/* Predefined allocators. */
#define FG_ALLOCATOR_NAMES 9
extern const struct fg_choice fg_allocator_names[FG_ALLOCATOR_NAMES];

struct fg_traits {
	uintptr_t value[FG_TRAITS + 1]; /* by key */
};
void fg_traits_default(struct fg_traits *traits);
/* False: there is no such trait, or it cannot have that value. The message names the caller `who`, the fault and its
 * consequence. */
bool fg_traits_set(struct fg_traits *traits, int key, uintptr_t value, const char *who);

/* The wish of OMP_ALLOCATOR: a predefined allocator, or (handle 0) one with traits in a memory space. */
struct fg_allocator_text {
	uintptr_t handle, space;
	struct fg_traits traits;
};
/* Reads a text as in OpenMP 5.2, 21.5.1: "omp_large_cap_mem_space:pinned=true,partition=nearest". */
bool fg_env_allocator(const char *name, struct fg_allocator_text *wanted);
/* Prints the same text for a space and traits, without those that have their default value. */
void fg_traits_print(FILE *out, uintptr_t space, const struct fg_traits *traits);
