/* Given: a machine of two words, and chance, for all programs of the experiments with several programs. */
#pragma once
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "share/choice.h"

static const char *const given_choices[] = {"simple", "clustering", "enhanced"};

/* "numa:8 core:4", and the links from node to node as machine files have them: "0 1 / 1 0", or "-". */
static inline struct fg_distances
given_machine(const char *topology, const char *links)
{
	static uint8_t matrix[FG_DISTANCE_NODES * FG_DISTANCE_NODES];
	const char *why = "";
	struct fg_distances distances = {.machine = fg_machine_synthetic(topology, &why)};
	unsigned n = 0;
	if (!distances.machine || distances.machine->n_pus > FG_CHOICE_PUS) {
		fprintf(stderr, "%s: %s; nothing was run\n", topology, distances.machine ? "too many PUs" : why);
		exit(2);
	}
	for (const char *c = links; *c; c++)
		if (isdigit((unsigned char)*c) && n < sizeof matrix)
			matrix[n++] = (uint8_t)(*c - '0');
	while (distances.n_nodes * distances.n_nodes < n)
		distances.n_nodes++;
	distances.links = n ? matrix : NULL;
	fg_distance_check(&distances);
	return distances;
}

/* A number below n. */
static inline unsigned
given_below(uint64_t *chance, unsigned n)
{
	*chance = *chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*chance >> 33) * n >> 31);
}

static inline unsigned
given_between(uint64_t *chance, unsigned least, unsigned most)
{
	return least + given_below(chance, most - least + 1);
}

static inline double
given_part(uint64_t *chance)
{
	return given_below(chance, 1u << 30) / (double)(1u << 30);
}
