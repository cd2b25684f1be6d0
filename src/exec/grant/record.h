/* Record: the PUs of the process, for a trace (floor: exec; called by grant.c at a look, one at a time). */
#pragma once
#include <stdint.h>

/* The process may keep so many PUs busy; `alone`: by its mask and quota. There is an event if that has changed since
 * the last call, or if the process's set has. The caller may write events (trace/lane.h). */
void fg_grant_record(unsigned pus, unsigned alone, uint64_t now);
