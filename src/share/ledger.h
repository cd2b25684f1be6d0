/* Ledger: what the server holds, and its decisions (floor: share; called by the command and unit tests).
 *
 * The server (tools/serve.c) moves messages between sockets and this. Nothing here makes a system call, so a test
 * gives the time and the messages. One thread calls it.
 *
 * A client is one connection. It is active while it repeats its request: FG_LEDGER_YOUNG_NS after the last one it
 * holds no PU. So a client that is stopped is the same as one that leaves its region, and a client that dies is
 * removed with its connection.
 *
 *     Invariant: granted != 0 only in a client that is active. So nothing that is gone holds a PU.
 *
 * The shares follow from the requests of the active clients by users.h. Those whose sets of PUs have none in common
 * with a client's do not count for it. `published`: as IWOMP 2010 has it. A reply holds until the region ends.
 * It is N = optimal + free / PUs x (most - optimal), or as many as are free if these are fewer. It is at least 1. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "share/message.h"
#include "share/users.h"

#define FG_LEDGER_CLIENTS FG_MESSAGE_ROWS
#define FG_LEDGER_BY_USER 252	      /* clients of one user */
#define FG_LEDGER_LIMITS 64	      /* users with a limit of their own */
#define FG_LEDGER_YOUNG_NS 30000000   /* a client whose last request is older is not active */
#define FG_LEDGER_HOLDS_NS 1000000000 /* the same as published: a client that comes late must keep what it has */
#define FG_LEDGER_FLOOD_NS 100000000  /* in such a time ... */
#define FG_LEDGER_FLOOD_MESSAGES 1000 /* ... a client may send so many messages */
#define FG_LEDGER_NONE FG_LEDGER_CLIENTS

struct fg_ledger_client {
	bool there, active;
	uint32_t user;
	int process;
	unsigned granted; /* what the last reply said; 0: it is not active */
	uint64_t stamp;	  /* when its last request came */
	uint64_t counted; /* messages are counted since then */
	unsigned messages;
	struct fg_message request; /* the last one */
};

struct fg_ledger {
	bool published;
	unsigned pus;	/* of the machine */
	unsigned limit; /* PUs of each user; 0: any number */
	unsigned n_limits;
	struct {
		uint32_t user;
		unsigned limit;
	} limits[FG_LEDGER_LIMITS];
	unsigned clients, top; /* how many there are; numbers from `top` on are free */
	bool changed;	       /* shares may have changed since the last fg_ledger_next */
	struct fg_ledger_client client[FG_LEDGER_CLIENTS];
	/* Room for a decision: */
	struct fg_users_program programs[FG_LEDGER_CLIENTS];
	struct fg_users_room room;
};

/* A process has connected. Returns its number; FG_LEDGER_NONE: there are too many. */
unsigned fg_ledger_add(struct fg_ledger *ledger, uint32_t user, int process);
/* The connection is gone. */
void fg_ledger_remove(struct fg_ledger *ledger, unsigned client);
/* A message has come. False: it is wrong, or one too many, so the connection must be closed. *reply: what the server
 * answers; kind 0: nothing. The table is for the caller to add. */
bool fg_ledger_take(struct fg_ledger *ledger, unsigned client, const struct fg_message *message, size_t size,
		    uint64_t now, struct fg_message *reply);
/* Clients that do not repeat their requests are no longer active. Returns whether one is active. */
bool fg_ledger_look(struct fg_ledger *ledger, uint64_t now);
/* The first client from `from` on whose share has changed since its last reply. *reply: what must be sent to it.
 * FG_LEDGER_NONE: there is none. */
unsigned fg_ledger_next(struct fg_ledger *ledger, unsigned from, struct fg_message *reply);
/* The clients but for the one that asks, at most FG_MESSAGE_ROWS. Returns how many. *table: what stands before them. */
unsigned fg_ledger_table(const struct fg_ledger *ledger, unsigned asks, struct fg_message *table,
			 struct fg_message_row *rows);
/* PUs that the user's programs may use in all; 0: any number. */
unsigned fg_ledger_limit(const struct fg_ledger *ledger, uint32_t user);
