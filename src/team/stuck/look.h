/* Stuck: which regions there are, and whether each of them moves on (floor: team; begun by boot/start.c, if FGOMP_STUCK asks for it).
 *
 * A region has not moved on if none of its members, nor of those of regions within, has met a construct of OpenMP for that long: begun
 * or ended, arrived at a barrier or passed it, taken a chunk, made or completed a task, begun to wait or ceased. It is told of
 * if somebody waits meanwhile; as long as all of them compute, or are about to, nothing is said. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* For fg_stuck_begin. */
bool fg_stuck_look(uint64_t now);
void fg_stuck_after(uint64_t after_ns);
