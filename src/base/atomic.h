/* Atomic operations with the memory order in the name (floor: base; used everywhere).
 *
 * Three bodies stand behind one set of names. They are the only build switch there is.
 * - The live body maps each name to one C11 operation.
 * - The test body (-DFG_ATOMIC_TEST) hands each operation to the interleaving checker of tests/interleave. That
 *   switches contexts there and lets a load return any value that C11 permits.
 * - The charged body (-DFG_ATOMIC_CHARGED) is that of the simulated machine (src/sim). To the live body it adds the
 *   cost of the cache line that the operation needs.
 *
 * Any thread may call anywhere. The orders of an operation are in its name; no other file uses <stdatomic.h>. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The shared words. Each is a struct, so that a plain C assignment to one does not compile by accident. */
struct fg_atomic_u32 {
	_Atomic uint32_t v;
};
struct fg_atomic_u64 {
	_Atomic uint64_t v;
};
struct fg_atomic_ptr {
	_Atomic(void *) v;
};

/* gcc's seq_cst fence is mfence, or a locked operation on the stack, which costs a tenth (34 against 3 ns). */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define FG_FULL_FENCE() __asm__ volatile("lock; orl $0,-64(%%rsp)" ::: "memory", "cc")
#else
#define FG_FULL_FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif

#if defined(FG_ATOMIC_TEST) /* the bodies are in tests/interleave/model.c */
#include "interleave/model_atomic.h"
#elif defined(FG_ATOMIC_CHARGED)
#include "base/atomic_charged.h"
#else

#define fg_load_relaxed(a) atomic_load_explicit(&(a)->v, memory_order_relaxed)
#define fg_load_acquire(a) atomic_load_explicit(&(a)->v, memory_order_acquire)
#define fg_load_seq_cst(a) atomic_load_explicit(&(a)->v, memory_order_seq_cst)
#define fg_store_relaxed(a, x) atomic_store_explicit(&(a)->v, (x), memory_order_relaxed)
#define fg_store_release(a, x) atomic_store_explicit(&(a)->v, (x), memory_order_release)
#define fg_store_seq_cst(a, x) atomic_store_explicit(&(a)->v, (x), memory_order_seq_cst)
#define fg_add_relaxed(a, x) atomic_fetch_add_explicit(&(a)->v, (x), memory_order_relaxed) /* returns the old value */
#define fg_add_release(a, x) atomic_fetch_add_explicit(&(a)->v, (x), memory_order_release)
#define fg_add_acq_rel(a, x) atomic_fetch_add_explicit(&(a)->v, (x), memory_order_acq_rel)
#define fg_sub_acq_rel(a, x) atomic_fetch_sub_explicit(&(a)->v, (x), memory_order_acq_rel)
#define fg_or_acq_rel(a, x) atomic_fetch_or_explicit(&(a)->v, (x), memory_order_acq_rel)
#define fg_and_acq_rel(a, x) atomic_fetch_and_explicit(&(a)->v, (x), memory_order_acq_rel)
#define fg_exchange_acquire(a, x) atomic_exchange_explicit(&(a)->v, (x), memory_order_acquire)
#define fg_exchange_acq_rel(a, x) atomic_exchange_explicit(&(a)->v, (x), memory_order_acq_rel)
/* Compare and swap: *expected is updated on failure; true on success. */
#define fg_cas_relaxed(a, expected, x)                                                                                 \
	atomic_compare_exchange_strong_explicit(&(a)->v, (expected), (x), memory_order_relaxed, memory_order_relaxed)
#define fg_cas_acquire(a, expected, x)                                                                                 \
	atomic_compare_exchange_strong_explicit(&(a)->v, (expected), (x), memory_order_acquire, memory_order_relaxed)
#define fg_cas_release(a, expected, x)                                                                                 \
	atomic_compare_exchange_strong_explicit(&(a)->v, (expected), (x), memory_order_release, memory_order_relaxed)
#define fg_cas_acq_rel(a, expected, x)                                                                                 \
	atomic_compare_exchange_strong_explicit(&(a)->v, (expected), (x), memory_order_acq_rel, memory_order_acquire)
#define fg_fence_acquire() atomic_thread_fence(memory_order_acquire)
#define fg_fence_release() atomic_thread_fence(memory_order_release)
#define fg_fence_seq_cst() FG_FULL_FENCE()

#endif

/* For an assert, about a word that no other thread changes now: it is no step of the interleaving checker, and costs
 * nothing on the simulated machine. */
#if !defined(FG_ATOMIC_TEST)
#define fg_load_stable(a) atomic_load_explicit(&(a)->v, memory_order_relaxed)
#endif

/* For a word that its own thread writes all the time: the simulated machine does not charge for it. So also for a word
 * that kernel threads beside that machine use, because a charged operation reads and stops the running PU's clock. */
#if !defined(FG_ATOMIC_CHARGED)
#define fg_own_load_relaxed(a) fg_load_relaxed(a)
#define fg_own_store_relaxed(a, x) fg_store_relaxed(a, x)
#define fg_own_store_release(a, x) fg_store_release(a, x)
#endif

/* Orders for a signal handler of the same kernel thread, so for the compiler only. */
#define fg_signal_fence() atomic_signal_fence(memory_order_seq_cst)

/* A line of plain data goes from one PU to another. The caller has written it, or reads it next. The simulated machine
 * charges for that, and counts the lines taken over. */
#if defined(FG_ATOMIC_CHARGED)
#define fg_hand_over(address) fg_charge(address, FG_CHARGE_WRITE)
#define fg_take_over(address) fg_charge(address, FG_CHARGE_TAKE)
#else
#define fg_hand_over(address) ((void)(address))
#define fg_take_over(address) ((void)(address))
#endif

/* The thread enters the runtime and leaves it; it begins to look for work, or has done so. The simulated machine tells
 * these times apart. */
#if !defined(FG_ATOMIC_CHARGED)
#define fg_charge_enter() ((void)0)
#define fg_charge_leave() ((void)0)
#define fg_charge_search(on) ((void)(on))
#endif

/* Fetches a line for writing, in the background. */
static inline void
fg_prefetch_write(const void *address)
{
#if defined(FG_ATOMIC_CHARGED)
	fg_charge(address, FG_CHARGE_PREFETCH);
#elif defined(__x86_64__)
	__asm__ volatile("prefetchw %0" ::"m"(*(const char *)address));
#else
	__builtin_prefetch(address, 1);
#endif
}

/* Fetches a line for reading, in the background. It is for rows of independent reads: a processor has some under way by
 * itself, and the simulated machine only those that it is told of. */
static inline void
fg_prefetch_read(const void *address)
{
#if defined(FG_ATOMIC_CHARGED)
	fg_charge(address, FG_CHARGE_PREFETCH_READ);
#else
	__builtin_prefetch(address, 0);
#endif
}

static inline void
fg_cpu_pause(void)
{
#if defined(FG_ATOMIC_TEST)
	model_pause();
#elif defined(FG_ATOMIC_CHARGED)
	fg_charge_pause();
#elif defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
}
