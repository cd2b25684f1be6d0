/* The arrays of the kernels (kernels.h), and the counts of their twins. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct array arrays[ARRAYS];
uint64_t counted[THREADS][ARRAYS];
double *data_a, *data_b, *data_c;
int *data_columns, *data_rows;
struct entry *data_table;
uint64_t *data_keys;
size_t data_n, data_entries;
volatile double data_sink;

static uint64_t state = 88172645463325252u;

static uint64_t
random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 16;
}

/* A thread's stack may be made next to an array. The walker takes all within 64 KiB above its stack pointer for
 * stack. */
#define MARGIN (1 << 20)

static void *
array(unsigned i, const char *name, size_t bytes)
{
	char *begin = mmap(NULL, bytes + 2 * MARGIN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (begin == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	arrays[i] = (struct array){name, begin + MARGIN, bytes};
	return begin + MARGIN;
}

static void
stream_make(void)
{
	data_n = 1 << 18;
	data_a = array(0, "a", data_n * sizeof(double));
	data_b = array(1, "b", data_n * sizeof(double));
	data_c = array(2, "c", data_n * sizeof(double));
}

/* Values in a row of the matrix, on average. Compiled by -O0 a row of 20 takes 500 instructions. */
#define ROW 10
static void
matrix_make(size_t rows)
{
	size_t values = 0;
	data_n = rows;
	data_a = array(0, "values", rows * 2 * ROW * sizeof(double));
	data_columns = array(1, "columns", rows * 2 * ROW * sizeof(int));
	data_b = array(2, "x", rows * sizeof(double));
	data_rows = array(3, "rows", (rows + 1) * sizeof(int));
	data_c = array(4, "y", rows * sizeof(double));
	for (size_t i = 0; i < rows; i++) {
		data_rows[i] = (int)values;
		for (size_t row = 1 + random_number() % (2 * ROW - 1); row; row--) {
			data_a[values] = 1;
			data_columns[values++] = (int)(random_number() % rows);
		}
	}
	data_rows[rows] = (int)values;
}

static void
table_make(void)
{
	data_n = 1 << 18;
	data_entries = 800011;
	data_table = array(0, "table", data_entries * sizeof *data_table);
	data_keys = array(1, "keys", data_n * sizeof *data_keys);
	for (size_t i = 0; i < data_entries / 4; i++) {
		uint64_t key = random_number() | 1;
		size_t at = key % data_entries;
		while (data_table[at].key)
			at = at + 1 < data_entries ? at + 1 : 0;
		data_table[at] = (struct entry){key, i};
	}
	for (size_t i = 0; i < data_n; i++) /* half of the keys are there */
		data_keys[i] = i % 2 ? random_number() | 1 : data_table[random_number() % data_entries].key | 1;
}

static void
indices_make(void)
{
	data_n = 1 << 19;
	data_a = array(0, "values", data_n * sizeof(double));
	data_columns = array(1, "columns", data_n * sizeof(int));
	data_b = array(2, "x", data_n * sizeof(double));
	for (size_t i = 0; i < data_n; i++)
		data_columns[i] = (int)(random_number() % data_n);
}

static void
copies_make(void)
{
	data_a = array(0, "to", 4 << 20);
	data_b = array(1, "from", 4 << 20);
}

void
data_make(unsigned kernel)
{
	static void (*const makes[KERNELS])(void) = {stream_make,  stream_make, NULL,	    table_make,
						     indices_make, copies_make, copies_make};
	if (makes[kernel])
		makes[kernel]();
	else
		matrix_make(1 << 15);
	memset(counted, 0, sizeof counted);
}

void
data_free(void)
{
	for (unsigned i = 0; i < ARRAYS; i++)
		if (arrays[i].begin)
			munmap(arrays[i].begin - MARGIN, arrays[i].bytes + 2 * MARGIN);
	memset(arrays, 0, sizeof arrays);
}
