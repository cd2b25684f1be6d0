/* Describe: what a trace says of the run and its machine (floor: exec; called by the floor trace when it makes the
 * file; team/boot/start.c hands it over). The caller is outside and holds no lock, because this uses malloc and reads
 * files. It keeps nothing. */
#pragma once

/* Appends the blocks of facts and of the machine to the trace file. */
void fg_describe_run(void);
