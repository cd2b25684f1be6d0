/* Pins: the PU of each member of an outermost team, by region, out of a pin file (floor: team; FGOMP_PIN; called by
 * region.c and start.c; machine/pin_file.h has the format).
 *
 * A pinned team has a worker on each PU of its layout, and its members are donors. So a region with another layout
 * moves members between workers, and no kernel thread moves. Member 0 is the thread that meets the region, and stays on
 * its worker. Where the team of another thread of the program has one of the PUs, workers have others, and members keep
 * their order (exec/pool/berths.h).
 *
 * A region is known by its code. What the file says of it is looked up once, and kept in a table of words.
 *
 *     Invariant: place->known != 0 => place->region is a region's code, and pins.layouts[known - 1] that of its teams
 *
 * Proof: a thread takes a place by a swap of `region` from 0, looks the layout up, and stores `known` (release). A
 * reader that sees it (acquire) sees the layout. One that comes earlier takes the default. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_identity;
struct fg_root;

/* A pin file is in force. Written at the start only. */
extern bool fg_pins_on __attribute__((visibility("hidden")));

/* The library is loaded, and there is one thread. Reads the file, and the machine (hwloc, some milliseconds). One line
 * says why the file is not used. */
void fg_pins_start(const char *path);
/* The workers of the members of a team that self is about to meet: of member k, number slot_of[k], on the PU
 * pus[slot_of[k]]. False: they sit as ever. The caller is inside, and may leave the runtime for a moment. */
struct fg_pin_seats {
	const uint16_t *slot_of;
	const uint16_t *pus;
};
bool fg_pins_seats(struct fg_identity *self, const void *region, unsigned size, struct fg_pin_seats *seats);
/* The thread of the root ends, which calls this. A trial of its passes begins anew with the next root. */
void fg_pins_forget(const struct fg_root *root);
