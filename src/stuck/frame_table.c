/* Frame tables (floor: stuck): see frame_table.h. */
#include "stuck/frame_table.h"

#include <string.h>

#include "stuck/object.h"
#include "stuck/peek.h"

uint64_t
fg_bytes_number(struct fg_bytes *bytes, unsigned size)
{
	uint64_t value = 0;
	if ((size_t)(bytes->end - bytes->at) < size) {
		bytes->bad = true;
		bytes->at = bytes->end;
		return 0;
	}
	memcpy(&value, bytes->at, size);
	bytes->at += size;
	return value;
}

uint64_t
fg_bytes_uleb(struct fg_bytes *bytes)
{
	uint64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = (uint8_t)fg_bytes_number(bytes, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

int64_t
fg_bytes_sleb(struct fg_bytes *bytes)
{
	int64_t value = 0;
	for (unsigned shift = 0;;) {
		uint8_t byte = (uint8_t)fg_bytes_number(bytes, 1);
		if (shift < 64)
			value |= (int64_t)((uint64_t)(byte & 0x7f) << shift);
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && byte & 0x40)
			value |= -((int64_t)1 << shift);
		return value;
	}
}

/* The bytes that an encoded pointer takes; 0: compilers do not write such an encoding here. */
static unsigned
pointer_size(uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case 0x00:
	case 0x04:
	case 0x0c:
		return 8;
	case 0x02:
	case 0x0a:
		return 2;
	case 0x03:
	case 0x0b:
		return 4;
	}
	return 0;
}

#define ENTRY_MAX 4096

struct entry {
	uint8_t text[ENTRY_MAX];
	struct fg_bytes bytes;
	uintptr_t address; /* of the bytes behind its length */
};

static bool
entry_read(struct entry *entry, uintptr_t address)
{
	uint32_t length;
	if (!fg_peek(address, &length, sizeof length) || length == 0 || length > ENTRY_MAX ||
	    !fg_peek(address + sizeof length, entry->text, length))
		return false;
	entry->address = address + sizeof length;
	entry->bytes = (struct fg_bytes){entry->text, entry->text + length, false};
	return true;
}

/* An entry that many functions share. */
struct common {
	struct entry entry;
	struct fg_bytes program;
	uint64_t code_align;
	int64_t data_align;
	unsigned return_register;
	uint8_t encoding; /* of the functions' addresses */
	bool augmented, signal;
};

static bool
common_read(struct common *common, uintptr_t address)
{
	if (!entry_read(&common->entry, address))
		return false;
	struct fg_bytes *bytes = &common->entry.bytes;
	fg_bytes_number(bytes, 4);
	uint8_t version = (uint8_t)fg_bytes_number(bytes, 1);
	const char *letters = (const char *)bytes->at;
	while (fg_bytes_number(bytes, 1))
		;
	common->code_align = fg_bytes_uleb(bytes);
	common->data_align = fg_bytes_sleb(bytes);
	common->return_register = version == 1 ? (unsigned)fg_bytes_number(bytes, 1) : (unsigned)fg_bytes_uleb(bytes);
	common->encoding = 0;
	common->signal = false;
	common->augmented = *letters == 'z';
	if (bytes->bad || (*letters && !common->augmented) || common->return_register >= FG_UNWIND_REGISTERS)
		return false;
	const uint8_t *end = bytes->at;
	if (common->augmented) {
		uint64_t length = fg_bytes_uleb(bytes);
		if (length > (size_t)(bytes->end - bytes->at))
			return false;
		end = bytes->at + length;
		for (letters++; *letters; letters++) {
			if (*letters == 'R')
				common->encoding = (uint8_t)fg_bytes_number(bytes, 1);
			else if (*letters == 'P')
				fg_bytes_number(bytes, pointer_size((uint8_t)fg_bytes_number(bytes, 1)));
			else if (*letters == 'L')
				fg_bytes_number(bytes, 1);
			else if (*letters == 'S')
				common->signal = true;
		}
	}
	common->program = (struct fg_bytes){end, bytes->end, false};
	return !bytes->bad;
}

#define REMEMBERED 4

struct machine {
	const struct common *common;
	struct fg_frame_rules row, first, remembered[REMEMBERED];
	unsigned n_remembered;
	uintptr_t location, pc;
	bool lost;
};

static void
rule_set(struct machine *machine, uint64_t number, struct fg_frame_rule rule)
{
	if (number < FG_UNWIND_REGISTERS)
		machine->row.of[number] = rule;
}

static struct fg_frame_rule
expression_rule(struct fg_bytes *bytes, int kind)
{
	uint64_t length = fg_bytes_uleb(bytes);
	struct fg_frame_rule rule = {kind, (int64_t)length, bytes->at};
	if (length > (size_t)(bytes->end - bytes->at))
		bytes->bad = true;
	else
		bytes->at += length;
	return rule;
}

static void
cfa_set(struct machine *machine, uint64_t base, int64_t offset)
{
	machine->row.frame = (struct fg_frame_rule){FG_FRAME_REGISTER, offset, NULL};
	machine->row.base = (unsigned)base;
}

static void
state_remember(struct machine *machine)
{
	machine->lost |= machine->n_remembered == REMEMBERED;
	if (!machine->lost)
		machine->remembered[machine->n_remembered++] = machine->row;
}

static void
state_restore(struct machine *machine)
{
	machine->lost |= machine->n_remembered == 0;
	if (!machine->lost)
		machine->row = machine->remembered[--machine->n_remembered];
}

/* Instructions that set the rule of one register; false: the code is none of them. */
static bool
rule_instruction(struct machine *machine, uint8_t code, struct fg_bytes *bytes)
{
	int64_t align = machine->common->data_align;
	uint64_t first;
	switch (code) {
	case 0x05: /* offset_extended */
		first = fg_bytes_uleb(bytes);
		rule_set(machine, first,
			 (struct fg_frame_rule){FG_FRAME_AT_OFFSET, (int64_t)fg_bytes_uleb(bytes) * align, NULL});
		return true;
	case 0x11: /* offset_extended_sf */
		first = fg_bytes_uleb(bytes);
		rule_set(machine, first,
			 (struct fg_frame_rule){FG_FRAME_AT_OFFSET, fg_bytes_sleb(bytes) * align, NULL});
		return true;
	case 0x14: /* val_offset */
		first = fg_bytes_uleb(bytes);
		rule_set(machine, first,
			 (struct fg_frame_rule){FG_FRAME_IS_OFFSET, (int64_t)fg_bytes_uleb(bytes) * align, NULL});
		return true;
	case 0x15: /* val_offset_sf */
		first = fg_bytes_uleb(bytes);
		rule_set(machine, first,
			 (struct fg_frame_rule){FG_FRAME_IS_OFFSET, fg_bytes_sleb(bytes) * align, NULL});
		return true;
	case 0x06: /* restore_extended */
		first = fg_bytes_uleb(bytes);
		if (first < FG_UNWIND_REGISTERS)
			machine->row.of[first] = machine->first.of[first];
		return true;
	case 0x07: /* undefined */
		rule_set(machine, fg_bytes_uleb(bytes), (struct fg_frame_rule){FG_FRAME_UNDEFINED, 0, NULL});
		return true;
	case 0x08: /* same_value */
		rule_set(machine, fg_bytes_uleb(bytes), (struct fg_frame_rule){FG_FRAME_SAME, 0, NULL});
		return true;
	case 0x09: /* register */
		first = fg_bytes_uleb(bytes);
		rule_set(machine, first,
			 (struct fg_frame_rule){FG_FRAME_REGISTER, (int64_t)fg_bytes_uleb(bytes), NULL});
		return true;
	case 0x10: /* expression */
		first = fg_bytes_uleb(bytes);
		rule_set(machine, first, expression_rule(bytes, FG_FRAME_AT_EXPRESSION));
		return true;
	case 0x16: /* val_expression */
		first = fg_bytes_uleb(bytes);
		rule_set(machine, first, expression_rule(bytes, FG_FRAME_IS_EXPRESSION));
		return true;
	}
	return false;
}

/* Instructions that set the rule of the frame's address; false: the code is none of them. */
static bool
frame_instruction(struct machine *machine, uint8_t code, struct fg_bytes *bytes)
{
	int64_t align = machine->common->data_align;
	uint64_t first;
	switch (code) {
	case 0x0c: /* def_cfa */
		first = fg_bytes_uleb(bytes);
		cfa_set(machine, first, (int64_t)fg_bytes_uleb(bytes));
		return true;
	case 0x12: /* def_cfa_sf */
		first = fg_bytes_uleb(bytes);
		cfa_set(machine, first, fg_bytes_sleb(bytes) * align);
		return true;
	case 0x0d: /* def_cfa_register */
		machine->row.base = (unsigned)fg_bytes_uleb(bytes);
		return true;
	case 0x0e: /* def_cfa_offset */
		machine->row.frame.value = (int64_t)fg_bytes_uleb(bytes);
		return true;
	case 0x13: /* def_cfa_offset_sf */
		machine->row.frame.value = fg_bytes_sleb(bytes) * align;
		return true;
	case 0x0f: /* def_cfa_expression */
		machine->row.frame = expression_rule(bytes, FG_FRAME_IS_EXPRESSION);
		return true;
	}
	return false;
}

/* The instructions that take no argument within their own byte. */
static void
instruction(struct machine *machine, uint8_t code, struct fg_bytes *bytes)
{
	switch (code) {
	case 0x00: /* nop */
	case 0x2d: /* the return address is signed: the bits are taken off in any case */
		return;
	case 0x02: /* advance_loc1, 2, 4 */
	case 0x03:
	case 0x04:
		machine->location += fg_bytes_number(bytes, 1u << (code - 2)) * machine->common->code_align;
		return;
	case 0x0a:
		state_remember(machine);
		return;
	case 0x0b:
		state_restore(machine);
		return;
	case 0x2e: /* GNU_args_size */
		fg_bytes_uleb(bytes);
		return;
	}
	if (!rule_instruction(machine, code, bytes) && !frame_instruction(machine, code, bytes))
		machine->lost = true;
}

/* False: the table has something that is not known here. */
static bool
run(struct machine *machine, struct fg_bytes bytes)
{
	while (bytes.at < bytes.end && machine->location <= machine->pc && !bytes.bad && !machine->lost) {
		uint8_t code = (uint8_t)fg_bytes_number(&bytes, 1), low = code & 0x3f;
		if (code >> 6 == 1)
			machine->location += low * machine->common->code_align;
		else if (code >> 6 == 2)
			rule_set(machine, low,
				 (struct fg_frame_rule){FG_FRAME_AT_OFFSET,
							(int64_t)fg_bytes_uleb(&bytes) * machine->common->data_align,
							NULL});
		else if (code >> 6 == 3 && low < FG_UNWIND_REGISTERS)
			machine->row.of[low] = machine->first.of[low];
		else if (code >> 6 == 0)
			instruction(machine, code, &bytes);
	}
	return !bytes.bad && !machine->lost;
}

/* The last function of the object's table that does not begin behind pc, and its entry. */
static bool
look_up(const struct fg_object *object, uintptr_t pc, uintptr_t *function, uintptr_t *entry)
{
	uint8_t head[12];
	uintptr_t table = object->unwind_table;
	if (!table || !fg_peek(table, head, sizeof head) || head[0] != 1 || pointer_size(head[1]) != 4 ||
	    head[2] != 3 || head[3] != 0x3b)
		return false;
	uint32_t low = 0, high;
	memcpy(&high, head + 8, sizeof high);
	int32_t pair[2];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (!fg_peek(table + 12 + 8 * (uintptr_t)middle, pair, sizeof pair))
			return false;
		if (table + (uintptr_t)(intptr_t)pair[0] <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !fg_peek(table + 12 + 8 * (uintptr_t)(low - 1), pair, sizeof pair))
		return false;
	*function = table + (uintptr_t)(intptr_t)pair[0];
	*entry = table + (uintptr_t)(intptr_t)pair[1];
	return true;
}

static bool
common_skip(struct fg_bytes *bytes, const struct common *common)
{
	uint64_t more = common->augmented ? fg_bytes_uleb(bytes) : 0;
	if (more > (size_t)(bytes->end - bytes->at))
		return false;
	bytes->at += more;
	return true;
}

bool
fg_frame_rules_find(uintptr_t pc, struct fg_frame_rules *rules)
{
	/* Some 20 KB, which the one thread that unwinds uses. */
	static struct {
		struct machine machine;
		struct common common;
		struct entry entry;
	} work;
	const struct fg_object *object = fg_object_of(pc, false);
	uintptr_t begin, address;
	rules->function = 0;
	if (!object || !look_up(object, pc, &begin, &address) || !entry_read(&work.entry, address))
		return false;
	struct fg_bytes *bytes = &work.entry.bytes;
	uint32_t back = (uint32_t)fg_bytes_number(bytes, 4);
	if (!back || !common_read(&work.common, work.entry.address - back))
		return false;
	unsigned size = pointer_size(work.common.encoding);
	fg_bytes_number(bytes, size);
	uint64_t length = fg_bytes_number(bytes, size);
	if (!size || pc - begin >= length)
		return false;
	rules->function = begin;
	memset(&work.machine, 0, sizeof work.machine);
	work.machine.common = &work.common;
	work.machine.pc = UINTPTR_MAX; /* the common part holds everywhere */
	if (!common_skip(bytes, &work.common) || !run(&work.machine, work.common.program))
		return false;
	work.machine.first = work.machine.row;
	work.machine.location = begin;
	work.machine.pc = pc;
	if (!run(&work.machine, *bytes))
		return false;
	*rules = work.machine.row;
	rules->return_register = work.common.return_register;
	rules->signal = work.common.signal;
	rules->function = begin;
	return true;
}
