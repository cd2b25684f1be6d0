/* Where pages lie, and where they are to: what is asked of the system about memory, and who answers (floor: memory). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/numa.h"

/* The kernel answers; a simulated machine, or a test, may put an answerer of its own here before the first question. */
struct fg_where {
	unsigned (*nodes)(void); /* nodes are numbered 0 .. so many - 1, as the operating system does */
	/* Of each page its node; below 0: nothing is there yet. false: it cannot be known. */
	bool (*ask)(unsigned n, void *const *pages, int *node);
	/* Nodes whose memory may be had, and wishes about the pages of a range that are touched from now on (platform/numa.h). */
	bool (*allowed)(struct fg_nodes *nodes);
	void (*interleave)(void *start, size_t size, const struct fg_nodes *nodes);
	void (*prefer)(void *start, size_t size, unsigned node);
	void (*nearest)(void *start, size_t size, const struct fg_nodes *nodes);
	unsigned (*here)(void);
	/* The pages are given back; NULL: that is known there. */
	void (*gone)(void *start, size_t size);
};
extern const struct fg_where *fg_where;

/* Adds up the bytes of a range by node, pages that were not touched yet counting to none. Exact up to FG_WHERE_SAMPLES pages; of more it
 * asks for as many, spread over the range by chance, so that no regular pattern can hide. false: not known. */
#define FG_WHERE_SAMPLES 256
bool fg_where_measure(uintptr_t start, uintptr_t end, size_t *on_node, unsigned n_nodes);
