/* Atomic operations of the program (floor: record; called as hooks.c). The entry performs the operation, and counts
 * a read, a write, or both. Each operation has the strongest order, whatever the program asks for. A compare and
 * exchange counts as both, also where it fails, because the processor takes the line as for a write. */
#include "record/count.h"

#include <stdbool.h>

#define ENTRY(type) __attribute__((visibility("hidden"))) type

/* `compare` exchanges by comparing: it returns the value before, whether or not that was the expected one. */
#define MODIFY(bits, type, name, result, compare)                                                                      \
	ENTRY(type) __tsan_atomic##bits##_##name(volatile type *address, type value, int order)                        \
	{                                                                                                              \
		(void)order;                                                                                           \
		fg_count(address, bits / 8, 1, 1);                                                                     \
		type before = *address, seen;                                                                          \
		while ((seen = compare(address, before, (type)(result))) != before)                                    \
			before = seen;                                                                                 \
		return before;                                                                                         \
	}

#define EXCHANGE(bits, type, strength, compare)                                                                        \
	ENTRY(int)                                                                                                     \
	__tsan_atomic##bits##_compare_exchange_##strength(volatile type *address, type *expected, type value,          \
							  int order, int otherwise)                                    \
	{                                                                                                              \
		(void)order, (void)otherwise;                                                                          \
		fg_count(address, bits / 8, 1, 1);                                                                     \
		type before = compare(address, *expected, value);                                                      \
		bool same = before == *expected;                                                                       \
		*expected = before;                                                                                    \
		return same;                                                                                           \
	}

#define ATOMICS(bits, type, compare)                                                                                   \
	ENTRY(type) __tsan_atomic##bits##_load(const volatile type *address, int order)                                \
	{                                                                                                              \
		(void)order;                                                                                           \
		fg_count(address, bits / 8, 1, 0);                                                                     \
		return LOAD_##bits(address);                                                                           \
	}                                                                                                              \
	ENTRY(void) __tsan_atomic##bits##_store(volatile type *address, type value, int order)                         \
	{                                                                                                              \
		(void)order;                                                                                           \
		fg_count(address, bits / 8, 0, 1);                                                                     \
		type before = *address, seen;                                                                          \
		while ((seen = compare(address, before, value)) != before)                                             \
			before = seen;                                                                                 \
	}                                                                                                              \
	MODIFY(bits, type, exchange, value, compare)                                                                   \
	MODIFY(bits, type, fetch_add, before + value, compare)                                                         \
	MODIFY(bits, type, fetch_sub, before - value, compare)                                                         \
	MODIFY(bits, type, fetch_and, before &value, compare)                                                          \
	MODIFY(bits, type, fetch_or, before | value, compare)                                                          \
	MODIFY(bits, type, fetch_xor, before ^ value, compare)                                                         \
	MODIFY(bits, type, fetch_nand, ~(before & value), compare)                                                     \
	EXCHANGE(bits, type, strong, compare)                                                                          \
	EXCHANGE(bits, type, weak, compare)                                                                            \
	ENTRY(type)                                                                                                    \
	__tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type value, int order,       \
						   int otherwise)                                                      \
	{                                                                                                              \
		(void)order, (void)otherwise;                                                                          \
		fg_count(address, bits / 8, 1, 1);                                                                     \
		return compare(address, expected, value);                                                              \
	}

#define LOAD(address) __atomic_load_n(address, __ATOMIC_SEQ_CST)
#define LOAD_8 LOAD
#define LOAD_16 LOAD
#define LOAD_32 LOAD
#define LOAD_64 LOAD
#define COMPARE __sync_val_compare_and_swap
ATOMICS(8, uint8_t, COMPARE)
ATOMICS(16, uint16_t, COMPARE)
ATOMICS(32, uint32_t, COMPARE)
ATOMICS(64, uint64_t, COMPARE)

/* A program that has these needs a processor with the instruction. */
#ifdef __x86_64__
typedef unsigned __int128 wide;

static __attribute__((target("cx16"))) wide
compare_wide(volatile wide *address, wide expected, wide value)
{
	return __sync_val_compare_and_swap(address, expected, value);
}

#define LOAD_128(address) compare_wide((volatile wide *)(uintptr_t)(address), 0, 0)
ATOMICS(128, wide, compare_wide)
#endif

ENTRY(void)
__tsan_atomic_thread_fence(int order)
{
	(void)order;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

ENTRY(void)
__tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
