/* Message: what a program and the server say to each other (floor: share; called by served.c, ledger.c, unit tests
 * and the command).
 *
 * The protocol is that of IWOMP 2010. A program that meets an outermost region sends a request. It has the number of
 * PUs that the region makes good use of, and the largest number that it can use. The reply has the number that it may
 * use. When the program leaves the region, it says so. Beyond that:
 * - The program repeats its request while the region runs, each 10 ms, and the server answers each. So each side
 *   knows that the other one is alive. `region` tells whether it is the same one.
 * - The server may reply again without being asked: PUs have come free, or another program needs some.
 * - A program that wants to know what the server holds asks for the table.
 *
 * Each message has one size, and its version. The receiver closes the connection on anything else. A socket carries
 * messages as a whole, so a wrong one spoils no other. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "share/board.h"

/* Where servers listen: the user's own in the board's folder, that of all users in a folder of root's. */
#define FG_SERVER_OWN "forestgomp-server"
#define FG_SERVER_FOLDER "/run/forestgomp"
#define FG_SERVER_ALL "server"

#define FG_MESSAGE_MAGIC 0x53474646u /* "FFGS" */
#define FG_MESSAGE_VERSION 1
#define FG_MESSAGE_ROWS 1024

enum fg_message_kind {
	FG_MESSAGE_REQUEST = 1, /* from a program in a region */
	FG_MESSAGE_LEAVE,	/* it has left the region */
	FG_MESSAGE_ASK,		/* for the table */
	FG_MESSAGE_REPLY,	/* from the server: `pus` */
	FG_MESSAGE_TABLE,	/* from the server: `rows` rows follow in the same packet */
	FG_MESSAGE_KINDS
};

struct fg_message {
	uint32_t magic;
	uint16_t version, kind;
	uint32_t sequence;		  /* of a request; its reply has the same */
	uint32_t region;		  /* of a request: another number is another region */
	uint16_t optimal, most;		  /* of a request: PUs */
	uint16_t pus;			  /* of a reply: the program may use them. Of a table: the server has them. */
	uint16_t rows;			  /* of a table */
	uint32_t demand;		  /* of a request: PUs that it could keep busy, as a mean, in thousandths */
	uint32_t weight;		  /* of a request: of its nice value, as on the board */
	uint32_t outside;		  /* of a request: PUs that programs use which do not share, in thousandths */
	uint32_t published;		  /* of a table: 1 if a reply holds until the region ends */
	uint64_t limit;			  /* of a table: PUs of each user; 0: any number */
	uint8_t free[16];		  /* 0 */
	uint64_t cpus[FG_BOARD_PUS / 64]; /* of a request: PUs that the program may use, by the kernel's numbers */
};

/* One client of the server. */
struct fg_message_row {
	uint32_t user;
	int32_t process; /* as the server sees it */
	uint32_t demand, weight;
	uint16_t optimal, most, granted, active; /* granted: 0 if it is not active */
	uint32_t limit;				 /* PUs of its user; 0: any number */
	uint32_t free;
};

_Static_assert(sizeof(struct fg_message) == 192 && offsetof(struct fg_message, cpus) == 64,
	       "it goes to other programs");
_Static_assert(sizeof(struct fg_message_row) == 32, "it goes to other programs");

/* A message of this kind, with nothing else in it. */
struct fg_message fg_message_make(enum fg_message_kind kind);
/* The message that came in so many bytes is one that the server may get, or that a program may get. Every field is in
 * its range. */
bool fg_message_for_server(const struct fg_message *message, size_t size);
bool fg_message_for_program(const struct fg_message *message, size_t size);
