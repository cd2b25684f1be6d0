/* Frame tables: the rules by which a function's caller is found, from the call frame information of objects (floor:
 * stuck; used by unwind.c). The tables are those of the Linux Standard Base and DWARF 4, section 6.4. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define FG_UNWIND_REGISTERS 17
#define FG_UNWIND_SP 7
#else
#define FG_UNWIND_REGISTERS 32
#define FG_UNWIND_SP 31
#endif

/* Bytes of a table, copied. A read beyond the end gives 0, and makes it `bad`. */
struct fg_bytes {
	const uint8_t *at, *end;
	bool bad;
};
uint64_t fg_bytes_number(struct fg_bytes *bytes, unsigned size);
uint64_t fg_bytes_uleb(struct fg_bytes *bytes);
int64_t fg_bytes_sleb(struct fg_bytes *bytes);

/* How the caller's value of a register is found. */
struct fg_frame_rule {
	enum {
		FG_FRAME_SAME,
		FG_FRAME_UNDEFINED,
		FG_FRAME_AT_OFFSET, /* in memory, so far from the frame's address */
		FG_FRAME_IS_OFFSET,
		FG_FRAME_REGISTER, /* in that register; the frame's address: the value of `base`, plus `value` */
		FG_FRAME_AT_EXPRESSION,
		FG_FRAME_IS_EXPRESSION,
	} kind;
	int64_t value; /* or the length of the expression, which holds until the next rules are looked for */
	const uint8_t *expression;
};

struct fg_frame_rules {
	struct fg_frame_rule frame; /* the rule for its address */
	unsigned base;
	struct fg_frame_rule of[FG_UNWIND_REGISTERS];
	unsigned return_register;
	bool signal;	    /* its caller is a signal's frame */
	uintptr_t function; /* where the function begins; 0: not known */
};

/* Finds the rules for the function that stands at pc. false: there are none, or they have something that is not known
 * here. One thread at a time calls it. */
bool fg_frame_rules_find(uintptr_t pc, struct fg_frame_rules *rules);
