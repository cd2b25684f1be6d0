/* Segments: a mapping cut into pieces, each of which is used by one node, or by several alike (floor: samples; used by
 * repair.c).
 *
 * Points along the addresses say which node used which place. The pieces are those that explain the points at the least
 * price (the Potts model in one dimension, solved by Viterbi's algorithm). A point costs its weight if its piece
 * belongs to another node, MIXED of its weight in a piece that is shared, and each border costs BORDER. So a few points
 * that stray cost less than two borders, a piece that one node uses for less than two thirds is shared, and a border
 * lies where the points say, not at a multiple of some size. Nothing need be known of arrays, members or loops.
 *
 *     BORDER / MIXED points that agree make a piece of their own      (3 / 0.35: some nine)
 *
 * A piece reaches as far as its points, and half a mean gap beyond. If little lies between two pieces, they meet in the
 * middle. Memory further away from all points belongs to no piece yet. */
#pragma once
#include <stdint.h>

enum { FG_SEGMENT_SHARED = -1 };

struct fg_segment_point {
	uintptr_t address;
	float weight; /* 1, less for an old one */
	unsigned char user;
	uint16_t age; /* the caller's */
};

struct fg_segment {
	uintptr_t low, high; /* [low, high) */
	int node;	     /* or FG_SEGMENT_SHARED */
	unsigned first, n;   /* its points */
};

/* `points` are in the order of their addresses, all within [start, end). n is at most FG_POINTS, nodes at most 62.
 * Returns the number of segments, `max` at most: pieces for which there is no room are left out. */
unsigned fg_segments_find(const struct fg_segment_point *points, unsigned n, unsigned nodes, uintptr_t start,
			  uintptr_t end, struct fg_segment *segments, unsigned max);
