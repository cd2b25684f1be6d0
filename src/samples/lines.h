/* Lines: memory as the walk sees it, by lines of 64 bytes (floor: samples; called by emulate.c and walk.c).
 *
 * A line is filled when the walk first reads it, and kept until the walk ends. The walk's own stores go to the line
 * only. So a load finds, byte by byte, what the walk has stored. Else it finds the sample's copy of the stack, else
 * what the memory has now. The thread goes on meanwhile. So the rest of its stack, which it writes all the time, is not
 * read: those bytes are unknown. The kernel does the reading (platform/own_memory.h), so memory that is gone or may not
 * be read is unknown, too. One thread at a time calls. */
#pragma once
#include "samples/walk.h"

#define FG_LINE 64

void fg_lines_begin(const struct fg_registers *sample);
void fg_lines_end(void);
/* Loads up to 64 bytes. Returns bits: the bytes that are known. The others are 0. */
uint64_t fg_lines_load(uint64_t from, void *to, unsigned bytes);
/* Stores up to 64 bytes, of which those with a bit are known. */
void fg_lines_store(uint64_t to, const void *from, unsigned bytes, uint64_t known);
/* A store of any size, of unknown values. */
void fg_lines_forget(uint64_t to, uint64_t bytes);
/* Copies code. Returns how many bytes there are, up to `bytes`. */
unsigned fg_lines_code(uint64_t from, unsigned char *to, unsigned bytes);
/* A place in the thread's own stack. `stack_pointer` is that of now. */
bool fg_lines_is_stack(uint64_t place, uint64_t stack_pointer);
