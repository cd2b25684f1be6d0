/* Walk (floor: samples): see walk.h.
 *
 * One round would do if the timer took each visit of an instruction alike. But it prefers slow ones, as the first probe
 * of a chain. The rounds behind the first one are such as they come, so a walk of many rounds forgets where it began.
 * With one round the shares of a hash join were off by 1.3 to 3.8 points, with 128 instructions by 0.5 to 0.9.
 *
 * A branch whose condition is not known is taken if it goes back, because loops go on more often than they end. */
#include "samples/walk.h"

#include <limits.h>

#include "samples/decoder.h"
#include "samples/emulate.h"
#include "samples/lines.h"

#define INSTRUCTIONS 512 /* unrolled loops are long */
#define ROUNDS 128	 /* in which it meets the first instruction again and again */
#define DECODED 128	 /* of them, because decoding is slow */
#define TEXT 15

static struct fg_processor processor; /* a stack may be small */

static uint64_t
stack_pointer(void)
{
	struct fg_value now = fg_processor_get(&processor, FG_RSP, 0, 8);
	return now.bits;
}

/* False: there is no room. */
static bool
note(struct fg_walk *walk, uint64_t place, uint64_t bytes, bool write)
{
	if (bytes == 0 || fg_lines_is_stack(place, stack_pointer()))
		return true;
	if (walk->count == FG_WALK_ACCESSES)
		return false;
	walk->accesses[walk->count++] = (struct fg_access){place, bytes < UINT_MAX ? (unsigned)bytes : UINT_MAX, write};
	return true;
}

static bool
note_both(struct fg_walk *walk, const struct fg_address *address, uint64_t place, uint64_t bytes)
{
	return (!address->read || note(walk, place, bytes, false)) &&
	       (!address->written || note(walk, place, bytes, true));
}

static bool
is_string(const struct fg_instruction *instruction)
{
	return instruction->repeated &&
	       (instruction->operation == FG_STRING_MOVE || instruction->operation == FG_STRING_STORE);
}

/* The whole area that a repeated instruction has before it. */
static bool
note_area(struct fg_walk *walk, const struct fg_address *address, uint64_t place)
{
	struct fg_value count = fg_processor_get(&processor, FG_RCX, 0, 8);
	uint64_t bytes = count.known ? count.bits * address->bytes : address->bytes;
	if (bytes && processor.flags & FG_DIRECTION)
		place -= bytes - address->bytes;
	return note_both(walk, address, place, bytes);
}

static bool
note_accesses(struct fg_walk *walk, const struct fg_instruction *instruction)
{
	fg_processor_locate(&processor, instruction);
	for (unsigned i = 0; i < instruction->addresses; i++) {
		const struct fg_address *address = &instruction->address[i];
		if (instruction->operation == FG_LOAD_ADDRESS || address->fs)
			continue;
		for (unsigned lane = 0; lane < address->lanes; lane++) {
			struct fg_value place = fg_processor_lane(&processor, address, lane);
			if (place.known && !note_both(walk, address, place.bits, address->bytes))
				return false;
		}
		if (!processor.at[i].known)
			continue;
		if (!(is_string(instruction) ? note_area(walk, address, processor.at[i].bits)
					     : note_both(walk, address, processor.at[i].bits, address->bytes)))
			return false;
	}
	return true;
}

/* A timer that fires in a system call meets the thread behind it: there the time was the kernel's. */
static bool
is_behind_system_call(uint64_t ip)
{
	unsigned char text[2];
	return fg_lines_code(ip - 2, text, 2) == 2 && text[0] == 0x0f && text[1] == 0x05;
}

/* NULL: there is no code. */
static const struct fg_instruction *
instruction_at(uint64_t ip, bool *kept)
{
	unsigned char text[TEXT];
	return fg_decode(ip, text, fg_lines_code(ip, text, TEXT), kept);
}

/* An instruction that repeats itself comes again at once. */
static bool
comes_again(const struct fg_instruction *instruction)
{
	struct fg_value count = fg_processor_get(&processor, FG_RCX, 0, 8);
	return is_string(instruction) && count.known && count.bits > 1;
}

/* Returns the number of accesses in whole rounds; of all accesses, if there is no whole round. */
static unsigned
go_round(const struct fg_registers *registers, struct fg_walk *walk)
{
	unsigned decoded = 0, whole = 0;
	bool kept;
	while (walk->instructions < INSTRUCTIONS && decoded < DECODED) {
		const struct fg_instruction *instruction = instruction_at(processor.ip, &kept);
		if (!instruction || !note_accesses(walk, instruction))
			break;
		bool again = walk->instructions == 0 && comes_again(instruction);
		decoded += !kept;
		walk->instructions++;
		if (!fg_emulate(&processor, instruction))
			break;
		if (!again && processor.ip != registers->ip)
			continue;
		walk->closed = true;
		whole = walk->count;
		if (again || walk->instructions >= ROUNDS)
			break;
	}
	return walk->closed ? whole : walk->count;
}

void
fg_walk(const struct fg_registers *registers, struct fg_walk *walk)
{
	walk->count = walk->instructions = 0;
	walk->closed = false;
	fg_processor_begin(&processor, registers);
	fg_lines_begin(registers);
	if (!is_behind_system_call(registers->ip))
		walk->count = go_round(registers, walk);
	fg_lines_end();
}
