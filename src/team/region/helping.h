/* Helping (floor: team; called by exec through exec/ground/above.h, which tells what each must do). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_worker;

bool fg_helping_waiting(void *job);
bool fg_helping_past(void *job, uint32_t phase);
void fg_helping_call(void *job, const struct fg_worker *but);
unsigned fg_helping_come_back(void *job, unsigned num);
