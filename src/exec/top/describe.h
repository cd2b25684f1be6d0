/* Describe: what a trace says of the run and its machine (floor: exec; called through fg_trace_describe when the
 * file is made; team/boot/start.c sets that). */
#pragma once

/* Appends the blocks of facts and of the machine to the trace file. */
void fg_describe_run(void);
