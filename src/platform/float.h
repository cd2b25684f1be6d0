/* Floating-point environment: control words and status flags of the running thread, as a context's frame holds them
 * (floor: platform; used by context.c, exec/nested/birth.c and exec/kernel/kernel_team.c).
 *
 * In C it is a thread's own (fenv.h), and a new pthread begins in its maker's. x86-64 has two of them, for SSE and for
 * the x87. feraiseexcept and long double use the latter. */
#pragma once
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

/* The same where time counts. To read the x87's flags takes as long as all the rest, and hardly any program has some.
 * So the first flags ever are missed. A thread may not inherit them, or may find those of the member that ran before
 * it. */
static inline void
fg_float_hand_down(struct fg_float *to)
{
	if (__builtin_expect(fg_float_x87_flags, 0))
		*to = fg_float_get();
	else
		__asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(to->mxcsr), "=m"(to->control));
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

/* The same after another member that has begun so. To read or write MXCSR takes longer than all else in a small member.
 * fesetround sets the rounding mode in both units, so the x87's word shows it. Flush-to-zero and flags of SSE that the
 * other member has left are not seen. */
static inline void
fg_float_inherit_again(const struct fg_float *wanted)
{
	uint16_t control;
	__asm__ volatile("fnstcw %0" : "=m"(control));
	if (__builtin_expect(control != wanted->control, 0) || __builtin_expect(fg_float_x87_flags, 0))
		fg_float_set(*wanted);
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

#define fg_float_hand_down(to) (*(to) = fg_float_get())
#define fg_float_inherit(wanted) fg_float_set(*(wanted))
#define fg_float_inherit_again(wanted) fg_float_set(*(wanted))

#endif
