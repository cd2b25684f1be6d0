/* Floating-point environment: control words and status flags of the running thread, as a context's frame holds them
 * (floor: platform; used by context.c, by exec/flat, exec/nested and exec/kernel at a fork, by exec/loop/crew.c, and
 * by sched).
 *
 * In C it is a thread's own (fenv.h), and a new pthread begins in its maker's. x86-64 has two of them, for SSE and for
 * the x87. feraiseexcept and long double use the latter.
 *
 * The control words are the modes: rounding, flush-to-zero, traps. A member begins each region in the modes of the
 * thread that met it. To load MXCSR takes longer than to look, so a member loads it only where the modes differ.
 *
 * Each function acts on the running thread, anywhere, and writes only registers and what the caller gives. The flag
 * fg_float_x87_flags only goes up. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)

struct fg_float {
	uint32_t mxcsr;		  /* control and flags */
	uint16_t control, status; /* x87 */
};

/* Some thread has had flags of the x87 up. A switch notices that in passing, when its two contexts differ there. */
extern unsigned char fg_float_x87_flags __attribute__((visibility("hidden")));

static inline struct fg_float
fg_float_get(void)
{
	struct fg_float now;
	__asm__ volatile("stmxcsr %0; fnstcw %1; fnstsw %2" : "=m"(now.mxcsr), "=m"(now.control), "=m"(now.status));
	return now;
}

void fg_float_set_x87(struct fg_float wanted);

static inline void
fg_float_set(struct fg_float wanted)
{
	struct fg_float now = fg_float_get();
	if (now.mxcsr != wanted.mxcsr)
		__asm__ volatile("ldmxcsr %0" : : "m"(wanted.mxcsr));
	if (now.control != wanted.control || (uint8_t)(now.status ^ wanted.status))
		fg_float_set_x87(wanted);
}

#define FG_FLOAT_MXCSR_FLAGS 0x3fu

/* The modes of the running thread. MXCSR comes with its flags. */
static inline void
fg_float_get_modes(struct fg_float *to)
{
	__asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(to->mxcsr), "=m"(to->control));
}

static inline bool
fg_float_modes_differ(const struct fg_float *wanted)
{
	struct fg_float now;
	fg_float_get_modes(&now);
	return ((now.mxcsr ^ wanted->mxcsr) & ~FG_FLOAT_MXCSR_FLAGS) != 0 || now.control != wanted->control;
}

/* The same where time counts. To read the x87's flags takes as long as all the rest, and hardly any program has some.
 * So the first flags ever are missed. A thread may not inherit them, or may find those of the member that ran before
 * it. */
static inline void
fg_float_hand_down(struct fg_float *to)
{
	if (__builtin_expect(fg_float_x87_flags, 0))
		*to = fg_float_get();
	else
		fg_float_get_modes(to);
}

/* Each word is loaded where it lies, because a load of two parts that were just stored one by one is late. */
static inline void
fg_float_inherit(const struct fg_float *wanted)
{
	if (__builtin_expect(fg_float_x87_flags, 0))
		fg_float_set(*wanted);
	else
		__asm__ volatile("ldmxcsr %0; fldcw %1" : : "m"(wanted->mxcsr), "m"(wanted->control));
}

/* The same after another member that has begun so. `mxcsr` was read when that one ended, some instructions earlier,
 * because the read is slow. To read both words would take as long as a small member. The functions of fenv.h change
 * modes in both, so MXCSR shows them. Flags of SSE, and a precision of the x87, that the other member has left are not
 * seen. */
static inline uint32_t
fg_float_mxcsr(void)
{
	uint32_t mxcsr;
	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	return mxcsr;
}

static inline void
fg_float_inherit_again(const struct fg_float *wanted, uint32_t mxcsr)
{
	if (__builtin_expect(((mxcsr ^ wanted->mxcsr) & ~FG_FLOAT_MXCSR_FLAGS) != 0, 0) ||
	    __builtin_expect(fg_float_x87_flags, 0))
		fg_float_set(*wanted);
}

/* The runtime's own arithmetic runs on threads of the program, and must neither raise their flags nor spring their
 * traps. It has double and float only, so the x87 stays as it is. */
#define FG_FLOAT_MXCSR_NEW 0x1f80u

static inline struct fg_float
fg_float_put_aside(void)
{
	struct fg_float old = {.mxcsr = fg_float_mxcsr()};
	if ((old.mxcsr & ~FG_FLOAT_MXCSR_FLAGS) != FG_FLOAT_MXCSR_NEW)
		__asm__ volatile("ldmxcsr %0" : : "m"((uint32_t){FG_FLOAT_MXCSR_NEW}) : "memory");
	return old;
}

static inline void
fg_float_take_back(struct fg_float old)
{
	if (fg_float_mxcsr() != old.mxcsr)
		__asm__ volatile("ldmxcsr %0" : : "m"(old.mxcsr) : "memory");
}

/* The running thread takes over the modes, and keeps its own flags. */
void fg_float_set_modes(const struct fg_float *wanted);
static inline void
fg_float_follow(const struct fg_float *wanted)
{
	if (__builtin_expect(fg_float_modes_differ(wanted), 0))
		fg_float_set_modes(wanted);
}

#elif defined(__aarch64__)

struct fg_float {
	uint32_t fpcr, fpsr;
};

static inline struct fg_float
fg_float_get(void)
{
	uint64_t fpcr, fpsr;
	__asm__ volatile("mrs %0, fpcr; mrs %1, fpsr" : "=r"(fpcr), "=r"(fpsr));
	return (struct fg_float){(uint32_t)fpcr, (uint32_t)fpsr};
}

static inline void
fg_float_set(struct fg_float wanted)
{
	struct fg_float now = fg_float_get();
	if (now.fpcr != wanted.fpcr)
		__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)wanted.fpcr));
	if (now.fpsr != wanted.fpsr)
		__asm__ volatile("msr fpsr, %0" : : "r"((uint64_t)wanted.fpsr));
}

static inline struct fg_float
fg_float_put_aside(void)
{
	struct fg_float old = fg_float_get();
	fg_float_set((struct fg_float){0});
	return old;
}
#define fg_float_take_back(old) fg_float_set(old)

#define fg_float_hand_down(to) (*(to) = fg_float_get())
#define fg_float_inherit(wanted) fg_float_set(*(wanted))
#define fg_float_mxcsr() 0
#define fg_float_inherit_again(wanted, unused) ((void)(unused), fg_float_set(*(wanted)))

static inline void
fg_float_get_modes(struct fg_float *to)
{
	uint64_t fpcr;
	__asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
	to->fpcr = (uint32_t)fpcr;
}

static inline void
fg_float_follow(const struct fg_float *wanted)
{
	struct fg_float now;
	fg_float_get_modes(&now);
	if (__builtin_expect(now.fpcr != wanted->fpcr, 0))
		__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)wanted->fpcr));
}

#endif
