/* Making the instructions of the test emulate, with random operands and the registers that these need. */
#pragma once
#include <string.h>

#include "emulate_forms.h"
#include "emulate_processor.h"
#include "samples/processor.h"

#define CODE 0	  /* places in the mapping */
#define TAKEN 512 /* too far for a short jump */
#define MARK 1024
#define DATA (1 << 18)
#define STACK (1 << 19)
#define MAPPING (1 << 20)
#define AREA 512 /* of data, and of stack, that is compared */

static unsigned char *mapping;
static uint64_t state = 88172645463325252u;

static uint64_t
random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Small numbers, and those near the ends of their range, are likely. */
static uint64_t
random_value(void)
{
	uint64_t number = random_number();
	switch (random_number() % 6) {
	case 0:
		return number % 8;
	case 1:
		return -(number % 8);
	case 2:
		return (UINT64_C(1) << number % 64) - (number >> 32 & 1);
	case 3:
		return number % 128;
	}
	return number;
}

/* The run at hand. */
static struct {
	const struct form *form;
	unsigned width;
	bool hides, jumps, repeated;
	unsigned char text[32];
	ZyanUSize length;
	ZydisEncoderRequest request;
	struct processor before;
	struct fg_processor emulated;
	struct fg_registers sample;
	unsigned count; /* of a shift, where it is a constant; else 256 */
} at;

static ZydisRegister
general_name(unsigned number, unsigned bytes)
{
	static const ZydisRegister first[] = {
		[1] = ZYDIS_REGISTER_AL, [2] = ZYDIS_REGISTER_AX, [4] = ZYDIS_REGISTER_EAX, [8] = ZYDIS_REGISTER_RAX};
	if (bytes > 1)
		return first[bytes] + number;
	if (number < 4)
		return random_number() % 2 ? ZYDIS_REGISTER_AL + number : ZYDIS_REGISTER_AH + number;
	return ZYDIS_REGISTER_SPL + (number - 4);
}

static void
memory_make(ZydisEncoderOperand *operand, unsigned bytes)
{
	unsigned base = (unsigned)random_number() % 16, index = (unsigned)random_number() % 16;
	unsigned width = random_number() % 4 ? 8 : 4;
	uint64_t place = (uintptr_t)mapping + DATA + random_number() % (AREA - 64);
	int32_t displacement = (int32_t)(random_number() % 3 ? random_number() % 100 : random_number());
	if (at.jumps) /* there are targets */
		place &= -(uint64_t)8;
	operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
	operand->mem.size = (ZyanU16)bytes;
	operand->mem.scale = 1;
	switch (random_number() % 8) {
	case 0: /* absolute */
		operand->mem.displacement = (ZyanI64)place;
		operand->mem.scale = 0;
		return;
	case 1: /* relative to the next instruction: corrected when its length is known */
		operand->mem.base = ZYDIS_REGISTER_RIP;
		operand->mem.scale = 0;
		operand->mem.displacement = (ZyanI64)(place - ((uintptr_t)mapping + CODE));
		return;
	}
	while (base == FG_RSP)
		base = (unsigned)random_number() % 16;
	operand->mem.base = general_name(base, width);
	operand->mem.displacement = displacement;
	if (index != FG_RSP && index != base && random_number() % 2) {
		operand->mem.index = general_name(index, width);
		operand->mem.scale = (ZyanU8)(1u << random_number() % 4);
	} else {
		operand->mem.scale = 0;
		index = 0;
	}
	uint64_t rest = place - (uint64_t)(int64_t)displacement -
			(operand->mem.scale ? emulate_processor.general[index] * operand->mem.scale : 0);
	emulate_processor.general[base] = width == 8 ? rest : (rest & UINT32_MAX) | random_number() << 32;
}

static void
operand_make(ZydisEncoderOperand *operand, char letter)
{
	unsigned width = at.width, narrow = width > 2 && random_number() % 2 ? 2 : 1;
	unsigned number = (unsigned)random_number() % 16;
	operand->type = ZYDIS_OPERAND_TYPE_REGISTER;
	switch (letter) {
	case 'r':
		operand->reg.value = general_name(number, width);
		return;
	case 'n':
		operand->reg.value = general_name(number, narrow);
		return;
	case 'e':
		operand->reg.value = general_name(number, 4);
		return;
	case 'q':
		operand->reg.value = general_name(number, 8);
		return;
	case 'c':
		operand->reg.value = ZYDIS_REGISTER_CL;
		return;
	case 'x':
		operand->reg.value = ZYDIS_REGISTER_XMM0 + number;
		return;
	case 'y':
		operand->reg.value = ZYDIS_REGISTER_YMM0 + number;
		return;
	case 'i':
		operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		operand->imm.s = width == 1   ? (int8_t)random_value()
				 : width == 2 ? (int16_t)random_value()
					      : (int32_t)random_value();
		return;
	case 'b':
		operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		at.count = random_number() % 2 ? 1 : (uint8_t)random_number();
		operand->imm.u = at.count;
		return;
	case 'j':
		operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		operand->imm.s = TAKEN; /* corrected when the length is known */
		return;
	case 'm':
		memory_make(operand, width);
		return;
	case 't':
		memory_make(operand, narrow);
		return;
	default:
		memory_make(operand, letter == 'W' ? 4 : letter == 'D' ? 8 : letter == 'X' ? 16 : 32);
	}
}

/* One of the lists of operands. */
static unsigned
list_choose(const char *lists, char *list)
{
	unsigned lists_there = 1, chosen, n = 0;
	for (const char *c = lists; *c; c++)
		lists_there += *c == ' ';
	chosen = (unsigned)random_number() % lists_there;
	for (const char *c = lists; *c; c++) {
		if (*c == ' ')
			chosen--;
		else if (chosen == 0)
			list[n++] = *c;
	}
	return n;
}

static bool
encode(void)
{
	at.length = sizeof at.text;
	return ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&at.request, at.text, &at.length));
}

static bool
is_jump(void)
{
	return at.jumps && at.form->mnemonic != ZYDIS_MNEMONIC_RET && at.request.operand_count &&
	       at.request.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

/* Makes one instruction, and the registers that it needs. False: there is none of this kind. */
static bool
instruction_make(void)
{
	char list[8];
	memset(&at.request, 0, sizeof at.request);
	at.count = 256;
	at.width = (unsigned)at.form->widths[random_number() % strlen(at.form->widths)] - '0';
	at.request.machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
	at.request.mnemonic = at.form->mnemonic;
	at.request.operand_count = (ZyanU8)list_choose(at.form->operands, list);
	if (at.repeated)
		at.request.prefixes = ZYDIS_ATTRIB_HAS_REP;
	for (unsigned i = 0; i < at.request.operand_count; i++)
		operand_make(&at.request.operands[i], list[i]);
	if (!encode())
		return false;
	for (unsigned i = 0; i < at.request.operand_count; i++)
		if (at.request.operands[i].mem.base == ZYDIS_REGISTER_RIP)
			at.request.operands[i].mem.displacement -= (ZyanI64)at.length;
	if (is_jump()) {
		at.request.branch_width = ZYDIS_BRANCH_WIDTH_NONE;
		at.request.operands[0].imm.s = TAKEN - (ZyanI64)at.length;
	}
	ZyanUSize before = at.length;
	return encode() && at.length == before;
}
