/* Seats (command): see seats.h. */
#include "plan/seats.h"
#include "plan/room.h"

#include <string.h>

static int
by_number(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

void
fg_seats_make(struct fg_seats *seats, const struct fg_machine *machine, const uint16_t *pu, unsigned n,
	      double (*between)(const void *arg, unsigned from, unsigned to), const void *arg)
{
	*seats = (struct fg_seats){.machine = machine, .n = n, .pu = fg_room(n, sizeof *pu)};
	memcpy(seats->pu, pu, n * sizeof *pu);
	qsort(seats->pu, n, sizeof *pu, by_number);
	seats->near = fg_room((size_t)n * n, sizeof *seats->near);
	for (unsigned i = 0; i < n; i++) {
		if (seats->pu[i] == pu[0])
			seats->root = i;
		for (unsigned k = 0; k < n; k++)
			seats->near[(size_t)i * n + k] =
				(between(arg, seats->pu[i], seats->pu[k]) + between(arg, seats->pu[k], seats->pu[i])) /
				2;
	}
}

struct fg_span
fg_seats_below(const struct fg_seats *seats, const struct fg_level *level)
{
	struct fg_span span = {0, 0};
	while (span.first < seats->n && seats->pu[span.first] < level->first_pu)
		span.first++;
	while (span.first + span.n < seats->n && seats->pu[span.first + span.n] < level->first_pu + level->n_pus)
		span.n++;
	return span;
}

bool
fg_seats_of(const struct fg_seats *seats, const uint16_t *pu, unsigned *seat)
{
	for (unsigned k = 0; k < seats->n; k++) {
		for (seat[k] = 0; seat[k] < seats->n && seats->pu[seat[k]] != pu[k];)
			seat[k]++;
		if (seat[k] == seats->n)
			return false;
	}
	return seat[0] == seats->root;
}

void
fg_seats_free(struct fg_seats *seats)
{
	free(seats->pu);
	free(seats->near);
	*seats = (struct fg_seats){0};
}
