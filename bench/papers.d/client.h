/* A client of the board in an event simulation: its looks at times of its own, by the runtime's own functions of the
 * floor share, in the order of share.c. The board is in memory, and time is simulated. Called by asking.h,
 * programs.c and stale.c. */
#pragma once
#include <string.h>

#include "share/entry.h"
#include "share/fair.h"

#define CLIENTS_MOST 64
#define LOOK_NS UINT64_C(2000000) /* the monitor's period */

struct client {
	unsigned entry, limit; /* PUs that it may use */
	unsigned uses;	       /* its set leaves the rest to others; 0: it has no such set */
	unsigned want;	       /* it asks for so many PUs; 0: for all that it could keep busy */
	unsigned free;	       /* PUs that others leave */
	bool leaving;
	uint64_t word, phase, looked, next_look; /* next_look 0: it does not look */
	struct fg_fair_entry told;
};

static struct fg_board client_board;
static struct fg_cpuset client_cpus; /* of all clients */
static struct fg_fair_entry client_entries[FG_BOARD_ENTRIES];

/* The first region of more than one member. */
static inline void
client_join(struct client *client, int number, uint64_t now, unsigned pus, uint64_t phase)
{
	bool others;
	for (unsigned pu = 0; pu < pus; pu++)
		fg_cpuset_add(&client_cpus, pu);
	client->told = (struct fg_fair_entry){pus * 1000, FG_FAIR_WEIGHT};
	client->word = fg_entry_word(number + 1, now);
	client->entry = fg_entry_take(&client_board, client->word, now, fg_entry_pack(&client->told), &others);
	client->looked = now;
	client->limit = pus;
	client->phase = phase % LOOK_NS;
	fg_entry_tell(&client_board, client->entry, now, &client->told, &client_cpus);
}

/* The first look is at the next tick of its own clock. */
static inline void
client_enter(struct client *client, uint64_t now)
{
	client->leaving = false;
	client->next_look = (now + LOOK_NS - client->phase) / LOOK_NS * LOOK_NS + client->phase;
}

/* last_look: the monitor looks once more, and takes the stamp back. The runtime does so at its second look. */
static inline void
client_leave(struct client *client, bool last_look)
{
	client->leaving = last_look;
	if (!last_look)
		client->next_look = 0;
}

/* busy: PUs that it could keep busy. */
static inline void
client_look(struct client *client, uint64_t now, unsigned busy, unsigned pus)
{
	unsigned place;
	bool others;
	if (client->leaving) {
		fg_store_relaxed(&client_board.entry[client->entry].stamp, now - FG_ENTRY_YOUNG_NS);
		client->next_look = 0;
		return;
	}
	client->told.demand = fg_fair_demand(client->told.demand, busy * 1000, now - client->looked);
	client->looked = now;
	client->next_look = now + LOOK_NS;
	if (!fg_entry_is_own(&client_board, client->entry, client->word))
		client->entry = fg_entry_take(&client_board, client->word, now, fg_entry_pack(&client->told), &others);
	struct fg_fair_entry told = client->told;
	if (client->uses && told.demand > client->uses * 1000)
		told.demand = client->uses * 1000;
	if (client->want && told.demand > client->want * 1000)
		told.demand = client->want * 1000;
	fg_entry_tell(&client_board, client->entry, now, &told, &client_cpus);
	unsigned n = fg_entry_read(&client_board, client->entry, now, &client_cpus, client_entries, &place, &others);
	client->limit = client->free = pus;
	if (n == 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		unsigned uses = (client_entries[i].demand + 500) / 1000;
		client->free -= uses < client->free ? uses : client->free;
	}
	memmove(client_entries + place + 1, client_entries + place, (n - place) * sizeof *client_entries);
	client_entries[place] = client->told;
	if (client->want && client->told.demand > client->want * 1000)
		client_entries[place].demand = client->want * 1000;
	client->limit = fg_fair_share(pus, 0, client_entries, n + 1, place);
}

/* The entry counts for others at this time. It may be another program's, once this one has ended. */
static inline bool
client_is_young(const struct client *client, uint64_t now)
{
	return fg_entry_is_own(&client_board, client->entry, client->word) &&
	       fg_load_relaxed(&client_board.entry[client->entry].stamp) + FG_ENTRY_YOUNG_NS > now;
}
