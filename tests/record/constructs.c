/* Accesses of many kinds, so that compilers emit what entries they have. It is compiled, and not run. */
#include <stdatomic.h>
#include <string.h>

struct five {
	char byte[5];
} __attribute__((packed));
struct large {
	char byte[200];
};
typedef double vector __attribute__((vector_size(16)));
typedef double wide __attribute__((vector_size(64)));

char c;
short s;
int i;
long l;
volatile int watched;
struct five five, other_five;
struct large large, other_large;
vector v;
wide w;
struct {
	char byte;
	long number;
	vector v;
} __attribute__((packed)) unaligned;

void
plain(char *text, long n)
{
	c++, s++, i++, l++, watched++;
	five = other_five;
	large = other_large;
	v += v;
	w += w;
	unaligned.number++;
	unaligned.v += v;
	for (long k = 0; k < n; k++)
		text[k] ^= 1;
	memcpy(text, &large, (size_t)n);
	memmove(text, text + 1, (size_t)n);
	memset(text, 0, (size_t)n);
}

#define ATOMICS(type)                                                                                                  \
	_Atomic type shared_##type;                                                                                    \
	type use_##type(type value)                                                                                    \
	{                                                                                                              \
		type expected = atomic_load(&shared_##type);                                                           \
		atomic_store(&shared_##type, value);                                                                   \
		value = atomic_exchange(&shared_##type, value);                                                        \
		value += atomic_fetch_add(&shared_##type, value);                                                      \
		value += atomic_fetch_sub(&shared_##type, value);                                                      \
		value += atomic_fetch_and(&shared_##type, value);                                                      \
		value += atomic_fetch_or(&shared_##type, value);                                                       \
		value += atomic_fetch_xor(&shared_##type, value);                                                      \
		value += (type)atomic_compare_exchange_strong(&shared_##type, &expected, value);                       \
		value += (type)atomic_compare_exchange_weak(&shared_##type, &expected, value);                         \
		atomic_thread_fence(memory_order_acquire);                                                             \
		atomic_signal_fence(memory_order_acquire);                                                             \
		return value;                                                                                          \
	}
ATOMICS(char)
ATOMICS(short)
ATOMICS(int)
ATOMICS(long)
