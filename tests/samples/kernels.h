/* Kernels whose accesses are known: shares.c samples them, and their twins count (kernels.c, built with COUNTED). */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define THREADS 2
#define ARRAYS 5

struct array {
	const char *name;
	char *begin;
	size_t bytes;
};

/* One kernel, as one set of options compiles it. */
struct kernel {
	const char *name;
	/* The part of the work that a thread has: one pass. */
	void (*pass)(unsigned thread);
};
#define KERNELS 7

extern struct array arrays[ARRAYS];
/* Bytes that each thread read and wrote in each array, by the twins. */
extern uint64_t counted[THREADS][ARRAYS];

/* Makes the arrays that the kernel uses. */
void data_make(unsigned kernel);
void data_free(void);

/* What the kernels share. */
extern double *data_a, *data_b, *data_c;
extern int *data_columns, *data_rows;
extern struct entry {
	uint64_t key, value;
} *data_table;
extern uint64_t *data_keys;
extern size_t data_n, data_entries;
extern volatile double data_sink;

extern const struct kernel kernels_O0[KERNELS], kernels_O2[KERNELS], kernels_O3[KERNELS], kernels_counted[KERNELS];
