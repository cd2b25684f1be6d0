/* Watchdog: finds what a policy has left where no PU looks for it, and calls the policies' daemons (floor: exec; called by the monitor). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* true: something lies where only a policy can bring it back: look again soon. */
bool fg_watchdog_look(uint64_t now);
