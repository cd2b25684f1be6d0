/* Turns (floor: sim; used by actors.c): the actors that can go on, in the order of their times. It is a heap, because
 * a machine may have a thousand of them, and each pause of a spinning one moves it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An actor's part of the heap. `at` is its index there plus 1; 0: it is not there. */
struct fg_turn {
	uint64_t time, order; /* the order decides among equal times, and after it the number */
	uint32_t number;
	uint32_t at;
};

struct fg_turns {
	struct fg_turn **turn; /* the heap */
	size_t n, room;
};

/* Puts it there, or moves it to its new time. Returns false if there is no memory. */
bool fg_turns_put(struct fg_turns *turns, struct fg_turn *turn);
/* Takes out the least one. NULL: there is none. */
struct fg_turn *fg_turns_take(struct fg_turns *turns);
/* Returns the least time; UINT64_MAX: there is none. */
uint64_t fg_turns_next(const struct fg_turns *turns);
/* Makes room for so many. Returns false if there is no memory. */
bool fg_turns_reserve(struct fg_turns *turns, size_t n);
void fg_turns_clear(struct fg_turns *turns);
