/* Mappings: the memory of the process that may lie on a wrong node (floor: samples; used by sampler.c and repair.c).
 *
 * These are the private mappings without a file that have at least 1 MiB in RAM: large blocks of malloc, the heap, and
 * what programs map themselves. A mapping is no array, because the kernel makes one of neighbours. The sampler alone
 * calls, and another thread may read between two looks. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FG_MAPPINGS = 256, FG_MAPPING_NODES = 62 };

struct fg_mapping {
	uintptr_t start, end;
	size_t bytes;	/* in RAM, as far as a choice of pages tells */
	bool even;	/* no node has much more than its share of them */
	bool bound;	/* somebody has told the system where they should lie */
	unsigned stays; /* for so many looks it is left alone, because its pages could not be moved */
	unsigned again; /* and for so many the next time */
	unsigned moved; /* pages that ever were, each time anew */
	unsigned char on[FG_MAPPING_NODES]; /* of 255 */
};

/* Looks at the mappings anew. Returns how many are neither even nor bound. */
unsigned fg_mappings_look(void);
/* The system does not tell where pages lie. It is not asked again. */
bool fg_mappings_hidden(void);
unsigned fg_mappings_count(void);
struct fg_mapping *fg_mapping(unsigned i);
/* The pages of this mapping could not be moved. Perhaps a child of fork still shares them. */
void fg_mapping_stays(struct fg_mapping *mapping);
/* Pages may go to this node, and it has PUs. How many such nodes there are. */
bool fg_mappings_may_use(unsigned node);
unsigned fg_mappings_nodes(void);
/* NULL: the address is in none. */
struct fg_mapping *fg_mapping_of(uintptr_t address);
