/* Calls each hook by itself, and says what must be counted: a line "ENTRY ADDRESS READS WRITES" for each block.
 * Member 1 of 2 calls them. Memory that an atomic operation changes is looked at here. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 256, ENTRIES = 256 };

static _Alignas(ROOM) unsigned char area[ENTRIES][ROOM];
static unsigned n;
static int failed;

static void
expect(const char *entry, const unsigned char *at, unsigned reads, unsigned writes)
{
	printf("%s %p %u %u\n", entry, (const void *)at, reads, writes);
}

/* The memory has 5 before, and `after` after the call. */
#define CALL(entry, reads, writes, after, ...)                                                                         \
	do {                                                                                                           \
		extern void entry();                                                                                   \
		unsigned char *at = area[n++];                                                                         \
		at[0] = 5;                                                                                             \
		entry(__VA_ARGS__);                                                                                    \
		expect(#entry, at, reads, writes);                                                                     \
		if (at[0] != (unsigned char)(after)) {                                                                 \
			fprintf(stderr, #entry ": %u, not %u\n", at[0], (unsigned char)(after));                       \
			failed = 1;                                                                                    \
		}                                                                                                      \
	} while (0)

/* Of each size. The unaligned ones lie in two blocks, if they can. */
#define SIZED(bytes, units)                                                                                            \
	CALL(__tsan_read##bytes, units, 0, 5, at);                                                                     \
	CALL(__tsan_write##bytes, 0, units, 5, at);                                                                    \
	CALL(__tsan_read_write##bytes, units, units, 5, at);                                                           \
	CALL(__tsan_volatile_read##bytes, units, 0, 5, at);                                                            \
	CALL(__tsan_volatile_write##bytes, 0, units, 5, at);                                                           \
	UNALIGNED(__tsan_unaligned_read##bytes, bytes, 1, 0);                                                          \
	UNALIGNED(__tsan_unaligned_write##bytes, bytes, 0, 1);                                                         \
	UNALIGNED(__tsan_unaligned_read_write##bytes, bytes, 1, 1);                                                    \
	UNALIGNED(__tsan_unaligned_volatile_read##bytes, bytes, 1, 0);                                                 \
	UNALIGNED(__tsan_unaligned_volatile_write##bytes, bytes, 0, 1)

#define UNALIGNED(entry, bytes, reads, writes)                                                                         \
	do {                                                                                                           \
		CALL(entry, reads, writes, 5, at + 63);                                                                \
		if (bytes > 1)                                                                                         \
			expect(#entry, area[n - 1] + 64, reads *(bytes > 9 ? 2 : 1), writes *(bytes > 9 ? 2 : 1));     \
	} while (0)

#define ATOMIC(bits, type, units)                                                                                      \
	do {                                                                                                           \
		type same = 5, other = 6;                                                                              \
		CALL(__tsan_atomic##bits##_load, units, 0, 5, at, 5);                                                  \
		CALL(__tsan_atomic##bits##_store, 0, units, 7, at, (type)7, 5);                                        \
		CALL(__tsan_atomic##bits##_exchange, units, units, 7, at, (type)7, 5);                                 \
		CALL(__tsan_atomic##bits##_fetch_add, units, units, 8, at, (type)3, 5);                                \
		CALL(__tsan_atomic##bits##_fetch_sub, units, units, 2, at, (type)3, 5);                                \
		CALL(__tsan_atomic##bits##_fetch_and, units, units, 1, at, (type)3, 5);                                \
		CALL(__tsan_atomic##bits##_fetch_or, units, units, 7, at, (type)3, 5);                                 \
		CALL(__tsan_atomic##bits##_fetch_xor, units, units, 6, at, (type)3, 5);                                \
		CALL(__tsan_atomic##bits##_fetch_nand, units, units, ~1, at, (type)3, 5);                              \
		CALL(__tsan_atomic##bits##_compare_exchange_strong, units, units, 7, at, &same, (type)7, 5, 5);        \
		CALL(__tsan_atomic##bits##_compare_exchange_weak, units, units, 5, at, &other, (type)7, 5, 5);         \
		CALL(__tsan_atomic##bits##_compare_exchange_val, units, units, 7, at, (type)5, (type)7, 5, 5);         \
		if (other != 5) {                                                                                      \
			fprintf(stderr, "compare_exchange_weak of %d bits does not tell what it found\n", bits);       \
			failed = 1;                                                                                    \
		}                                                                                                      \
	} while (0)

#define CALL_NOTHING(entry, ...)                                                                                       \
	do {                                                                                                           \
		extern void entry();                                                                                   \
		entry(__VA_ARGS__);                                                                                    \
		printf("%s nothing\n", #entry);                                                                        \
	} while (0)

/* 100 bytes from 128 to 0. */
#define COPY(entry, sets)                                                                                              \
	do {                                                                                                           \
		area[n][128] = 9;                                                                                      \
		CALL(entry, 0, 8, 9, at, sets ? (void *)9 : at + 128, 100);                                            \
		expect(#entry, area[n - 1] + 64, 0, 5);                                                                \
		if (!sets) {                                                                                           \
			expect(#entry, area[n - 1] + 128, 8, 0);                                                       \
			expect(#entry, area[n - 1] + 192, 5, 0);                                                       \
		}                                                                                                      \
	} while (0)

static void
call_all(void)
{
	SIZED(1, 1);
	SIZED(2, 1);
	SIZED(4, 1);
	SIZED(8, 1);
	SIZED(16, 2);
	CALL(__tsan_read_range, 3, 0, 5, at + 40, 40L);
	expect("__tsan_read_range", area[n - 1] + 64, 2, 0);
	CALL(__tsan_write_range, 0, 8, 5, at, 64L);
	CALL(__tsan_vptr_read, 1, 0, 5, at);
	CALL(__tsan_vptr_update, 0, 1, 5, at, NULL);
	ATOMIC(8, unsigned char, 1);
	ATOMIC(16, unsigned short, 1);
	ATOMIC(32, unsigned, 1);
	ATOMIC(64, unsigned long, 1);
#ifdef __x86_64__
	ATOMIC(128, unsigned __int128, 2);
#endif
	COPY(__tsan_memcpy, 0);
	COPY(__tsan_memmove, 0);
	COPY(__tsan_memset, 1);
	COPY(__wrap_memcpy, 0);
	COPY(__wrap_memmove, 0);
	COPY(__wrap_memset, 1);
	CALL_NOTHING(__tsan_init);
	CALL_NOTHING(__tsan_func_entry, NULL);
	CALL_NOTHING(__tsan_func_exit);
	CALL_NOTHING(__tsan_ignore_thread_begin);
	CALL_NOTHING(__tsan_ignore_thread_end);
	CALL_NOTHING(__tsan_acquire, area);
	CALL_NOTHING(__tsan_release, area);
	CALL_NOTHING(__tsan_atomic_thread_fence, 5);
	CALL_NOTHING(__tsan_atomic_signal_fence, 5);
}

int
main(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		call_all();
	return failed;
}
