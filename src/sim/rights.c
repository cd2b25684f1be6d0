/* Rights (floor: sim): see rights.h. */
#include "sim/rights.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "sim/sim.h"

static struct fg_charge_right nobodys[FG_CHARGE_RIGHTS];
struct fg_charge_right *fg_charge_rights = nobodys;
uint32_t fg_charge_turn;
static struct fg_charge_right (*rights)[FG_CHARGE_RIGHTS]; /* of each PU */
static uint32_t *turns;

void
fg_rights_make(void)
{
	size_t n = fg_sim.n_pus + 1; /* the last one is for a caller on no PU */
	rights = calloc(n, sizeof *rights);
	turns = calloc(n, sizeof *turns);
	if (!rights || !turns)
		fg_fatal("Out of memory for the lines of the simulated machine");
}

void
fg_rights_of(unsigned pu)
{
	fg_sim.pu = pu;
	fg_charge_rights = rights[pu];
	fg_charge_turn = turns[pu];
}

void
fg_rights_look_again(void)
{
	fg_charge_turn = ++turns[fg_sim.pu];
}

struct fg_charge_right *
fg_right_of(unsigned pu, uintptr_t number)
{
	return &rights[pu][number % FG_CHARGE_RIGHTS];
}

void
fg_rights_clear(void)
{
	memset(rights, 0, (fg_sim.n_pus + 1) * sizeof *rights);
}
