/* Users (floor: share): see users.h. */
#include "share/users.h"

#include <assert.h>

#include "share/board.h"

#define MOST (FG_BOARD_PUS * 1000u)

static uint32_t
at_most(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Sums up the demands of each user. Returns the number of users. *place: that of the own program's user. */
static unsigned
sum_up(const struct fg_users_program *programs, unsigned n, unsigned own, struct fg_users_room *room, unsigned *place)
{
	unsigned users = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;
		while (k < users && room->user[k] != programs[i].user)
			k++;
		if (k == users) {
			room->user[users] = programs[i].user;
			room->users[users++] = (struct fg_fair_entry){0, FG_FAIR_WEIGHT};
		}
		uint32_t most = programs[i].most ? at_most(programs[i].most, FG_BOARD_PUS) * 1000 : MOST;
		room->users[k].demand = at_most(room->users[k].demand + programs[i].fair.demand, most);
		if (i == own)
			*place = k;
	}
	return users;
}

/* Of the `pus` that the own program's user has. */
static unsigned
within(unsigned pus, unsigned outside, const struct fg_users_program *programs, unsigned n, unsigned own,
       struct fg_users_room *room)
{
	unsigned many = 0, place = 0;
	for (unsigned i = 0; i < n; i++) {
		if (programs[i].user != programs[own].user)
			continue;
		if (i == own)
			place = many;
		room->programs[many++] = programs[i].fair;
	}
	return fg_fair_share(pus, outside, room->programs, many, place);
}

unsigned
fg_users_share(unsigned pus, unsigned outside, const struct fg_users_program *programs, unsigned n, unsigned own,
	       struct fg_users_room *room)
{
	unsigned place = 0;
	uint64_t most = programs[own].most;
	assert(own < n && n <= FG_USERS_PROGRAMS && pus > 0);
	unsigned users = sum_up(programs, n, own, room, &place);
	if (users > 1) {
		pus = fg_fair_share(pus, outside, room->users, users, place);
		outside = 0;
	}
	if (most && most * 1000 + outside < pus * 1000) {
		pus = (unsigned)most;
		outside = 0;
	}
	return within(pus, outside, programs, n, own, room);
}
