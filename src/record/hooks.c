/* Hooks (floor: record; called by objects of the program that a compiler has built with -fsanitize=thread): plain
 * accesses. gcc and clang call an entry before each access. These count it, and find no races.
 *
 * All names are hidden. So each object of the program that is linked with them has its own, and the runtime does not
 * take them for a race detector. */
#include "record/count.h"

#define ENTRY __attribute__((visibility("hidden"))) void

#define ENTRIES(bytes)                                                                                                 \
	ENTRY __tsan_read##bytes(void *address)                                                                        \
	{                                                                                                              \
		fg_count(address, bytes, 1, 0);                                                                        \
	}                                                                                                              \
	ENTRY __tsan_write##bytes(void *address)                                                                       \
	{                                                                                                              \
		fg_count(address, bytes, 0, 1);                                                                        \
	}                                                                                                              \
	ENTRY __tsan_read_write##bytes(void *address)                                                                  \
	{                                                                                                              \
		fg_count(address, bytes, 1, 1);                                                                        \
	}                                                                                                              \
	ENTRY __tsan_unaligned_read##bytes(void *address)                                                              \
	{                                                                                                              \
		fg_count_range((uintptr_t)address, bytes, 1, 0);                                                       \
	}                                                                                                              \
	ENTRY __tsan_unaligned_write##bytes(void *address)                                                             \
	{                                                                                                              \
		fg_count_range((uintptr_t)address, bytes, 0, 1);                                                       \
	}                                                                                                              \
	ENTRY __tsan_unaligned_read_write##bytes(void *address)                                                        \
	{                                                                                                              \
		fg_count_range((uintptr_t)address, bytes, 1, 1);                                                       \
	}                                                                                                              \
	ENTRY __tsan_volatile_read##bytes(void *address)                                                               \
	{                                                                                                              \
		fg_count(address, bytes, 1, 0);                                                                        \
	}                                                                                                              \
	ENTRY __tsan_volatile_write##bytes(void *address)                                                              \
	{                                                                                                              \
		fg_count(address, bytes, 0, 1);                                                                        \
	}                                                                                                              \
	ENTRY __tsan_unaligned_volatile_read##bytes(void *address)                                                     \
	{                                                                                                              \
		fg_count_range((uintptr_t)address, bytes, 1, 0);                                                       \
	}                                                                                                              \
	ENTRY __tsan_unaligned_volatile_write##bytes(void *address)                                                    \
	{                                                                                                              \
		fg_count_range((uintptr_t)address, bytes, 0, 1);                                                       \
	}
ENTRIES(1)
ENTRIES(2)
ENTRIES(4)
ENTRIES(8)
ENTRIES(16)

ENTRY
__tsan_read_range(void *address, unsigned long bytes)
{
	fg_count_range((uintptr_t)address, bytes, 1, 0);
}

ENTRY
__tsan_write_range(void *address, unsigned long bytes)
{
	fg_count_range((uintptr_t)address, bytes, 0, 1);
}

ENTRY
__tsan_vptr_read(void **pointer)
{
	fg_count(pointer, sizeof *pointer, 1, 0);
}

ENTRY
__tsan_vptr_update(void **pointer, void *value)
{
	(void)value;
	fg_count(pointer, sizeof *pointer, 0, 1);
}

/* Each object calls this in a constructor. */
ENTRY
__tsan_init(void)
{
	fg_hooks_begin();
}

/* Calls that tell of no access. */

ENTRY
__tsan_func_entry(void *caller)
{
	(void)caller;
}

ENTRY
__tsan_func_exit(void)
{
}

ENTRY
__tsan_ignore_thread_begin(void)
{
}

ENTRY
__tsan_ignore_thread_end(void)
{
}

/* Programs call these themselves, to tell of an order. */
ENTRY
__tsan_acquire(void *address)
{
	(void)address;
}

ENTRY
__tsan_release(void *address)
{
	(void)address;
}
