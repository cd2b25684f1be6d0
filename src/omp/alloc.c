/* Routines for allocators and allocation (floor: omp; OpenMP 5.2, 18.13). The program calls these on any pthread, and
 * its malloc may call them inside. team/alloc/allocator.h has the invariants. */
#include "base/export.h"
#include "exec/roots/self.h"
#include "omp/fortran.h"
#include "team/alloc/allocator.h"
#include "team/env/icv.h"

FG_EXPORT uintptr_t
omp_init_allocator(uintptr_t space, int count, const struct fg_trait *traits)
{
	return fg_allocator_new(space, count, traits);
}

FG_EXPORT uintptr_t
omp_init_allocator_(const uintptr_t *space, const int32_t *count, const struct fg_trait *traits)
{
	return fg_allocator_new(*space, *count, traits);
}

FG_EXPORT uintptr_t
omp_init_allocator_8_(const uintptr_t *space, const int64_t *count, const struct fg_trait *traits)
{
	return fg_allocator_new(*space, fg_fortran_int(*count), traits);
}

FG_EXPORT void
omp_destroy_allocator(uintptr_t allocator)
{
	fg_allocator_destroy(allocator);
}

FG_EXPORT void
omp_destroy_allocator_(const uintptr_t *allocator)
{
	fg_allocator_destroy(*allocator);
}

FG_EXPORT void
omp_set_default_allocator(uintptr_t allocator)
{
	fg_icv_writable(fg_self_or_root())->default_allocator = allocator ? allocator : FG_ALLOCATOR_DEFAULT;
}

FG_EXPORT void
omp_set_default_allocator_(const uintptr_t *allocator)
{
	omp_set_default_allocator(*allocator);
}

FG_EXPORT uintptr_t
omp_get_default_allocator(void)
{
	return fg_icv_current()->default_allocator;
}
FG_ABI_ALIAS(uintptr_t, omp_get_default_allocator_, (void), omp_get_default_allocator)

FG_EXPORT void *
omp_aligned_alloc(size_t align, size_t size, uintptr_t allocator)
{
	return fg_alloc((struct fg_alloc_request){align, size, false}, allocator);
}

FG_EXPORT void *
omp_alloc(size_t size, uintptr_t allocator)
{
	return omp_aligned_alloc(1, size, allocator);
}

FG_EXPORT void *
omp_aligned_calloc(size_t align, size_t count, size_t size, uintptr_t allocator)
{
	size_t bytes;
	/* A product that overflows fails like a request that is too large, and the fallbacks apply. */
	if (__builtin_mul_overflow(count, size, &bytes))
		bytes = SIZE_MAX;
	return fg_alloc((struct fg_alloc_request){align, bytes, true}, allocator);
}

FG_EXPORT void *
omp_calloc(size_t count, size_t size, uintptr_t allocator)
{
	return omp_aligned_calloc(1, count, size, allocator);
}

FG_EXPORT void *
omp_realloc(void *block, size_t size, uintptr_t allocator, uintptr_t free_allocator)
{
	return fg_alloc_resize(block, size, allocator ? allocator : free_allocator);
}

FG_EXPORT void
omp_free(void *block, uintptr_t allocator)
{
	fg_alloc_free(block);
}
