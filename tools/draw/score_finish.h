/* The parts of a score, and the end of its making (command; score.c uses it). */
#pragma once
#include "draw/score.h"

/* Makes an empty strand. `member_of`: see struct fg_score_line. */
uint32_t fg_score_strand(struct fg_score *score, uint32_t member_of, uint32_t depth);
/* Appends a step to a strand. Neighbouring steps of computing become one. */
void fg_score_step(struct fg_score *score, uint32_t strand, enum fg_score_kind kind, uint64_t number);
/* The strand goes through data for `ns`. `how` and `address` are a and b of the event `touch`. */
void fg_score_touch(struct fg_score *score, uint32_t strand, uint32_t how, uint64_t address, uint64_t bytes,
		    uint64_t ns);
/* Returns the NUMA node of each PU, counted from 1; 0: it is below none. */
uint32_t *fg_score_nodes(const struct fg_trace *trace);
/* Reads the loads that the program has told. They come before the team is made, so they are read once all teams are. */
void fg_score_loads(struct fg_score *score, const struct fg_story *story);
/* All events are read. Makes the score such that the player cannot hang, and sums it up. Returns false, with the
 * reason, if nothing can be replayed. */
bool fg_score_finish(struct fg_score *score, char *why, size_t why_size);
