/* Unwinding (floor: stuck): see unwind.h. */
#include "stuck/unwind.h"

#include <string.h>
#include <ucontext.h>

#include "platform/futex.h"
#include "stuck/peek.h"

#if defined(__x86_64__)
#define FRAME_WORDS 8
static const uint8_t saved[] = {0, 15, 14, 13, 12, 3, 6}; /* the registers of a context: context_x86_64.S */
#else
#define FRAME_WORDS 22
#endif

static void
set(struct fg_unwind *unwind, unsigned number, uint64_t value)
{
	unwind->value[number] = value;
	unwind->known |= UINT64_C(1) << number;
}

bool
fg_unwind_context(struct fg_unwind *unwind, const struct fg_context *context)
{
	uint64_t frame[FRAME_WORDS];
	uintptr_t sp = (uintptr_t)context->sp;
	*unwind = (struct fg_unwind){.called = true};
	if (!sp || !fg_peek(sp, frame, sizeof frame))
		return false;
#if defined(__x86_64__)
	for (unsigned i = 1; i < sizeof saved; i++)
		set(unwind, saved[i], frame[i]);
	unwind->pc = frame[7];
#else
	for (unsigned i = 0; i < 12; i++)
		set(unwind, 19 + i, frame[i]);
	unwind->pc = frame[11];
#endif
	set(unwind, FG_UNWIND_SP, sp + sizeof frame);
	return true;
}

void
fg_unwind_kernel(struct fg_unwind *unwind, uintptr_t sp, uintptr_t pc)
{
	*unwind = (struct fg_unwind){.pc = pc};
	set(unwind, FG_UNWIND_SP, sp);
}

void
fg_unwind_signal(struct fg_unwind *unwind, const void *signal_context)
{
	const ucontext_t *context = signal_context;
	*unwind = (struct fg_unwind){0};
#if defined(__x86_64__)
	static const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
				    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
		set(unwind, i, (uint64_t)context->uc_mcontext.gregs[order[i]]);
	unwind->pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
	for (unsigned i = 0; i < 31; i++)
		set(unwind, i, context->uc_mcontext.regs[i]);
	set(unwind, FG_UNWIND_SP, context->uc_mcontext.sp);
	unwind->pc = context->uc_mcontext.pc;
#endif
}

#define STACK 16

/* The operations that push a value; false: the code is none of them. */
static bool
pushes(const struct fg_unwind *unwind, uint8_t code, struct fg_bytes *bytes, uint64_t *pushed)
{
	if (code >= 0x30 && code <= 0x4f) { /* lit */
		*pushed = code - 0x30u;
		return true;
	}
	if (code >= 0x70 && code <= 0x8f) { /* breg */
		unsigned base = code - 0x70u;
		int64_t offset = fg_bytes_sleb(bytes);
		uint64_t value = base == 16 && FG_UNWIND_REGISTERS == 17 ? unwind->pc : 0;
		if (base < FG_UNWIND_REGISTERS && unwind->known >> base & 1)
			value = unwind->value[base];
		*pushed = value + (uint64_t)offset;
		return true;
	}
	if (code != 0x08) /* const1u */
		return false;
	*pushed = fg_bytes_number(bytes, 1);
	return true;
}

/* The operations on the two top values: the result takes the place of the lower one. */
static bool
combine(uint8_t code, uint64_t *low, uint64_t top)
{
	switch (code) {
	case 0x1a:
		*low &= top;
		return true;
	case 0x1c:
		*low -= top;
		return true;
	case 0x22:
		*low += top;
		return true;
	case 0x24:
		*low <<= top & 63;
		return true;
	case 0x2a:
		*low = (int64_t)*low >= (int64_t)top;
		return true;
	}
	return false;
}

/* The few operations that signal frames and the stubs of dynamic linking use. */
static bool
evaluate(const struct fg_unwind *unwind, struct fg_frame_rule rule, bool begins, uint64_t begin, uint64_t *result)
{
	struct fg_bytes bytes = {rule.expression, rule.expression + rule.value, false};
	uint64_t stack[STACK + 2];
	unsigned n = 0;
	if (begins)
		stack[n++] = begin;
	while (bytes.at < bytes.end && !bytes.bad) {
		uint8_t code = (uint8_t)fg_bytes_number(&bytes, 1);
		if (n > STACK)
			return false;
		if (pushes(unwind, code, &bytes, &stack[n])) {
			n++;
			continue;
		}
		if (n < 1 || (n < 2 && code != 0x06 && code != 0x23))
			return false;
		uint64_t top = stack[n - 1];
		switch (code) {
		case 0x06: /* deref */
			if (!fg_peek(top, &stack[n - 1], 8))
				return false;
			continue;
		case 0x23: /* plus_uconst */
			stack[n - 1] += fg_bytes_uleb(&bytes);
			continue;
		}
		n--;
		if (!combine(code, &stack[n - 1], top))
			return false;
	}
	*result = n ? stack[n - 1] : 0;
	return n && !bytes.bad;
}

static bool
cfa_of(const struct fg_unwind *unwind, const struct fg_frame_rules *row, uint64_t *cfa)
{
	if (row->frame.kind == FG_FRAME_IS_EXPRESSION)
		return evaluate(unwind, row->frame, false, 0, cfa);
	if (row->frame.kind != FG_FRAME_REGISTER || row->base >= FG_UNWIND_REGISTERS ||
	    !(unwind->known >> row->base & 1))
		return false;
	*cfa = unwind->value[row->base] + (uint64_t)row->frame.value;
	return true;
}

/* The caller's value of a register; false: it is not known. */
static bool
value_of(const struct fg_unwind *unwind, struct fg_frame_rule rule, unsigned own, uint64_t cfa, uint64_t *value)
{
	switch (rule.kind) {
	case FG_FRAME_AT_OFFSET:
		return fg_peek(cfa + (uint64_t)rule.value, value, 8);
	case FG_FRAME_IS_OFFSET:
		*value = cfa + (uint64_t)rule.value;
		return true;
	case FG_FRAME_AT_EXPRESSION:
		return evaluate(unwind, rule, true, cfa, value) && fg_peek(*value, value, 8);
	case FG_FRAME_IS_EXPRESSION:
		return evaluate(unwind, rule, true, cfa, value);
	case FG_FRAME_REGISTER:
		own = (unsigned)rule.value;
		break;
	case FG_FRAME_SAME:
		break;
	case FG_FRAME_UNDEFINED:
		return false;
	}
	if (own >= FG_UNWIND_REGISTERS)
		return false;
	*value = unwind->value[own];
	return unwind->known >> own & 1;
}

static uintptr_t
plain_address(uint64_t address)
{
#if defined(__aarch64__)
	address &= (UINT64_C(1) << 48) - 1; /* without the signature */
#endif
	return (uintptr_t)address;
}

enum fg_unwound
fg_unwind_step(struct fg_unwind *unwind)
{
	static struct fg_frame_rules rules;
	uint64_t cfa;
	bool found = fg_frame_rules_find(unwind->pc - unwind->called, &rules);
	unwind->function = rules.function;
	if (!found)
		return FG_UNWIND_LOST;
	unsigned back = rules.return_register;
	if (rules.of[back].kind == FG_FRAME_UNDEFINED)
		return FG_UNWIND_END;
	if (!cfa_of(unwind, &rules, &cfa))
		return FG_UNWIND_LOST;
	struct fg_unwind caller = {.called = !rules.signal, .function = unwind->function};
	for (unsigned i = 0; i < FG_UNWIND_REGISTERS; i++) {
		uint64_t value;
		if (i != FG_UNWIND_SP && value_of(unwind, rules.of[i], i, cfa, &value))
			set(&caller, i, value);
	}
	uint64_t sp = cfa;
	if (rules.of[FG_UNWIND_SP].kind != FG_FRAME_SAME &&
	    !value_of(unwind, rules.of[FG_UNWIND_SP], FG_UNWIND_SP, cfa, &sp))
		return FG_UNWIND_LOST;
	set(&caller, FG_UNWIND_SP, sp);
	if (!(caller.known >> back & 1))
		return FG_UNWIND_LOST;
	caller.pc = plain_address(caller.value[back]);
	if (caller.pc == 0)
		return FG_UNWIND_END;
	if (caller.pc == unwind->pc && sp == unwind->value[FG_UNWIND_SP])
		return FG_UNWIND_LOST;
	*unwind = caller;
	return FG_UNWIND_WENT;
}

uintptr_t
fg_unwind_futex(const struct fg_unwind *unwind)
{
#if defined(__x86_64__)
	static const unsigned char instruction[] = {0x0f, 0x05};
	enum { NUMBER = 0, FIRST = 5 };
#else
	static const unsigned char instruction[] = {0x01, 0x00, 0x00, 0xd4};
	enum { NUMBER = 8, FIRST = 0 };
#endif
	unsigned char found[sizeof instruction];
	uint64_t needed = UINT64_C(1) << NUMBER | UINT64_C(1) << FIRST;
	if ((unwind->known & needed) != needed || !fg_futex_is_call((long)unwind->value[NUMBER]) ||
	    !fg_peek(unwind->pc, found, sizeof found) || memcmp(found, instruction, sizeof found) != 0)
		return 0;
	return (uintptr_t)unwind->value[FIRST];
}
