/* The kernels of kernels.h, built once for each set of options. KERNELS_OF is the name of their table. With COUNTED
 * they are the instrumented twins. */
#include "kernels.h"

#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifdef COUNTED
static void
count(unsigned thread, const void *place, size_t bytes)
{
	for (unsigned i = 0; i < ARRAYS; i++)
		if ((size_t)((const char *)place - arrays[i].begin) < arrays[i].bytes)
			counted[thread][i] += bytes;
}
#define USE(place)                                                                                                     \
	(*({                                                                                                           \
		__typeof__(place) *used_ = &(place);                                                                   \
		count(thread, used_, sizeof *used_);                                                                   \
		used_;                                                                                                 \
	}))
#else
#define USE(place) (place)
#endif

#define FIRST(n) ((n) * thread / THREADS)
#define LAST(n) ((n) * (thread + 1) / THREADS)

static void
triad(unsigned thread)
{
	double *a = data_a, *b = data_b, *c = data_c;
	for (size_t i = FIRST(data_n); i < LAST(data_n); i++)
		USE(a[i]) = USE(b[i]) + 3 * USE(c[i]);
}

#define WIDTH 1024
static void
stencil(unsigned thread)
{
	double *u = data_a, *v = data_b;
	size_t rows = data_n / WIDTH - 2;
	for (size_t i = 1 + FIRST(rows); i < 1 + LAST(rows); i++)
		for (size_t j = 1; j < WIDTH - 1; j++) {
			size_t at = i * WIDTH + j;
			USE(v[at]) = 0.2 * (USE(u[at]) + USE(u[at - 1]) + USE(u[at + 1]) + USE(u[at - WIDTH]) +
					    USE(u[at + WIDTH]));
		}
}

static void
spmv(unsigned thread)
{
	double *values = data_a, *x = data_b, *y = data_c;
	int *columns = data_columns, *rows = data_rows;
	for (size_t i = FIRST(data_n); i < LAST(data_n); i++) {
		double sum = 0;
		for (int k = USE(rows[i]), end = USE(rows[i + 1]); k < end; k++)
			sum += USE(values[k]) * USE(x[USE(columns[k])]);
		USE(y[i]) = sum;
	}
}

/* A probe divides, and goes on until it meets the key or an empty entry. */
static void
hash_join(unsigned thread)
{
	uint64_t sum = 0, *keys = data_keys;
	struct entry *table = data_table;
	for (size_t i = FIRST(data_n); i < LAST(data_n); i++) {
		uint64_t key = USE(keys[i]);
		for (size_t at = key % data_entries;; at = at + 1 < data_entries ? at + 1 : 0) {
			uint64_t found = USE(table[at].key);
			if (found == key) {
				sum += USE(table[at].value);
				break;
			}
			if (!found)
				break;
		}
	}
	data_sink = (double)sum;
}

static void
gather(unsigned thread)
{
	double *values = data_a, *x = data_b, sum = 0;
	int *columns = data_columns;
	size_t k = FIRST(data_n);
#if defined __AVX2__ && !defined COUNTED
	__m256d sums = _mm256_setzero_pd();
	for (; k + 4 <= LAST(data_n); k += 4) {
		__m128i at = _mm_loadu_si128((const __m128i *)(columns + k));
		sums = _mm256_add_pd(sums, _mm256_mul_pd(_mm256_loadu_pd(values + k), _mm256_i32gather_pd(x, at, 8)));
	}
	sum = sums[0] + sums[1] + sums[2] + sums[3];
#endif
	for (; k < LAST(data_n); k++)
		sum += USE(values[k]) * USE(x[USE(columns[k])]);
	data_sink = sum;
}

/* Blocks of so many bytes are copied by vectors, and whole parts as the C library likes. */
static void
copy(unsigned thread, size_t block)
{
	char *to = (char *)data_a, *from = (char *)data_b;
	for (size_t at = FIRST(arrays[0].bytes); at < LAST(arrays[0].bytes); at += block) {
		size_t n = LAST(arrays[0].bytes) - at < block ? LAST(arrays[0].bytes) - at : block;
#ifdef COUNTED
		counted[thread][0] += n;
		counted[thread][1] += n;
#endif
		memcpy(to + at, from + at, n);
	}
}

static void
copy_blocks(unsigned thread)
{
	copy(thread, 500);
}

static void
copy_whole(unsigned thread)
{
	copy(thread, arrays[0].bytes);
}

const struct kernel KERNELS_OF[KERNELS] = {
	{"triad", triad},   {"5-point stencil", stencil},      {"SpMV (CSR)", spmv},	      {"hash join", hash_join},
	{"gather", gather}, {"memcpy of blocks", copy_blocks}, {"memcpy, whole", copy_whole},
};
