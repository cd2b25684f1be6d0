/* Copies of the program (floor: record; called as hooks.c). clang calls the first three. gcc calls memcpy and its kin,
 * and the linker brings them here where the program is linked with --wrap (share/record.link). */
#include "record/count.h"

#include <string.h>

#define ENTRY __attribute__((visibility("hidden"))) void *

ENTRY
__tsan_memcpy(void *to, const void *from, size_t bytes)
{
	count_range((uintptr_t)from, bytes, 1, 0);
	count_range((uintptr_t)to, bytes, 0, 1);
	return memcpy(to, from, bytes);
}

ENTRY
__tsan_memmove(void *to, const void *from, size_t bytes)
{
	count_range((uintptr_t)from, bytes, 1, 0);
	count_range((uintptr_t)to, bytes, 0, 1);
	return memmove(to, from, bytes);
}

ENTRY
__tsan_memset(void *to, int value, size_t bytes)
{
	count_range((uintptr_t)to, bytes, 0, 1);
	return memset(to, value, bytes);
}

ENTRY
__wrap_memcpy(void *to, const void *from, size_t bytes)
{
	return __tsan_memcpy(to, from, bytes);
}

ENTRY
__wrap_memmove(void *to, const void *from, size_t bytes)
{
	return __tsan_memmove(to, from, bytes);
}

ENTRY
__wrap_memset(void *to, int value, size_t bytes)
{
	return __tsan_memset(to, value, bytes);
}
