/* Haste: a thread meets teams faster than a look at the machine for each of them pays (floor: sched; written by
 * exec/nested/birth.c where policies redistribute, read by redistribute.c and team/region).
 *
 * A look at the clock takes a tenth of the time of a small team. So a thread in haste looks at every 16th team only.
 * Idle PUs ask by themselves meanwhile. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_entity;

/* Of the calling thread. All lies in one structure, because thread-local storage is given in 8 bytes. */
extern __thread struct fg_sched_thread {
	/* The microseconds of its last look, times 32; 16 if its last team began in haste; and how many teams it still
	 * passes over. */
	uint32_t haste;
	uint32_t hand; /* the number of its hand (hand.c); 0: none so far */
	/* The hand: entities in transit, chained by prev and next. An entity in no holder needs its links for nothing
	 * else. There is no entity at the head, because thread-local storage is scarce in a library that comes by
	 * dlopen. */
	struct fg_entity *in_hand;
	unsigned n_in_hand;
	unsigned strange; /* entities that a policy put but did not have */
} fg_sched_thread __attribute__((visibility("hidden")));
#define FG_HASTE_NOW 16
#define FG_HASTE_SKIPS 15

/* A team begins. Returns whether it begins in haste. */
bool fg_haste_look(void);
static inline bool
fg_haste_begin(void)
{
	if (!(fg_sched_thread.haste & FG_HASTE_SKIPS))
		return fg_haste_look();
	fg_sched_thread.haste = (fg_sched_thread.haste - 1) | FG_HASTE_NOW;
	return true;
}

/* Whether the caller's last team began in haste. */
static inline bool
fg_haste_now(void)
{
	return fg_sched_thread.haste & FG_HASTE_NOW;
}
