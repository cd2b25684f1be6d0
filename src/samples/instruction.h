/* Instruction: what the walk must know of a decoded instruction (floor: samples; made by decoder.c, used by emulate.c,
 * processor.c and walk.c). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The registers of addresses by the processor's numbers. */
enum { FG_RAX, FG_RCX, FG_RDX, FG_RBX, FG_RSP, FG_RBP, FG_RSI, FG_RDI, FG_NO_REGISTER = 0xff };

enum fg_operation {
	FG_OTHER, /* is not emulated: what it writes is not known afterwards */
	FG_ENDS,  /* the walk cannot go on behind it */
	FG_NOTHING,
	FG_MOVE,
	FG_ZERO_EXTEND,
	FG_SIGN_EXTEND,
	FG_LOAD_ADDRESS,
	/* Two operands; the first one is the result. */
	FG_ADD,
	FG_ADD_CARRY,
	FG_SUBTRACT,
	FG_SUBTRACT_CARRY,
	FG_COMPARE,
	FG_AND,
	FG_TEST,
	FG_OR,
	FG_XOR,
	FG_SHIFT_LEFT,
	FG_SHIFT_RIGHT,
	FG_SHIFT_SIGNED,
	FG_ROTATE_LEFT,
	FG_ROTATE_RIGHT,
	/* One operand. */
	FG_INCREMENT,
	FG_DECREMENT,
	FG_NEGATE,
	FG_NOT,
	/* The first operand is the result of the others, and flags stay. */
	FG_PLAIN_SHIFT_LEFT,
	FG_PLAIN_SHIFT_RIGHT,
	FG_PLAIN_SHIFT_SIGNED,
	FG_PLAIN_ROTATE_RIGHT,
	FG_MULTIPLY,	    /* of two or three operands */
	FG_MULTIPLY_WIDE,   /* rdx:rax; unsigned */
	FG_MULTIPLY_SIGNED, /* rdx:rax */
	FG_DIVIDE,
	FG_DIVIDE_SIGNED,
	FG_EXTEND_RAX,	   /* into the double width of rax */
	FG_EXTEND_RDX_RAX, /* into rdx */
	FG_EXCHANGE,
	FG_PUSH,
	FG_POP,
	FG_LEAVE,
	FG_CONDITIONAL_MOVE,
	FG_CONDITIONAL_SET,
	/* Flow */
	FG_CALL,
	FG_RETURN,
	FG_JUMP,
	FG_CONDITIONAL_JUMP,
	/* Strings, perhaps repeated */
	FG_STRING_MOVE,
	FG_STRING_STORE,
	/* Vectors, of which the walk only needs indices */
	FG_VECTOR_MOVE,		/* as many bytes as the smaller operand has */
	FG_VECTOR_EXTRACT,	/* the half or the element that the third operand says */
	FG_VECTOR_WIDEN_SIGNED, /* 4 bytes to 8 */
	FG_VECTOR_WIDEN,
	FG_VECTOR_CLEAR, /* the upper halves of all */
};

enum fg_operand_kind { FG_NO_OPERAND, FG_GENERAL, FG_VECTOR, FG_IMMEDIATE, FG_MEMORY };
struct fg_operand {
	uint8_t kind;
	uint8_t number;	    /* of the register, or of the address */
	uint8_t first_byte; /* 1: ah, ch, dh, bh */
	uint16_t bytes;
};

/* Where an operand lies, and what is done to it. */
struct fg_address {
	int64_t displacement; /* with the instruction's own address in it, where that counts */
	uint8_t base, index, scale;
	bool fs, unknown_segment, narrow; /* narrow: of 4 bytes */
	bool read, written;
	/* A gather: a vector has the indices. 0 lanes: there is none. */
	uint8_t lanes, index_bytes;
	uint32_t bytes; /* of a lane, or of one element of a string */
};

#define FG_OPERANDS 4
#define FG_ADDRESSES 2
struct fg_instruction {
	uint64_t ip, immediate; /* the target, of a branch */
	uint8_t text[15], length;
	uint8_t operation;
	uint8_t condition; /* the processor's number; 16: not known */
	bool repeated;
	bool clears; /* writes zeroes above what it writes of a vector */
	uint8_t addresses;
	struct fg_operand operand[FG_OPERANDS];
	struct fg_address address[FG_ADDRESSES];
	uint16_t general_written, vector_written; /* bits: registers */
	uint32_t flags_written;
};
