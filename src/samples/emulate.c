/* Emulate (floor: samples): see emulate.h.
 *
 * A store to an unknown address is taken to hit nothing that the walk loads. */
#include "samples/emulate.h"

#include <string.h>

#include "samples/arithmetic.h"
#include "samples/lines.h"

#define PIECE 64

static const struct fg_value unknown;
static const struct fg_value nothing = {0, true};

static struct fg_value
load(struct fg_value from, unsigned bytes)
{
	uint64_t bits = 0;
	if (!from.known || bytes > sizeof bits || bytes == 0)
		return unknown;
	uint64_t known = fg_lines_load(from.bits, &bits, bytes);
	return (struct fg_value){bits, known == (UINT64_C(1) << bytes) - 1};
}

static void
store(struct fg_value to, unsigned bytes, struct fg_value value)
{
	if (to.known && bytes <= sizeof value.bits)
		fg_lines_store(to.bits, &value.bits, bytes, value.known ? UINT64_MAX : 0);
}

/* The general value of an operand. */
static struct fg_value
get(const struct fg_processor *processor, const struct fg_instruction *instruction, unsigned i)
{
	const struct fg_operand *operand = &instruction->operand[i];
	switch (operand->kind) {
	case FG_GENERAL:
		return fg_processor_get(processor, operand->number, operand->first_byte, operand->bytes);
	case FG_IMMEDIATE:
		return (struct fg_value){instruction->immediate, true};
	case FG_MEMORY:
		return load(processor->at[operand->number], operand->bytes);
	}
	return unknown;
}

static void
set(struct fg_processor *processor, const struct fg_instruction *instruction, unsigned i, struct fg_value value)
{
	const struct fg_operand *operand = &instruction->operand[i];
	if (operand->kind == FG_GENERAL)
		fg_processor_set(processor, operand->number, operand->first_byte, operand->bytes, value);
	else if (operand->kind == FG_MEMORY)
		store(processor->at[operand->number], operand->bytes, value);
}

static struct fg_value
extended(struct fg_value value, unsigned bytes)
{
	unsigned above = bytes < 8 ? 64 - 8 * bytes : 0;
	return (struct fg_value){(uint64_t)((int64_t)(value.bits << above) >> above), value.known};
}

static void
flags_set(struct fg_processor *processor, const struct fg_result *result)
{
	fg_processor_flags(processor, result->changed, result->flags, result->defined);
}

static bool
same_register(const struct fg_instruction *instruction)
{
	const struct fg_operand *a = &instruction->operand[0], *b = &instruction->operand[1];
	return a->kind == FG_GENERAL && b->kind == FG_GENERAL && a->number == b->number && a->bytes == b->bytes &&
	       a->first_byte == b->first_byte;
}

static void
arithmetic(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	enum fg_operation operation = instruction->operation;
	struct fg_value a = get(processor, instruction, 0), b = nothing, c = nothing;
	if (operation < FG_INCREMENT)
		b = get(processor, instruction, 1);
	if ((operation == FG_XOR || operation == FG_SUBTRACT) && same_register(instruction))
		a = b = nothing; /* zero, whatever it was */
	if (operation == FG_ADD_CARRY || operation == FG_SUBTRACT_CARRY)
		c = (struct fg_value){processor->flags & FG_CARRY, processor->flags_known & FG_CARRY};
	struct fg_result result = fg_arithmetic(operation, instruction->operand[0].bytes, a, b, c);
	flags_set(processor, &result);
	if (operation != FG_COMPARE && operation != FG_TEST)
		set(processor, instruction, 0, (struct fg_value){result.bits, result.known});
}

static void
plain_shift(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	enum fg_operation with_flags = instruction->operation == FG_PLAIN_SHIFT_LEFT	 ? FG_SHIFT_LEFT
				       : instruction->operation == FG_PLAIN_SHIFT_RIGHT	 ? FG_SHIFT_RIGHT
				       : instruction->operation == FG_PLAIN_SHIFT_SIGNED ? FG_SHIFT_SIGNED
											 : FG_ROTATE_RIGHT;
	struct fg_result result =
		fg_arithmetic(with_flags, instruction->operand[0].bytes, get(processor, instruction, 1),
			      get(processor, instruction, 2), nothing);
	set(processor, instruction, 0, (struct fg_value){result.bits, result.known});
}

static void
multiply(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	unsigned first = instruction->operand[2].kind != FG_NO_OPERAND;
	struct fg_result result =
		fg_arithmetic(FG_MULTIPLY, instruction->operand[0].bytes, get(processor, instruction, first),
			      get(processor, instruction, first + 1), nothing);
	flags_set(processor, &result);
	set(processor, instruction, 0, (struct fg_value){result.bits, result.known});
}

/* The halves of what is twice as wide as rax: in ah and al if `bytes` is 1, else in rdx and rax. */
static struct fg_value
upper_get(const struct fg_processor *processor, unsigned bytes)
{
	return bytes == 1 ? fg_processor_get(processor, FG_RAX, 1, 1) : fg_processor_get(processor, FG_RDX, 0, bytes);
}

static void
upper_set(struct fg_processor *processor, unsigned bytes, struct fg_value value)
{
	if (bytes == 1)
		fg_processor_set(processor, FG_RAX, 1, 1, value);
	else
		fg_processor_set(processor, FG_RDX, 0, bytes, value);
}

static void
wide(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	unsigned bytes = instruction->operand[0].bytes;
	bool divides = instruction->operation == FG_DIVIDE || instruction->operation == FG_DIVIDE_SIGNED;
	struct fg_result result =
		fg_arithmetic(instruction->operation, bytes, fg_processor_get(processor, FG_RAX, 0, bytes),
			      get(processor, instruction, 0), divides ? upper_get(processor, bytes) : nothing);
	flags_set(processor, &result);
	fg_processor_set(processor, FG_RAX, 0, bytes, (struct fg_value){result.bits, result.known});
	upper_set(processor, bytes, (struct fg_value){result.upper, result.known});
}

/* The processor names these by the width of the result: cbw, cwde, cdqe; and cwd, cdq, cqo. */
static unsigned
width_of(const struct fg_instruction *instruction)
{
	const unsigned char *text = instruction->text;
	for (unsigned i = 0; i + 1 < instruction->length; i++) {
		if (text[i] == 0x66)
			return 2;
		if (text[i] >= 0x48 && text[i] <= 0x4f)
			return 8;
	}
	return 4;
}

static void
extend_rax(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	unsigned bytes = width_of(instruction);
	if (instruction->operation == FG_EXTEND_RAX) {
		struct fg_value half = fg_processor_get(processor, FG_RAX, 0, bytes / 2);
		fg_processor_set(processor, FG_RAX, 0, bytes, extended(half, bytes / 2));
		return;
	}
	struct fg_value rax = extended(fg_processor_get(processor, FG_RAX, 0, bytes), bytes);
	fg_processor_set(processor, FG_RDX, 0, bytes,
			 (struct fg_value){(int64_t)rax.bits < 0 ? UINT64_MAX : 0, rax.known});
}

static void
exchange(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	struct fg_value a = get(processor, instruction, 0), b = get(processor, instruction, 1);
	set(processor, instruction, 0, b);
	set(processor, instruction, 1, a);
}

static void
conditional(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	struct fg_value holds = fg_processor_holds(processor, instruction->condition);
	if (instruction->operation == FG_CONDITIONAL_SET)
		set(processor, instruction, 0, holds);
	else if (holds.known)
		set(processor, instruction, 0, get(processor, instruction, holds.bits ? 1 : 0));
	else
		set(processor, instruction, 0, unknown);
}

static struct fg_value
stack_pointer(const struct fg_processor *processor)
{
	return fg_processor_get(processor, FG_RSP, 0, 8);
}

static void
push(struct fg_processor *processor, unsigned bytes, struct fg_value value)
{
	struct fg_value place = stack_pointer(processor);
	place.bits -= bytes;
	store(place, bytes, value);
	fg_processor_set(processor, FG_RSP, 0, 8, place);
}

static struct fg_value
pop(struct fg_processor *processor, unsigned bytes)
{
	struct fg_value place = stack_pointer(processor), value = load(place, bytes);
	place.bits += bytes;
	fg_processor_set(processor, FG_RSP, 0, 8, place);
	return value;
}

/* A segment register is pushed as 8 bytes. */
static void
stack_operation(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	unsigned bytes = instruction->operand[0].bytes == 2 && instruction->operand[0].kind != FG_NO_OPERAND ? 2 : 8;
	switch (instruction->operation) {
	case FG_PUSH:
		push(processor, bytes, get(processor, instruction, 0));
		return;
	case FG_POP:
		set(processor, instruction, 0, pop(processor, bytes));
		return;
	default: /* leave */
		fg_processor_set(processor, FG_RSP, 0, 8, fg_processor_get(processor, FG_RBP, 0, 8));
		fg_processor_set(processor, FG_RBP, 0, 8, pop(processor, 8));
	}
}

/* Moves a register by as many elements as a string instruction did. */
static void
string_step(struct fg_processor *processor, unsigned number, struct fg_value bytes)
{
	struct fg_value place = fg_processor_get(processor, number, 0, 8);
	bool back = processor->flags & FG_DIRECTION;
	fg_processor_set(processor, number, 0, 8,
			 (struct fg_value){back ? place.bits - bytes.bits : place.bits + bytes.bits,
					   place.known && bytes.known});
}

static void
string(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	bool moves = instruction->operation == FG_STRING_MOVE;
	unsigned bytes = instruction->address[0].bytes;
	struct fg_value to = fg_processor_get(processor, FG_RDI, 0, 8), count = {1, true};
	if (instruction->repeated) {
		count = fg_processor_get(processor, FG_RCX, 0, 8);
		fg_processor_set(processor, FG_RCX, 0, 8, nothing);
		if (to.known && count.known && count.bits) {
			uint64_t all = count.bits * bytes;
			fg_lines_forget(processor->flags & FG_DIRECTION ? to.bits - all + bytes : to.bits, all);
		}
	} else {
		struct fg_value value = moves ? load(fg_processor_get(processor, FG_RSI, 0, 8), bytes)
					      : fg_processor_get(processor, FG_RAX, 0, bytes);
		store(to, bytes, value);
	}
	count.bits *= bytes;
	string_step(processor, FG_RDI, count);
	if (moves)
		string_step(processor, FG_RSI, count);
}

/* The bytes of a vector or of a general register or of memory; returns which are known. */
static uint64_t
bytes_get(const struct fg_processor *processor, const struct fg_instruction *instruction, unsigned i,
	  unsigned char *bytes, unsigned n)
{
	const struct fg_operand *operand = &instruction->operand[i];
	memset(bytes, 0, PIECE);
	if (operand->kind == FG_VECTOR) {
		memcpy(bytes, processor->vector[operand->number], n < 32 ? n : 32);
		return processor->vector_known[operand->number];
	}
	if (operand->kind == FG_MEMORY)
		return processor->at[operand->number].known
			       ? fg_lines_load(processor->at[operand->number].bits, bytes, n < PIECE ? n : PIECE)
			       : 0;
	struct fg_value value = get(processor, instruction, i);
	memcpy(bytes, &value.bits, sizeof value.bits);
	return value.known ? 0xff : 0;
}

/* Bytes above the first n become zero, or stay in the older kind of a register's write. A load of a part by the older
 * kind clears the rest of the 16 bytes. */
static void
bytes_set(struct fg_processor *processor, const struct fg_instruction *instruction, const unsigned char *bytes,
	  unsigned n, uint64_t known)
{
	const struct fg_operand *operand = &instruction->operand[0];
	if (operand->kind == FG_MEMORY) {
		if (processor->at[operand->number].known)
			fg_lines_store(processor->at[operand->number].bits, bytes, n, known);
		return;
	}
	if (operand->kind != FG_VECTOR) {
		struct fg_value value;
		memcpy(&value.bits, bytes, sizeof value.bits);
		uint64_t needed = n < 8 ? (UINT64_C(1) << n) - 1 : 0xff;
		value.known = (known & needed) == needed;
		set(processor, instruction, 0, value);
		return;
	}
	unsigned written = instruction->clears ? 32 : 16;
	unsigned char *vector = processor->vector[operand->number];
	uint32_t *vector_known = &processor->vector_known[operand->number];
	for (unsigned i = 0; i < written; i++) {
		vector[i] = i < n ? bytes[i] : 0;
		bool is_known = i >= n || known >> i & 1;
		*vector_known = is_known ? *vector_known | UINT32_C(1) << i : *vector_known & ~(UINT32_C(1) << i);
	}
}

static void
vector(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	unsigned char from[PIECE], to[PIECE] = {0};
	unsigned to_bytes = instruction->operand[0].bytes, from_bytes = instruction->operand[1].bytes;
	unsigned n = to_bytes < from_bytes ? to_bytes : from_bytes;
	if (n > PIECE || n == 0) {
		fg_processor_forget(processor, instruction);
		return;
	}
	uint64_t known = bytes_get(processor, instruction, 1, from, from_bytes), to_known = 0;
	switch (instruction->operation) {
	case FG_VECTOR_MOVE:
		bytes_set(processor, instruction, from, n, known);
		return;
	case FG_VECTOR_EXTRACT: {
		unsigned first = (unsigned)(instruction->immediate & (from_bytes / n - 1)) * n;
		memcpy(to, from + first, n);
		bytes_set(processor, instruction, to, n, known >> first);
		return;
	}
	default:
		for (unsigned i = 0; i < to_bytes / 8 && i < PIECE / 8; i++) {
			uint32_t element;
			memcpy(&element, from + 4 * i, sizeof element);
			uint64_t widened = instruction->operation == FG_VECTOR_WIDEN
						   ? element
						   : (uint64_t)(int64_t)(int32_t)element;
			memcpy(to + 8 * i, &widened, sizeof widened);
			if ((known >> 4 * i & 15) == 15)
				to_known |= UINT64_C(255) << 8 * i;
		}
		bytes_set(processor, instruction, to, to_bytes, to_known);
	}
}

static void
clear_upper(struct fg_processor *processor)
{
	for (unsigned i = 0; i < 16; i++) {
		memset(processor->vector[i] + 16, 0, 16);
		processor->vector_known[i] |= UINT32_C(0xffff) << 16;
	}
}

static bool
flow(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	uint64_t next = processor->ip;
	struct fg_value target = {instruction->immediate, true}, holds = {1, true};
	switch (instruction->operation) {
	case FG_CALL:
	case FG_JUMP:
		if (instruction->operand[0].kind != FG_IMMEDIATE)
			target = get(processor, instruction, 0);
		if (instruction->operation == FG_CALL)
			push(processor, 8, (struct fg_value){next, true});
		break;
	case FG_RETURN:
		target = pop(processor, 8);
		if (instruction->operand[0].kind == FG_IMMEDIATE) {
			struct fg_value above = stack_pointer(processor);
			above.bits += instruction->immediate;
			fg_processor_set(processor, FG_RSP, 0, 8, above);
		}
		break;
	default:
		fg_processor_forget(processor, instruction); /* loop changes rcx */
		holds = fg_processor_holds(processor, instruction->condition);
		if (!holds.known) /* the loop goes on, more often than not */
			holds.bits = target.bits <= instruction->ip;
	}
	if (!target.known)
		return false;
	processor->ip = holds.bits ? target.bits : next;
	return true;
}

static void
other(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	fg_processor_forget(processor, instruction);
	for (unsigned i = 0; i < instruction->addresses; i++) {
		const struct fg_address *address = &instruction->address[i];
		unsigned char none[PIECE] = {0};
		if (!address->written || !processor->at[i].known)
			continue;
		if (address->bytes <= PIECE)
			fg_lines_store(processor->at[i].bits, none, address->bytes, 0);
		else
			fg_lines_forget(processor->at[i].bits, address->bytes);
	}
}

bool
fg_emulate(struct fg_processor *processor, const struct fg_instruction *instruction)
{
	enum fg_operation operation = instruction->operation;
	processor->ip = instruction->ip + instruction->length;
	if (operation >= FG_ADD && operation <= FG_NOT)
		arithmetic(processor, instruction);
	else if (operation >= FG_PLAIN_SHIFT_LEFT && operation <= FG_PLAIN_ROTATE_RIGHT)
		plain_shift(processor, instruction);
	else if (operation >= FG_MULTIPLY_WIDE && operation <= FG_DIVIDE_SIGNED)
		wide(processor, instruction);
	else if (operation >= FG_PUSH && operation <= FG_LEAVE)
		stack_operation(processor, instruction);
	else if (operation >= FG_CALL && operation <= FG_CONDITIONAL_JUMP)
		return flow(processor, instruction);
	else if (operation >= FG_STRING_MOVE && operation <= FG_STRING_STORE)
		string(processor, instruction);
	else if (operation >= FG_VECTOR_MOVE && operation <= FG_VECTOR_WIDEN)
		vector(processor, instruction);
	else
		switch (operation) {
		case FG_MOVE:
			set(processor, instruction, 0, get(processor, instruction, 1));
			break;
		case FG_ZERO_EXTEND:
			set(processor, instruction, 0, get(processor, instruction, 1));
			break;
		case FG_SIGN_EXTEND:
			set(processor, instruction, 0,
			    extended(get(processor, instruction, 1), instruction->operand[1].bytes));
			break;
		case FG_LOAD_ADDRESS:
			set(processor, instruction, 0, processor->at[0]);
			break;
		case FG_MULTIPLY:
			multiply(processor, instruction);
			break;
		case FG_EXTEND_RAX:
		case FG_EXTEND_RDX_RAX:
			extend_rax(processor, instruction);
			break;
		case FG_EXCHANGE:
			exchange(processor, instruction);
			break;
		case FG_CONDITIONAL_MOVE:
		case FG_CONDITIONAL_SET:
			conditional(processor, instruction);
			break;
		case FG_VECTOR_CLEAR:
			clear_upper(processor);
			break;
		case FG_NOTHING:
			break;
		case FG_ENDS:
			return false;
		default:
			other(processor, instruction);
		}
	return true;
}
