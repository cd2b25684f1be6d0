/* Affinity graphs (command): see graph.h. A sweep over the blocks in their order: between two ends of uses, all blocks
 * have the same users. Blocks with the same users and counts are one vector, wherever they lie. */
#include "plan/graph.h"
#include "plan/room.h"

#include <string.h>

struct part {
	uint32_t member, reads, writes;
};

struct vector {
	size_t first; /* of its parts */
	uint32_t n;   /* parts: at least 2 */
	uint64_t hash, blocks;
};

struct sweep {
	struct fg_graph *graph;
	size_t *active, n_active, active_room; /* uses that reach over the block */
	uint32_t *member_of;		       /* those of the members of the block */
	struct part *of_member;		       /* by member */
	struct part *parts;
	size_t n_parts, parts_room;
	struct vector *vectors;
	size_t n_vectors, vectors_room;
	size_t *table, mask; /* vectors + 1, by hash */
};

static void *
larger(void *list, size_t n, size_t *room, size_t size)
{
	size_t now = *room ? 2 * *room : 256;
	void *next = fg_room(now, size);
	if (n)
		memcpy(next, list, n * size);
	free(list);
	*room = now;
	return next;
}

static size_t
place_of(const struct sweep *sweep, const struct vector *vector)
{
	size_t place = vector->hash & sweep->mask;
	for (size_t at; (at = sweep->table[place]); place = (place + 1) & sweep->mask) {
		const struct vector *there = &sweep->vectors[at - 1];
		if (there->hash == vector->hash && there->n == vector->n &&
		    memcmp(sweep->parts + there->first, sweep->parts + vector->first,
			   vector->n * sizeof(struct part)) == 0)
			break;
	}
	return place;
}

static void
note(struct sweep *sweep, const struct vector *vector)
{
	if (2 * (sweep->n_vectors + 1) > sweep->mask) {
		free(sweep->table);
		sweep->mask = 4 * (sweep->mask + 1) - 1;
		sweep->table = fg_room(sweep->mask + 1, sizeof *sweep->table);
		for (size_t i = 0; i < sweep->n_vectors; i++)
			sweep->table[place_of(sweep, &sweep->vectors[i])] = i + 1;
	}
	size_t place = place_of(sweep, vector);
	if (sweep->table[place]) {
		sweep->vectors[sweep->table[place] - 1].blocks += vector->blocks;
		sweep->n_parts = vector->first;
		return;
	}
	if (sweep->n_vectors == sweep->vectors_room)
		sweep->vectors = larger(sweep->vectors, sweep->n_vectors, &sweep->vectors_room, sizeof *sweep->vectors);
	sweep->vectors[sweep->n_vectors++] = *vector;
	sweep->table[place] = sweep->n_vectors;
}

/* A member may have several uses of the block. */
static unsigned
add_up(struct sweep *sweep, const struct fg_use *uses)
{
	unsigned n = 0;
	for (size_t i = 0; i < sweep->n_active; i++) {
		const struct fg_use *use = &uses[sweep->active[i]];
		struct part *part = &sweep->of_member[use->member];
		if (!part->member) {
			part->member = use->member + 1u;
			sweep->member_of[n++] = use->member;
		}
		part->reads = use->reads > UINT32_MAX - part->reads ? UINT32_MAX : part->reads + use->reads;
		part->writes = use->writes > UINT32_MAX - part->writes ? UINT32_MAX : part->writes + use->writes;
	}
	return n;
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void
segment(struct sweep *sweep, const struct fg_use *uses, uint64_t blocks)
{
	unsigned n = add_up(sweep, uses);
	struct vector vector = {sweep->n_parts, n, UINT64_C(0xcbf29ce484222325), blocks};
	if (n > 1)
		qsort(sweep->member_of, n, sizeof *sweep->member_of, by_number);
	while (n > 1 && sweep->n_parts + n > sweep->parts_room)
		sweep->parts = larger(sweep->parts, sweep->n_parts, &sweep->parts_room, sizeof *sweep->parts);
	for (unsigned i = 0; i < n; i++) {
		struct part *part = &sweep->of_member[sweep->member_of[i]];
		sweep->graph->records += blocks;
		sweep->graph->reads += (double)blocks * part->reads;
		sweep->graph->writes += (double)blocks * part->writes;
		if (n > 1) {
			sweep->parts[sweep->n_parts++] = *part;
			vector.hash = (vector.hash ^ part->member) * UINT64_C(0x9e3779b97f4a7c15);
			vector.hash = (vector.hash ^ part->reads) * UINT64_C(0xff51afd7ed558ccd);
			vector.hash = (vector.hash ^ part->writes) * UINT64_C(0xc2b2ae3d27d4eb4f);
			vector.hash ^= vector.hash >> 29;
		}
		*part = (struct part){0};
	}
	if (n > 1)
		note(sweep, &vector);
}

static void
go_through(struct sweep *sweep, const struct fg_use *uses, size_t n)
{
	uint64_t at = 0;
	for (size_t next = 0; next < n || sweep->n_active;) {
		if (!sweep->n_active)
			at = uses[next].block;
		for (; next < n && uses[next].block <= at; next++) {
			if (sweep->n_active == sweep->active_room)
				sweep->active = larger(sweep->active, sweep->n_active, &sweep->active_room,
						       sizeof *sweep->active);
			sweep->active[sweep->n_active++] = next;
		}
		uint64_t end = next < n ? uses[next].block : UINT64_MAX;
		for (size_t i = 0; i < sweep->n_active; i++) {
			const struct fg_use *use = &uses[sweep->active[i]];
			end = use->block + use->n < end ? use->block + use->n : end;
		}
		segment(sweep, uses, end - at);
		at = end;
		size_t left = 0;
		for (size_t i = 0; i < sweep->n_active; i++)
			if (uses[sweep->active[i]].block + uses[sweep->active[i]].n > at)
				sweep->active[left++] = sweep->active[i];
		sweep->n_active = left;
	}
}

static uint32_t
less(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void
pairs(struct fg_graph *graph, const struct part *parts, unsigned n, double blocks)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = i + 1; k < n; k++) {
			const struct part *a = &parts[i], *b = &parts[k];
			size_t at = (size_t)(a->member - 1) * graph->members + b->member - 1;
			uint64_t of_a = (uint64_t)a->reads + a->writes, of_b = (uint64_t)b->reads + b->writes;
			uint32_t most_a = a->reads > a->writes ? a->reads : a->writes,
				 most_b = b->reads > b->writes ? b->reads : b->writes;
			graph->sm[at] += blocks * (double)(of_a < of_b ? of_a : of_b);
			if (!a->writes && !b->writes)
				continue;
			graph->rwm[at] += blocks * ((double)less(a->reads, b->writes) +
						    (double)less(a->writes, b->reads) + less(a->writes, b->writes));
			graph->lines[at] += blocks * less(most_a, most_b) * 2 * FG_USE_UNIT / FG_USE_BLOCK;
		}
}

/* Each vector has as many of the samples as it has blocks, in proportion. Their order is that of the hash, so it says
 * nothing of where blocks lie. */
static void
sum_up(struct sweep *sweep)
{
	double terms = 0, all = 0, done = 0, step = 1;
	for (size_t i = 0; i < sweep->n_vectors; i++) {
		terms += (double)sweep->vectors[i].n * (sweep->vectors[i].n - 1) / 2;
		all += (double)sweep->vectors[i].blocks;
	}
	sweep->graph->sampled = terms > FG_GRAPH_TERMS;
	if (sweep->graph->sampled)
		step = all * terms / FG_GRAPH_TERMS / (double)sweep->n_vectors;
	for (size_t place = 0; sweep->n_vectors && place <= sweep->mask; place++) {
		if (!sweep->table[place])
			continue;
		const struct vector *vector = &sweep->vectors[sweep->table[place] - 1];
		double blocks = (double)vector->blocks;
		if (sweep->graph->sampled) {
			double before = done / step;
			done += blocks;
			blocks = step * ((double)(uint64_t)(done / step) - (double)(uint64_t)before);
		}
		if (blocks > 0)
			pairs(sweep->graph, sweep->parts + vector->first, vector->n, blocks);
	}
}

static void
make_symmetric(double *weights, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++)
			weights[(size_t)i * n + k] = weights[(size_t)k * n + i];
}

static void
make(struct fg_graph *graph, unsigned members)
{
	size_t square = (size_t)members * members;
	*graph = (struct fg_graph){.members = members,
				   .sm = fg_room(square, sizeof(double)),
				   .rwm = fg_room(square, sizeof(double)),
				   .lines = fg_room(square, sizeof(double))};
}

void
fg_graph_make(const struct fg_uses *uses, unsigned region, unsigned members, struct fg_graph *graph)
{
	size_t n;
	const struct fg_use *list = fg_uses_of(uses, region, &n);
	make(graph, members);
	struct sweep sweep = {.graph = graph, .mask = 255};
	sweep.member_of = fg_room(members, sizeof *sweep.member_of);
	sweep.of_member = fg_room(members, sizeof *sweep.of_member);
	sweep.table = fg_room(sweep.mask + 1, sizeof *sweep.table);
	go_through(&sweep, list, n);
	sum_up(&sweep);
	make_symmetric(graph->sm, members);
	make_symmetric(graph->rwm, members);
	make_symmetric(graph->lines, members);
	free(sweep.active);
	free(sweep.member_of);
	free(sweep.of_member);
	free(sweep.parts);
	free(sweep.vectors);
	free(sweep.table);
}

void
fg_graph_add_up(const struct fg_graph *graphs, unsigned n, unsigned members, struct fg_graph *sum)
{
	make(sum, members);
	for (unsigned r = 0; r < n; r++)
		for (size_t i = 0; i < (size_t)members * members; i++) {
			sum->sm[i] += graphs[r].sm[i];
			sum->rwm[i] += graphs[r].rwm[i];
			sum->lines[i] += graphs[r].lines[i];
		}
}

void
fg_graph_free(struct fg_graph *graph)
{
	free(graph->sm);
	free(graph->rwm);
	free(graph->lines);
	*graph = (struct fg_graph){0};
}
