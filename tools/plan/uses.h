/* Uses: which members of a region go through which data (command; filled by pin_uses.c, read by graph.c and
 * seating.c). The unit of counts is 8 bytes, and data are told apart by blocks of 64. Blocks that a member goes through
 * together are one use, and uses of the same blocks are added. So the list is as long as the program's ranges are
 * many, whatever their lengths. It has FG_USES_MOST at most; what comes later is counted as lost. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FG_USE_BLOCK 64
#define FG_USE_UNIT 8
#define FG_USES_MOST (UINT32_C(1) << 24)

struct fg_use {
	uint64_t block;		/* the first one */
	uint32_t n;		/* blocks */
	uint32_t reads, writes; /* of each of them, in all calls of the region */
	uint16_t region, member;
};

struct fg_uses {
	struct fg_use *list;
	size_t n, room;
	struct fg_use_place {
		uint32_t at, hash; /* at: place in the list + 1; 0: none */
	} *table;		   /* by hash; NULL once the list is sorted */
	size_t mask;
	uint64_t lost; /* bytes of uses that found no room */
};

void fg_uses_add(struct fg_uses *uses, unsigned region, unsigned member, uint64_t address, uint64_t bytes, bool writes);
/* So many units of the block at the address. */
void fg_uses_count(struct fg_uses *uses, unsigned region, unsigned member, uint64_t address, uint64_t units,
		   bool writes);
/* By region, then by block. Nothing is added after it. */
void fg_uses_sort(struct fg_uses *uses);
/* The uses of a region: returns the first one, and how many. */
const struct fg_use *fg_uses_of(const struct fg_uses *uses, unsigned region, size_t *n);
/* For each member, the blocks that it goes through in both regions. */
void fg_uses_common(const struct fg_uses *uses, unsigned a, unsigned b, unsigned members, double *blocks);
void fg_uses_free(struct fg_uses *uses);
