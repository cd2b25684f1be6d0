/* Rights (floor: sim): see rights.h. */
#include "sim/rights.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "sim/sim.h"

static struct {
	struct fg_charge_right nobodys[FG_CHARGE_RIGHTS];
	struct fg_charge_right (*rights)[FG_CHARGE_RIGHTS]; /* of each PU */
	uint32_t *turns;
} all;

struct fg_charge_state fg_charge_state = {.rights = all.nobodys, .patience = 1};

void
fg_rights_make(void)
{
	size_t n = fg_sim.n_pus + 1; /* the last one is for a caller on no PU */
	all.rights = calloc(n, sizeof *all.rights);
	all.turns = calloc(n, sizeof *all.turns);
	if (!all.rights || !all.turns)
		fg_fatal("Out of memory for the lines of the simulated machine");
}

void
fg_rights_of(unsigned pu)
{
	fg_sim.pu = pu;
	fg_charge_state.rights = all.rights[pu];
	fg_charge_state.turn = all.turns[pu];
}

void
fg_rights_look_again(void)
{
	fg_charge_state.turn = ++all.turns[fg_sim.pu];
}

struct fg_charge_right *
fg_right_of(unsigned pu, uintptr_t number)
{
	return &all.rights[pu][number % FG_CHARGE_RIGHTS];
}

void
fg_rights_clear(void)
{
	memset(all.rights, 0, (fg_sim.n_pus + 1) * sizeof *all.rights);
}
