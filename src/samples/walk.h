/* Walk: which memory a thread uses in the loop where a sample met it (floor: samples; called by sampler.c).
 *
 * A sample is the registers of a thread and a piece of its stack, copied by a signal handler. The walk goes on from
 * there without the thread: it decodes the instructions, follows the branches and works out the addresses, until it
 * meets the first instruction again. Then it is closed: it has gone round the loop. In a short loop it goes round some
 * more times. Within one nest of loops the shares of arrays in closed walks are those of the program, whichever
 * instructions the timer prefers. (Between two visits of an instruction, each other one of the nest is met as often as
 * its frequency says.)
 *
 * The caller is outside the runtime, or a thread without an identity, and in no handler. A walk takes no lock of the C
 * library, allocates nothing, and ends after 512 instructions. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_registers {
	uint64_t general[16]; /* rax rcx rdx rbx rsp rbp rsi rdi r8 to r15: the processor's numbers */
	uint64_t ip, flags, fs_base;
	unsigned vector_bytes; /* 0, 16 or 32 of each below are valid */
	unsigned char vector[16][32];
	uint64_t stack_at; /* may lie 128 bytes below rsp, because compilers use these */
	unsigned stack_bytes;
	unsigned char stack[512];
};

/* A read-modify-write is two of them. An access to the thread's own stack, or relative to fs, is none. */
struct fg_access {
	uintptr_t address;
	unsigned bytes;
	bool write;
};

#define FG_WALK_ACCESSES 160
struct fg_walk {
	struct fg_access accesses[FG_WALK_ACCESSES];
	unsigned count, instructions;
	bool closed; /* else the shares of arrays are not to be trusted, but each access is */
};

/* One thread at a time. */
void fg_walk(const struct fg_registers *registers, struct fg_walk *walk);
