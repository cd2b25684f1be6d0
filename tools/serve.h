/* Serve: the parts of `forestgomp serve` (command). */
#pragma once
#include "share/ledger.h"

/* How the server was called. */
struct serve_call {
	bool own; /* in the board's folder, though the user is root */
	bool published, status, json;
	unsigned limit; /* PUs of each user; 0: any number */
	unsigned n_limits;
	struct {
		uint32_t user;
		unsigned limit;
	} limits[FG_LEDGER_LIMITS];
};

/* A socket that listens where the call says, and a lock that tells that this server runs. */
struct serve_place {
	int socket, lock, folder;
	const char *name; /* in the folder */
	char path[192];	  /* of both, for people */
	bool all;	  /* all users may connect */
};

/* Listens (serve_place.c). False, after a complaint: it cannot. */
bool serve_listen(const struct serve_call *call, struct serve_place *place);
void serve_leave(const struct serve_place *place);
/* Connects to the server that a program would find; -1: there is none. */
int serve_connect(const struct serve_call *call);
/* `--status` (serve_status.c). Returns the exit status. */
int serve_status(const struct serve_call *call);
