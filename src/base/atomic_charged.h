/* The charged body of base/atomic.h (floor: base; included by base/atomic.h): the live operations, each with a look
 * before it. The look asks whether the caller's PU has the line. If it does not, the simulated machine charges the time
 * to get it. It lets the PUs that are behind in time go first (src/sim/lines.c). Any thread of the simulated machine
 * may call, inside or outside; the look may switch to another actor. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* FG_CHARGE_TAKE: a read of data that another PU may have handed over. */
enum fg_charge {
	FG_CHARGE_READ = 1,
	FG_CHARGE_WRITE,
	FG_CHARGE_PREFETCH, /* for writing */
	FG_CHARGE_PREFETCH_READ,
	FG_CHARGE_CHANGE,
	FG_CHARGE_TAKE
};

/* The lines that the running PU may use at no cost, by their numbers. They are valid while `turn` is the PU's current
 * one. */
#define FG_CHARGE_RIGHTS 2048
struct fg_charge_right {
	_Alignas(32) uintptr_t may_read, may_change; /* may_change: no other PU has it, or has wanted it for a while */
	uint32_t turn;
};

extern struct fg_charge_state {
	struct fg_charge_right *rights;
	uint32_t turn;
	/* The number of looks before the clock is asked whether other PUs must go first. Each look takes a moment that
	 * the program does not use. */
	uint64_t patience;
	/* The parts of a stretch of computing: the program's code, the runtime's, and there the search for work. The
	 * counter is read where a thread enters the runtime and leaves it. */
	uint64_t left;	  /* the counter where the program's code began; 0: the runtime's code runs */
	uint64_t program; /* what the counter counted in the program's code */
	uint64_t borders; /* reads of the counter for that */
	bool searches;	  /* the running place looks for work */
} fg_charge_state;

static inline uint64_t
fg_charge_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t now;
	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(now));
	return now;
#endif
}

static inline void
fg_charge_enter(void)
{
	if (fg_charge_state.left == 0)
		return;
	fg_charge_state.program += fg_charge_ticks() - fg_charge_state.left;
	fg_charge_state.left = 0;
	fg_charge_state.borders++;
}

static inline void
fg_charge_leave(void)
{
	if (fg_charge_state.left)
		return;
	fg_charge_state.left = fg_charge_ticks();
	fg_charge_state.borders++;
}

static inline void
fg_charge_search(bool on)
{
	fg_charge_state.searches = on;
}

void fg_charge_slow(uintptr_t line, enum fg_charge kind);
void fg_charge_fence(void);
void fg_charge_pause(void);
/* Whether other PUs must go first. It renews the patience. */
bool fg_charge_is_over(void);

static inline void
fg_charge(const volatile void *address, enum fg_charge kind)
{
	uintptr_t line = (uintptr_t)address / 64;
	const struct fg_charge_right *right = &fg_charge_state.rights[line % FG_CHARGE_RIGHTS];
	bool reads = kind == FG_CHARGE_READ || kind == FG_CHARGE_TAKE || kind == FG_CHARGE_PREFETCH_READ;
	uintptr_t mine = reads ? right->may_read : right->may_change;
	if (__builtin_expect(mine != line || right->turn != fg_charge_state.turn, 0) ||
	    (__builtin_expect(--fg_charge_state.patience == 0, 0) && fg_charge_is_over()))
		fg_charge_slow(line, kind);
}

#define FG_CHARGED(a, kind, operation)                                                                                 \
	({                                                                                                             \
		__auto_type fg_charged_ = &(a)->v;                                                                     \
		fg_charge(fg_charged_, kind);                                                                          \
		operation;                                                                                             \
	})
#define FG_CHARGED_LOAD(a, order) FG_CHARGED(a, FG_CHARGE_READ, atomic_load_explicit(fg_charged_, order))
#define FG_CHARGED_STORE(a, x, order) FG_CHARGED(a, FG_CHARGE_WRITE, atomic_store_explicit(fg_charged_, (x), order))
#define FG_CHARGED_CHANGE(change, a, x, order)                                                                         \
	FG_CHARGED(a, FG_CHARGE_CHANGE, atomic_##change##_explicit(fg_charged_, (x), order))
#define FG_CHARGED_CAS(a, expected, x, order, failed)                                                                  \
	FG_CHARGED(a, FG_CHARGE_CHANGE,                                                                                \
		   atomic_compare_exchange_strong_explicit(fg_charged_, (expected), (x), order, failed))

#define fg_load_relaxed(a) FG_CHARGED_LOAD(a, memory_order_relaxed)
#define fg_load_acquire(a) FG_CHARGED_LOAD(a, memory_order_acquire)
#define fg_load_seq_cst(a) FG_CHARGED_LOAD(a, memory_order_seq_cst)
#define fg_store_relaxed(a, x) FG_CHARGED_STORE(a, x, memory_order_relaxed)
#define fg_store_release(a, x) FG_CHARGED_STORE(a, x, memory_order_release)
#define fg_store_seq_cst(a, x) FG_CHARGED_STORE(a, x, memory_order_seq_cst)
#define fg_add_relaxed(a, x) FG_CHARGED_CHANGE(fetch_add, a, x, memory_order_relaxed)
#define fg_add_release(a, x) FG_CHARGED_CHANGE(fetch_add, a, x, memory_order_release)
#define fg_add_acq_rel(a, x) FG_CHARGED_CHANGE(fetch_add, a, x, memory_order_acq_rel)
#define fg_sub_acq_rel(a, x) FG_CHARGED_CHANGE(fetch_sub, a, x, memory_order_acq_rel)
#define fg_or_acq_rel(a, x) FG_CHARGED_CHANGE(fetch_or, a, x, memory_order_acq_rel)
#define fg_and_acq_rel(a, x) FG_CHARGED_CHANGE(fetch_and, a, x, memory_order_acq_rel)
#define fg_exchange_acquire(a, x) FG_CHARGED_CHANGE(exchange, a, x, memory_order_acquire)
#define fg_exchange_acq_rel(a, x) FG_CHARGED_CHANGE(exchange, a, x, memory_order_acq_rel)
#define fg_cas_relaxed(a, expected, x) FG_CHARGED_CAS(a, expected, x, memory_order_relaxed, memory_order_relaxed)
#define fg_cas_acquire(a, expected, x) FG_CHARGED_CAS(a, expected, x, memory_order_acquire, memory_order_relaxed)
#define fg_cas_release(a, expected, x) FG_CHARGED_CAS(a, expected, x, memory_order_release, memory_order_relaxed)
#define fg_cas_acq_rel(a, expected, x) FG_CHARGED_CAS(a, expected, x, memory_order_acq_rel, memory_order_acquire)
#define fg_own_load_relaxed(a) atomic_load_explicit(&(a)->v, memory_order_relaxed)
#define fg_own_store_relaxed(a, x) atomic_store_explicit(&(a)->v, (x), memory_order_relaxed)
#define fg_own_store_release(a, x) atomic_store_explicit(&(a)->v, (x), memory_order_release)
#define fg_fence_acquire() atomic_thread_fence(memory_order_acquire)
#define fg_fence_release() atomic_thread_fence(memory_order_release)
#define fg_fence_seq_cst() fg_charge_fence()
