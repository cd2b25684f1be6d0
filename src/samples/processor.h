/* Processor: the registers and flags of the walk, as far as they are known (floor: samples; called by emulate.c,
 * arithmetic.c and walk.c). Single bytes are known or not, because compilers write parts of registers. */
#pragma once
#include "samples/instruction.h"
#include "samples/walk.h"

enum {
	FG_CARRY = 1 << 0,
	FG_PARITY = 1 << 2,
	FG_ZERO = 1 << 6,
	FG_SIGN = 1 << 7,
	FG_DIRECTION = 1 << 10,
	FG_OVERFLOW = 1 << 11,
	FG_FLAGS = FG_CARRY | FG_PARITY | FG_ZERO | FG_SIGN | FG_DIRECTION | FG_OVERFLOW
};

struct fg_value {
	uint64_t bits;
	bool known;
};

struct fg_processor {
	uint64_t general[16];
	uint8_t general_known[16]; /* a bit for each byte */
	uint64_t ip, fs_base;
	uint32_t flags, flags_known;
	unsigned char vector[16][32];
	uint32_t vector_known[16];	  /* a bit for each byte */
	struct fg_value at[FG_ADDRESSES]; /* the addresses of the instruction, before it has changed a register */
};

static inline uint64_t
fg_low(uint64_t value, unsigned bytes)
{
	return bytes >= 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

void fg_processor_begin(struct fg_processor *processor, const struct fg_registers *sample);
struct fg_value fg_processor_get(const struct fg_processor *processor, unsigned number, unsigned first_byte,
				 unsigned bytes);
/* As the processor does it: 4 bytes clear the upper half. */
void fg_processor_set(struct fg_processor *processor, unsigned number, unsigned first_byte, unsigned bytes,
		      struct fg_value value);
/* Works out the addresses of an instruction. */
void fg_processor_locate(struct fg_processor *processor, const struct fg_instruction *instruction);
/* The address of one lane of a gather. */
struct fg_value fg_processor_lane(const struct fg_processor *processor, const struct fg_address *address,
				  unsigned lane);
/* The flags of the mask get these values. Those that are not `known` are not known afterwards. */
void fg_processor_flags(struct fg_processor *processor, uint32_t mask, uint32_t values, uint32_t known);
/* Does the condition hold? */
struct fg_value fg_processor_holds(const struct fg_processor *processor, unsigned condition);
/* An instruction that is not emulated leaves its results unknown. */
void fg_processor_forget(struct fg_processor *processor, const struct fg_instruction *instruction);
