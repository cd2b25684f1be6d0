/* ABI: the allocate clause and directive (floor: gomp). Compiled code calls these, as team/inside.h says.
 * team/alloc/allocator.h has the invariants. */
#include "base/export.h"
#include "base/log.h"
#include "team/alloc/allocator.h"

/* An allocate clause calls this, and the program does not check for NULL. */
FG_EXPORT void *
GOMP_alloc(size_t align, size_t size, uintptr_t allocator)
{
	void *block = fg_alloc((struct fg_alloc_request){align, size, false}, allocator);
	if (!block && size)
		fg_fatal("Out of memory allocating %zu bytes", size);
	return block;
}

FG_EXPORT void
GOMP_free(void *block, uintptr_t allocator)
{
	fg_alloc_free(block);
}

FG_EXPORT void
GOMP_add_alloc(void *block)
{
	fg_alloc_note(block);
}

FG_EXPORT bool
GOMP_is_alloc(void *block)
{
	return fg_alloc_forget(block);
}
