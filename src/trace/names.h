/* The functions that occur in a trace, and their names (floor: trace; trace.c uses it). Names are noted by any thread
 * inside, without a lock; the table only grows. They are read at the end, outside. */
#pragma once
#include <stdint.h>

/* Remembers the address of a function. Any thread may call it. */
void fg_trace_names_note(uintptr_t address);
/* Appends a block with the names of all these functions, and one with the modules. */
void fg_trace_names_write(void);
/* Appends the block with the modules alone. With it a reader finds the names even if the process does not get to its
 * end. */
void fg_trace_modules_write(void);
