/* Copies of the program (floor: record; called as hooks.c). clang calls the first three. gcc calls memcpy and its
 * kin, and the linker brings them here where the program is linked with --wrap=memcpy (docs/pinning.md). */
#include "record/count.h"

#include <string.h>

#define ENTRY __attribute__((visibility("hidden"))) void *

/* With --wrap the linker brings this file's own calls of memcpy here, too. Without it these do not exist. */
__attribute__((weak)) void *__real_memcpy(void *, const void *, size_t);
__attribute__((weak)) void *__real_memmove(void *, const void *, size_t);
__attribute__((weak)) void *__real_memset(void *, int, size_t);

ENTRY
__tsan_memcpy(void *to, const void *from, size_t bytes)
{
	fg_count_range((uintptr_t)from, bytes, 1, 0);
	fg_count_range((uintptr_t)to, bytes, 0, 1);
	return (__real_memcpy ? __real_memcpy : memcpy)(to, from, bytes);
}

ENTRY
__tsan_memmove(void *to, const void *from, size_t bytes)
{
	fg_count_range((uintptr_t)from, bytes, 1, 0);
	fg_count_range((uintptr_t)to, bytes, 0, 1);
	return (__real_memmove ? __real_memmove : memmove)(to, from, bytes);
}

ENTRY
__tsan_memset(void *to, int value, size_t bytes)
{
	fg_count_range((uintptr_t)to, bytes, 0, 1);
	return (__real_memset ? __real_memset : memset)(to, value, bytes);
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
