/* What a trace says of the run and its machine (floor: exec; called when the file is made). */
#pragma once

/* Appends the blocks to the file: fg_trace_describe. */
void fg_describe_run(void);
