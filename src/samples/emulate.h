/* Emulate: what one instruction does to registers, flags and memory (floor: samples; called by walk.c). */
#pragma once
#include "samples/processor.h"

/* processor->at has the addresses. Sets processor->ip to the instruction that comes next. False: that is not known. */
bool fg_emulate(struct fg_processor *processor, const struct fg_instruction *instruction);
