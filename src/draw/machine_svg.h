/* Drawing of a machine's tree of levels (floor: draw; `forestgomp topo --svg`). */
#pragma once
#include "machine/machine.h"

void fg_draw_machine(const struct fg_machine *machine, FILE *file);
