// Memory with a content that is known by its place.
#pragma once
#include <stdbool.h>
#include <stddef.h>

static inline void
fill(char *start, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(long); i++)
		((long *)start)[i] = (long)(i * 2654435761u);
}

static inline bool
holds(const char *start, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(long); i++)
		if (((const volatile long *)start)[i] != (long)(i * 2654435761u))
			return false;
	return true;
}
