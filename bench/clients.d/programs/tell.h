/* The output of the C clients: `seconds X`, `same NAME DIGEST` (bitwise), `near NAME VALUE TOLERANCE` (relative). */
#ifndef TELL_H
#define TELL_H
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static inline double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* FNV-1a. */
static inline void
tell_same(const char *name, const void *data, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (const unsigned char *byte = data, *end = byte + size; byte < end; byte++)
		hash = (hash ^ *byte) * 0x100000001b3u;
	printf("same %s %016llx\n", name, (unsigned long long)hash);
}

/* A fixed sequence between -1 and 1. */
static inline void
fill(double *data, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		data[i] = (double)(int64_t)seed * 0x1p-63;
	}
}
#endif
