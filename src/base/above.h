/* Above: the functions of the floor exec that base calls (floor: base; called by log.c and lock_order.c;
 * exec/top/hooks.c has the one table). Programs that have base without exec, such as the command, have no table. The
 * caller is any thread anywhere. The table is a constant. */
#pragma once
#include <stdbool.h>

struct fg_base_above {
	/* fg_fatal is about to end the process: the functions run that the program has registered for its end, so the
	 * runtime must not keep them from that. */
	void (*process_ends)(void);
	/* Tells whether the caller may be preempted now, and with it the holder of a lock. Builds with assertions
	 * ask. */
	bool (*preemptible)(void);
};
extern const struct fg_base_above fg_base_above __attribute__((weak));
