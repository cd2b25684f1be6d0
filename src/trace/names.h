/* The functions that a trace speaks of, and their names (floor: trace; used by trace.c). */
#pragma once
#include <stdint.h>

/* Remembers the address of a function; from any thread. */
void fg_trace_names_note(uintptr_t address);
/* Appends a block with the names of all of them, and one with the modules, to the file. */
void fg_trace_names_write(void);
/* The latter alone: so that a reader can find the names of a process that does not get to its end. */
void fg_trace_modules_write(void);
