/* Processor (floor: samples): see processor.h. */
#include "samples/processor.h"

#include <string.h>

void
fg_processor_begin(struct fg_processor *processor, const struct fg_registers *sample)
{
	unsigned bytes = sample->vector_bytes < 32 ? sample->vector_bytes : 32;
	memcpy(processor->general, sample->general, sizeof processor->general);
	memset(processor->general_known, 0xff, sizeof processor->general_known);
	processor->ip = sample->ip;
	processor->fs_base = sample->fs_base;
	processor->flags = (uint32_t)sample->flags;
	processor->flags_known = FG_FLAGS;
	memcpy(processor->vector, sample->vector, sizeof processor->vector);
	for (unsigned i = 0; i < 16; i++)
		processor->vector_known[i] = (uint32_t)((UINT64_C(1) << bytes) - 1);
}

struct fg_value
fg_processor_get(const struct fg_processor *processor, unsigned number, unsigned first_byte, unsigned bytes)
{
	if (number >= 16)
		return (struct fg_value){0};
	unsigned needed = (bytes >= 8 ? 0xffu : (1u << bytes) - 1) << first_byte;
	return (struct fg_value){fg_low(processor->general[number] >> 8 * first_byte, bytes),
				 (processor->general_known[number] & needed) == needed};
}

void
fg_processor_set(struct fg_processor *processor, unsigned number, unsigned first_byte, unsigned bytes,
		 struct fg_value value)
{
	if (number >= 16)
		return;
	if (bytes == 4) {
		value.bits = fg_low(value.bits, 4);
		bytes = 8;
	}
	uint64_t place = fg_low(UINT64_MAX, bytes) << 8 * first_byte;
	uint8_t known = (uint8_t)((bytes >= 8 ? 0xffu : (1u << bytes) - 1) << first_byte);
	processor->general[number] = (processor->general[number] & ~place) | (value.bits << 8 * first_byte & place);
	processor->general_known[number] = value.known ? processor->general_known[number] | known
						       : processor->general_known[number] & (uint8_t)~known;
}

static struct fg_value
address_of(const struct fg_processor *processor, const struct fg_address *address, uint64_t index)
{
	struct fg_value base = {0, true};
	if (address->base != FG_NO_REGISTER)
		base = fg_processor_get(processor, address->base, 0, 8);
	uint64_t sum = base.bits + index * address->scale + (uint64_t)address->displacement;
	sum = fg_low(sum, address->narrow ? 4 : 8) + (address->fs ? processor->fs_base : 0);
	return (struct fg_value){sum, base.known && !address->unknown_segment};
}

void
fg_processor_locate(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	for (unsigned i = 0; i < instruction->addresses; i++) {
		const struct fg_address *address = &instruction->address[i];
		struct fg_value index = {0, true};
		if (address->lanes)
			index.known = false;
		else if (address->index != FG_NO_REGISTER)
			index = fg_processor_get(processor, address->index, 0, 8);
		processor->at[i] = address_of(processor, address, index.bits);
		processor->at[i].known &= index.known;
	}
}

struct fg_value
fg_processor_lane(const struct fg_processor *processor, const struct fg_address *address, unsigned lane)
{
	unsigned first = lane * address->index_bytes;
	uint64_t needed = ((UINT64_C(1) << address->index_bytes) - 1) << first;
	if (address->index >= 16 || first + address->index_bytes > 32 ||
	    (processor->vector_known[address->index] & needed) != needed)
		return (struct fg_value){0};
	const unsigned char *place = processor->vector[address->index] + first;
	int32_t narrow;
	int64_t index;
	memcpy(&narrow, place, sizeof narrow);
	if (address->index_bytes == 8)
		memcpy(&index, place, sizeof index);
	else
		index = narrow;
	return address_of(processor, address, (uint64_t)index);
}

void
fg_processor_flags(struct fg_processor *processor, uint32_t mask, uint32_t values, uint32_t known)
{
	processor->flags = (processor->flags & ~mask) | (values & mask);
	processor->flags_known = (processor->flags_known & ~mask) | (known & mask);
}

struct fg_value
fg_processor_holds(const struct fg_processor *processor, unsigned condition)
{
	static const uint32_t needs[8] = {FG_OVERFLOW,
					  FG_CARRY,
					  FG_ZERO,
					  FG_CARRY | FG_ZERO,
					  FG_SIGN,
					  FG_PARITY,
					  FG_SIGN | FG_OVERFLOW,
					  FG_SIGN | FG_OVERFLOW | FG_ZERO};
	if (condition >= 16 || (processor->flags_known & needs[condition / 2]) != needs[condition / 2])
		return (struct fg_value){0};
	bool less = !(processor->flags & FG_SIGN) != !(processor->flags & FG_OVERFLOW),
	     zero = processor->flags & FG_ZERO;
	bool holds = condition / 2 == 6	  ? less
		     : condition / 2 == 7 ? less || zero
					  : processor->flags & needs[condition / 2];
	return (struct fg_value){holds != (condition & 1), true};
}

void
fg_processor_forget(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	for (unsigned i = 0; i < 16; i++) {
		if (instruction->general_written >> i & 1)
			processor->general_known[i] = 0;
		if (instruction->vector_written >> i & 1)
			processor->vector_known[i] = 0;
	}
	processor->flags_known &= ~instruction->flags_written;
}
