/* Rights (floor: sim; used by actors.c, here.c, lines.c and start.c): which lines each PU may use without a question
 * (base/atomic_charged.h). The running PU's rights are those that charged operations look at. */
#pragma once
#include "base/atomic_charged.h"

void fg_rights_make(void);
/* That PU runs from now on, and atomic operations are charged to it. */
void fg_rights_of(unsigned pu);
/* From now on the running PU asks before it uses any line. */
void fg_rights_look_again(void);
/* The place where a PU keeps its right to the line of that number, perhaps with another line's right in it. */
struct fg_charge_right *fg_right_of(unsigned pu, uintptr_t number);
void fg_rights_clear(void);
