/* Arithmetic: results and flags of integer operations (floor: samples; called by emulate.c). Pure functions. */
#pragma once
#include "samples/processor.h"

struct fg_result {
	uint64_t bits, upper; /* upper: rdx, of a wide multiplication or a division */
	uint32_t flags;
	uint32_t changed; /* flags that the operation changes */
	uint32_t defined; /* those of them that the architecture defines */
	bool known;
};

/* a: the first operand, or the lower half of a dividend. b: the second one. c: the carry, or the upper half. */
struct fg_result fg_arithmetic(enum fg_operation operation, unsigned bytes, struct fg_value a, struct fg_value b,
			       struct fg_value c);
