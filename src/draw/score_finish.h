/* The end of a score's making, and its file (floor: draw; score.c uses it). */
#pragma once
#include "draw/score.h"

/* Appends a step to a strand. Neighbouring steps of computing become one. */
void fg_score_step(struct fg_score *score, uint32_t strand, enum fg_score_kind kind, uint64_t number);
/* All events are read. Makes the score such that the player cannot hang, and sums it up. Returns false, with the
 * reason, if nothing can be replayed. */
bool fg_score_finish(struct fg_score *score, char *why, size_t why_size);
