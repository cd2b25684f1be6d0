/* Arithmetic (floor: samples): see arithmetic.h. */
#include "samples/arithmetic.h"

#define ALL (FG_CARRY | FG_PARITY | FG_ZERO | FG_SIGN | FG_OVERFLOW)

static uint64_t
top_of(uint64_t value, unsigned bytes)
{
	return value >> (8 * bytes - 1) & 1;
}

static int64_t
signed_of(uint64_t value, unsigned bytes)
{
	unsigned above = 64 - 8 * bytes;
	return (int64_t)(value << above) >> above;
}

/* The flags that tell of the value itself. */
static uint32_t
flags_of(uint64_t value, unsigned bytes)
{
	return (value ? 0 : FG_ZERO) | (top_of(value, bytes) ? FG_SIGN : 0) |
	       (__builtin_parity((unsigned)value & 0xff) ? 0 : FG_PARITY);
}

static struct fg_result
result_of(uint64_t value, unsigned bytes, bool carry, bool overflow)
{
	value = fg_low(value, bytes);
	return (struct fg_result){.bits = value,
				  .flags = flags_of(value, bytes) | (carry ? FG_CARRY : 0) |
					   (overflow ? FG_OVERFLOW : 0),
				  .changed = ALL,
				  .defined = ALL,
				  .known = true};
}

static struct fg_result
add(unsigned bytes, uint64_t a, uint64_t b, uint64_t carry)
{
	uint64_t sum = fg_low(a + b + carry, bytes);
	return result_of(sum, bytes, sum < a || (carry && sum == a), top_of((a ^ sum) & (b ^ sum), bytes));
}

static struct fg_result
subtract(unsigned bytes, uint64_t a, uint64_t b, uint64_t carry)
{
	uint64_t difference = fg_low(a - b - carry, bytes);
	return result_of(difference, bytes, a < b || (carry && a == b), top_of((a ^ b) & (a ^ difference), bytes));
}

static struct fg_result
shift(enum fg_operation operation, unsigned bytes, uint64_t a, uint64_t count)
{
	unsigned bits = 8 * bytes;
	count &= bytes == 8 ? 63 : 31;
	if (count == 0)
		return (struct fg_result){.bits = a, .known = true};
	uint64_t value, out;
	bool overflow;
	if (operation == FG_SHIFT_LEFT) {
		value = fg_low(a << count, bytes);
		out = count <= bits ? a >> (bits - count) & 1 : 0;
		overflow = top_of(value, bytes) != out;
	} else if (operation == FG_SHIFT_RIGHT) {
		value = a >> count;
		out = a >> (count - 1) & 1;
		overflow = top_of(a, bytes);
	} else {
		value = (uint64_t)(signed_of(a, bytes) >> count);
		out = (uint64_t)(signed_of(a, bytes) >> (count - 1)) & 1;
		overflow = false;
	}
	struct fg_result result = result_of(value, bytes, out, overflow);
	if (count != 1)
		result.defined &= ~(uint32_t)FG_OVERFLOW;
	if (count >= bits && operation != FG_SHIFT_SIGNED)
		result.defined &= ~(uint32_t)FG_CARRY;
	return result;
}

static struct fg_result
rotate(enum fg_operation operation, unsigned bytes, uint64_t a, uint64_t count)
{
	unsigned bits = 8 * bytes;
	count &= bytes == 8 ? 63 : 31;
	if (count == 0)
		return (struct fg_result){.bits = a, .known = true};
	unsigned left = (unsigned)(operation == FG_ROTATE_LEFT ? count : bits - count % bits) % bits;
	uint64_t value = left ? fg_low(a << left | a >> (bits - left), bytes) : a;
	uint64_t top = top_of(value, bytes);
	bool carry = operation == FG_ROTATE_LEFT ? value & 1 : top;
	bool overflow = operation == FG_ROTATE_LEFT ? top != (value & 1) : top != (value >> (bits - 2) & 1);
	return (struct fg_result){.bits = value,
				  .flags = (carry ? FG_CARRY : 0) | (overflow ? FG_OVERFLOW : 0),
				  .changed = FG_CARRY | FG_OVERFLOW,
				  .defined = FG_CARRY | (count == 1 ? FG_OVERFLOW : 0),
				  .known = true};
}

/* The flags say whether the upper half is needed. */
static struct fg_result
multiply(enum fg_operation operation, unsigned bytes, uint64_t a, uint64_t b)
{
	unsigned __int128 product = operation == FG_MULTIPLY_WIDE
					    ? (unsigned __int128)a * b
					    : (unsigned __int128)((__int128)signed_of(a, bytes) * signed_of(b, bytes));
	uint64_t lower = fg_low((uint64_t)product, bytes), upper = fg_low((uint64_t)(product >> 8 * bytes), bytes);
	bool wide = operation == FG_MULTIPLY_WIDE ? upper != 0 : (__int128)signed_of(lower, bytes) != (__int128)product;
	return (struct fg_result){.bits = lower,
				  .upper = upper,
				  .flags = wide ? FG_CARRY | FG_OVERFLOW : 0,
				  .changed = ALL,
				  .defined = FG_CARRY | FG_OVERFLOW,
				  .known = true};
}

/* Where the processor would complain, nothing is known. */
static struct fg_result
divide(enum fg_operation operation, unsigned bytes, uint64_t lower, uint64_t divisor, uint64_t upper)
{
	unsigned __int128 dividend = (unsigned __int128)upper << 8 * bytes | lower, quotient, rest;
	struct fg_result result = {.changed = ALL};
	if (divisor == 0)
		return result;
	if (operation == FG_DIVIDE) {
		quotient = dividend / divisor;
		rest = dividend % divisor;
		result.known = quotient >> 8 * bytes == 0;
	} else {
		unsigned above = 128 - 16 * bytes;
		__int128 a = (__int128)(dividend << above) >> above, b = signed_of(divisor, bytes);
		if (b == -1 && dividend << above == (unsigned __int128)1 << 127)
			return result;
		quotient = (unsigned __int128)(a / b);
		rest = (unsigned __int128)(a % b);
		result.known = (__int128)signed_of((uint64_t)quotient, bytes) == a / b;
	}
	result.bits = fg_low((uint64_t)quotient, bytes);
	result.upper = fg_low((uint64_t)rest, bytes);
	return result;
}

static struct fg_result
logical(unsigned bytes, uint64_t value)
{
	return result_of(value, bytes, false, false);
}

/* Increments keep the carry. */
static struct fg_result
without_carry(struct fg_result result)
{
	result.changed &= ~(uint32_t)FG_CARRY;
	return result;
}

static struct fg_result
compute(enum fg_operation operation, unsigned bytes, uint64_t a, uint64_t b, uint64_t c)
{
	switch (operation) {
	case FG_ADD:
		return add(bytes, a, b, 0);
	case FG_ADD_CARRY:
		return add(bytes, a, b, c);
	case FG_SUBTRACT:
	case FG_COMPARE:
		return subtract(bytes, a, b, 0);
	case FG_SUBTRACT_CARRY:
		return subtract(bytes, a, b, c);
	case FG_AND:
	case FG_TEST:
		return logical(bytes, a & b);
	case FG_OR:
		return logical(bytes, a | b);
	case FG_XOR:
		return logical(bytes, a ^ b);
	case FG_INCREMENT:
		return without_carry(add(bytes, a, 1, 0));
	case FG_DECREMENT:
		return without_carry(subtract(bytes, a, 1, 0));
	case FG_NEGATE:
		return subtract(bytes, 0, a, 0);
	case FG_NOT:
		return (struct fg_result){.bits = fg_low(~a, bytes), .known = true};
	case FG_SHIFT_LEFT:
	case FG_SHIFT_RIGHT:
	case FG_SHIFT_SIGNED:
		return shift(operation, bytes, a, b);
	case FG_ROTATE_LEFT:
	case FG_ROTATE_RIGHT:
		return rotate(operation, bytes, a, b);
	case FG_MULTIPLY:
	case FG_MULTIPLY_WIDE:
	case FG_MULTIPLY_SIGNED:
		return multiply(operation, bytes, a, b);
	case FG_DIVIDE:
	case FG_DIVIDE_SIGNED:
		return divide(operation, bytes, a, b, c);
	default:
		return (struct fg_result){.changed = ALL};
	}
}

struct fg_result
fg_arithmetic(enum fg_operation operation, unsigned bytes, struct fg_value a, struct fg_value b, struct fg_value c)
{
	struct fg_result result = compute(operation, bytes, fg_low(a.bits, bytes), fg_low(b.bits, bytes), c.bits);
	if (a.known && b.known && c.known)
		return result;
	/* A shift by an unknown count may change flags, although the count at hand may be 0. */
	if (operation != FG_NOT && !(operation == FG_INCREMENT || operation == FG_DECREMENT))
		result.changed = ALL;
	result.defined = 0;
	result.known = false;
	return result;
}
