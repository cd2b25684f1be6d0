/* Helping (floor: team; called by exec through exec/ground/above.h, which tells what each must do, and where it is
 * called: the first two perhaps in the preemption handler, or with a lock held).
 *
 * The region of `job` has not ended for the caller: it is a member, or is registered as a helper (exec/flat/help.h,
 * exec/nested/rejoin.h). These functions only read the pool, but for the last one, which runs tasks. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_worker;

bool fg_helping_waiting(void *job);
bool fg_helping_past(void *job, uint32_t phase);
void fg_helping_call(void *job, const struct fg_worker *but);
unsigned fg_helping_come_back(void *job, unsigned num);
