/* Pin file: where the members of outermost teams sit, by region (floor: machine; written by `forestgomp pin`, read by
 * team/hints/pin.c). A line is "KEY = VALUE"; what follows a # is a comment:
 *
 *     pin = 1                            the version of the format: the first line
 *     machine = 8 90cf2a55d1e07b34       its PUs, and a digest of its tree of levels
 *     threads = 8                        what follows is for teams of 8
 *     default = 0 1 4 5 2 3 6 7          the PU of each member, by logical number (`forestgomp topo`)
 *     region = 1b4c09ff+11e0 0 4 1 5 2 6 3 7    of the region whose code lies there: build id of its file, offset
 *
 * A member has a PU of its own. All layouts of one size have the same PUs, and the same for member 0: it is the thread
 * that meets the region, and stays. The caller is outside the runtime: memory comes from malloc. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

#define FG_PIN_VERSION 1
#define FG_PIN_PUS 4096 /* at most */
#define FG_PIN_NAME 72	/* bytes of a region's name, with the NUL */

struct fg_pin_layout {
	struct fg_pin_layout *next;
	unsigned size;
	char name[FG_PIN_NAME]; /* of the region; empty: all others of this size */
	uint16_t pu[];
};

struct fg_pin {
	unsigned pus; /* of the machine */
	uint64_t digest;
	struct fg_pin_layout *first; /* in the order of the file */
};

/* Reads the text. False: `why` says which line is wrong, and what is accepted. */
bool fg_pin_read(const char *text, struct fg_pin *pin, char *why, size_t size);
void fg_pin_free(struct fg_pin *pin);
/* The layout of a region of that size; NULL: there is none for this size. */
const struct fg_pin_layout *fg_pin_find(const struct fg_pin *pin, unsigned size, const char *name);

/* The digest of a machine: trees of other shapes have other ones, but for chance. */
uint64_t fg_pin_digest(const struct fg_machine *machine);
