/* Atomic operations of the program (floor: record; called as hooks.c). The entry performs the operation, and counts a
 * read, a write, or both. Each operation has the strongest order, whatever the program asks for. A compare and exchange
 * counts as both, also where it fails, because the processor takes the line as for a write. */
#include "record/count.h"

#include <stdbool.h>

#define ENTRY(type) __attribute__((visibility("hidden"))) type
#define ORDER __ATOMIC_SEQ_CST

#define MODIFY(bits, type, name)                                                                                       \
	ENTRY(type) __tsan_atomic##bits##_fetch_##name(volatile type *address, type value, int order)                 \
	{                                                                                                              \
		(void)order;                                                                                           \
		count(address, bits / 8, 1, 1);                                                                        \
		return __atomic_fetch_##name(address, value, ORDER);                                                   \
	}

#define EXCHANGE(bits, type, strength, weak)                                                                           \
	ENTRY(int)                                                                                                     \
	__tsan_atomic##bits##_compare_exchange_##strength(volatile type *address, type *expected, type value,         \
							   int order, int otherwise)                                   \
	{                                                                                                              \
		(void)order, (void)otherwise;                                                                          \
		count(address, bits / 8, 1, 1);                                                                        \
		return __atomic_compare_exchange_n(address, expected, value, weak, ORDER, ORDER);                      \
	}

#define ATOMICS(bits, type)                                                                                            \
	ENTRY(type) __tsan_atomic##bits##_load(const volatile type *address, int order)                                \
	{                                                                                                              \
		(void)order;                                                                                           \
		count(address, bits / 8, 1, 0);                                                                        \
		return __atomic_load_n(address, ORDER);                                                                \
	}                                                                                                              \
	ENTRY(void) __tsan_atomic##bits##_store(volatile type *address, type value, int order)                         \
	{                                                                                                              \
		(void)order;                                                                                           \
		count(address, bits / 8, 0, 1);                                                                        \
		__atomic_store_n(address, value, ORDER);                                                               \
	}                                                                                                              \
	ENTRY(type) __tsan_atomic##bits##_exchange(volatile type *address, type value, int order)                      \
	{                                                                                                              \
		(void)order;                                                                                           \
		count(address, bits / 8, 1, 1);                                                                        \
		return __atomic_exchange_n(address, value, ORDER);                                                     \
	}                                                                                                              \
	MODIFY(bits, type, add)                                                                                        \
	MODIFY(bits, type, sub)                                                                                        \
	MODIFY(bits, type, and)                                                                                        \
	MODIFY(bits, type, or)                                                                                         \
	MODIFY(bits, type, xor)                                                                                        \
	MODIFY(bits, type, nand)                                                                                       \
	EXCHANGE(bits, type, strong, false)                                                                            \
	EXCHANGE(bits, type, weak, true)                                                                               \
	ENTRY(type)                                                                                                    \
	__tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type value, int order,      \
						    int otherwise)                                                     \
	{                                                                                                              \
		(void)order, (void)otherwise;                                                                          \
		count(address, bits / 8, 1, 1);                                                                        \
		__atomic_compare_exchange_n(address, &expected, value, false, ORDER, ORDER);                           \
		return expected;                                                                                       \
	}

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

ENTRY(void)
__tsan_atomic_thread_fence(int order)
{
	(void)order;
	__atomic_thread_fence(ORDER);
}

ENTRY(void)
__tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(ORDER);
}
