/* Affinity graphs of a region (command; made for seating.c and pin_uses.c): how much each two members share.
 *
 *     SM    sum over blocks of min(A, A'), A = reads + writes
 *     RWM   sum of min(R, W') + min(W, R') + min(W, W'): lines that are only read can lie in many caches
 *     lines sum of 2 min(V, V') where one of them writes, V = max(R, W) / 8: how often lines go from one to the other
 *
 * The first two are those of Dynamic Thread Pinning (Euro-Par 2013). The third is ours: its unit is that of a move, the
 * line, so that sharing and moves can be added. Blocks of one member count nothing. Members who use two blocks alike
 * have one term for both. */
#pragma once
#include "plan/uses.h"

/* Terms of pairs. Where there are more, so many are taken by chance, each for as many blocks as it stands for. */
#define FG_GRAPH_TERMS 1e8

struct fg_graph {
	unsigned members;
	double *sm, *rwm, *lines; /* members x members, symmetric */
	uint64_t records;	  /* blocks of members */
	double reads, writes;	  /* units */
	bool sampled;
};

/* The uses are sorted. */
void fg_graph_make(const struct fg_uses *uses, unsigned region, unsigned members, struct fg_graph *graph);
/* The sum of the graphs of n regions. */
void fg_graph_add_up(const struct fg_graph *graphs, unsigned n, unsigned members, struct fg_graph *sum);
void fg_graph_free(struct fg_graph *graph);
