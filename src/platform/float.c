/* The x87's part of the floating-point environment (floor: platform): see float.h. */
#include "platform/float.h"

#if defined(__x86_64__)

unsigned char fg_float_x87_flags;

/* The flags come first, because a control word that unmasks a raised flag would raise the exception. */
void
fg_float_set_x87(struct fg_float wanted)
{
	struct {
		uint16_t control, free, status, more[11];
	} environment;
	fg_float_x87_flags = 1;
	__asm__ volatile("fnclex");
	if ((uint8_t)wanted.status == 0) {
		__asm__ volatile("fldcw %0" : : "m"(wanted.control));
		return;
	}
	__asm__ volatile("fnstenv %0" : "=m"(environment));
	environment.control = wanted.control;
	environment.status = (uint8_t)wanted.status;
	__asm__ volatile("fldenv %0" : : "m"(environment));
}

/* A flag of the x87 whose exception is unmasked now would spring that trap, so it goes. */
void
fg_float_set_modes(const struct fg_float *wanted)
{
	struct fg_float now = fg_float_get();
	uint32_t mxcsr = (wanted->mxcsr & ~FG_FLOAT_MXCSR_FLAGS) | (now.mxcsr & FG_FLOAT_MXCSR_FLAGS);
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
	now.status &= wanted->control;
	if (now.control == wanted->control)
		return;
	now.control = wanted->control;
	if ((uint8_t)now.status)
		fg_float_set_x87(now);
	else
		__asm__ volatile("fnclex; fldcw %0" : : "m"(now.control));
}

#endif
