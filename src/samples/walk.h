/* Walk (floor: samples). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_registers {
	uint64_t general[16];
	uint64_t ip, flags, fs_base;
	unsigned vector_bytes;
	unsigned char vector[16][32];
	uint64_t stack_at;
	unsigned stack_bytes;
	unsigned char stack[512];
};
struct fg_access {
	uintptr_t address;
	unsigned bytes;
	bool write;
};
struct fg_walk {
	struct fg_access accesses[160];
	unsigned count, instructions;
	bool closed;
};
void fg_walk(const struct fg_registers *registers, struct fg_walk *out);
