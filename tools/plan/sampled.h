/* Sampled uses: uses that were seen by chance, made into uses of blocks that are large enough for counts to be trusted
 * (command; filled by pin_uses.c, given to uses.c).
 *
 * Two members that use a line alike seldom have as many samples there, and the smaller of two small counts is far too
 * small. So lines are joined to blocks of FG_SAMPLED_LEAST samples or more. All samples are one block at first. A block
 * falls apart at the place where its two parts are used most differently, as long as that is more than chance. So the
 * members of a block use all of it alike, as far as samples tell. */
#pragma once
#include "plan/uses.h"

#define FG_SAMPLED_LEAST 16

struct fg_sampled {
	struct fg_sample_use {
		uint64_t block;
		uint32_t units; /* for which it stands */
		uint16_t region, member;
		bool writes,
			half; /* half: by chance, to see whether one half of the samples says what the other does */
	} *list;
	size_t n, room;
	uint64_t chance;
};

enum fg_sampled_part { FG_SAMPLED_FIRST, FG_SAMPLED_SECOND, FG_SAMPLED_ALL };

void fg_sampled_add(struct fg_sampled *sampled, unsigned region, unsigned member, uint64_t address, uint64_t units,
		    bool writes);
/* Adds the uses of all samples, or of one half of them, which then count twice. */
void fg_sampled_join(struct fg_sampled *sampled, unsigned members, enum fg_sampled_part part, struct fg_uses *uses);
void fg_sampled_free(struct fg_sampled *sampled);
