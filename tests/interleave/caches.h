/* A machine of two L3 caches of two PUs each, for scenarios about sets. */
#pragma once
#include "machine/machine.h"

static inline const struct fg_machine *
caches_machine(void)
{
	static struct fg_level top, cache[2], pu[4], *levels[7], *pus[4], *caches[2];
	static struct fg_machine machine;
	unsigned n = 0;
	top = (struct fg_level){.kind = FG_MACHINE, .kinds = 1u << FG_MACHINE, .numa_node = 0, .n_pus = 4};
	top.children = caches;
	top.n_children = 2;
	levels[n++] = &top;
	for (unsigned i = 0; i < 2; i++) {
		cache[i] = (struct fg_level){.kind = FG_L3, .kinds = 1u << FG_L3, .numa_node = 0, .depth = 1};
		cache[i].number = n;
		cache[i].parent = &top;
		cache[i].first_pu = 2 * i;
		cache[i].n_pus = cache[i].n_children = 2;
		cache[i].children = &pus[2 * i];
		levels[n++] = caches[i] = &cache[i];
		for (unsigned k = 2 * i; k < 2 * i + 2; k++) {
			pu[k] = (struct fg_level){.kind = FG_PU, .kinds = 1u << FG_PU, .numa_node = 0, .depth = 2};
			pu[k].os_index = pu[k].first_pu = k;
			pu[k].number = n;
			pu[k].parent = &cache[i];
			pu[k].n_pus = 1;
			levels[n++] = pus[k] = &pu[k];
		}
	}
	machine = (struct fg_machine){&top, levels, n, pus, 4, 1, 2, FG_FROM_SYNTHETIC};
	return &machine;
}
