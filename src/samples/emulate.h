/* Emulate: what one instruction does to registers, flags and memory (floor: samples; called by walk.c). */
#pragma once
#include "samples/machine.h"

/* machine->at has the addresses. Sets machine->ip to the instruction that comes next. False: that is not known. */
bool fg_emulate(struct fg_machine *machine, const struct fg_instruction *instruction);
