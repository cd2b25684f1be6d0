/* Users: how many PUs each of several programs uses that belong to several users (floor: share; called by ledger.c
 * and unit tests).
 *
 * First the users divide the PUs, then the programs of each user divide the user's part. Both steps are the rules of
 * fair.h. All users have the same weight, and a user's demand is the sum of the user's programs'. So a user with many
 * programs has no more than one with few. But nobody is below one PU: a user with more programs than PUs has one for
 * each, and the kernel gives them turns.
 *
 * These are pure functions. The caller gives the room that they need. */
#pragma once
#include <stdint.h>

#include "share/fair.h"

#define FG_USERS_PROGRAMS 1024

struct fg_users_program {
	struct fg_fair_entry fair;
	uint32_t user;
	uint32_t most; /* PUs of all programs of the user; 0: any number. The same in all of them. */
};

struct fg_users_room {
	uint32_t user[FG_USERS_PROGRAMS];
	struct fg_fair_entry users[FG_USERS_PROGRAMS], programs[FG_USERS_PROGRAMS];
};

/* The PUs of programs[own], at least 1 and at most `pus`. outside: PUs that others use, in thousandths. The older
 * program comes first where two have equal claims. n: at most FG_USERS_PROGRAMS. */
unsigned fg_users_share(unsigned pus, unsigned outside, const struct fg_users_program *programs, unsigned n,
			unsigned own, struct fg_users_room *room);
