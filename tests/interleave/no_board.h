/* Stand-ins for the board's file and for the server (called by scenarios of the floor share). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The server's next replies, and what the program has sent. */
extern struct no_board_line {
	unsigned pus[4], replies, heard, sent, left;
	bool gone; /* the server is killed once its replies are heard */
	uint32_t sequence;
} no_board_line;
