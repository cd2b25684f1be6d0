/* Decoder: instructions of x86-64, by Zydis (floor: samples; called by walk.c).
 *
 * Decoding takes 400 ns, so 4096 instructions are kept by their addresses. A kept one counts only if the code has still
 * the same bytes. One thread at a time calls. */
#pragma once
#include "samples/instruction.h"

/* The instruction that begins at `ip`, where the code has these bytes. NULL: it is none. *kept: it was decoded before.
 * The result stays until the next call. */
const struct fg_instruction *fg_decode(uint64_t ip, const unsigned char *code, unsigned available, bool *kept);
