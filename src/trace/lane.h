/* Lanes: the data of each worker for its events, and the blocks of the file to which it writes them (floor: trace;
 * called by trace.c and sums_lane.c; every event comes here through trace.h). Only the thread that the worker carries
 * writes its lane. It is inside the runtime, perhaps in the preemption handler, and may hold a runqueue's lock. So an
 * event takes no lock and calls no malloc. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* They are made at the worker's first event. */
struct fg_trace_lane;
struct fg_trace_worker;

/* `here` returns where the calling thread's worker keeps its lane, and tells of that worker. A pthread without an
 * identity, such as the monitor, has a lane of its own. It must be called before lanes open. */
void fg_trace_lanes_start(struct fg_trace_lane **(*here)(struct fg_trace_worker *worker));
/* From now on events are written, or no longer. All that a writer needs must be there before. A writer may still
 * be at work when lanes close. So a lane and its mapped block stay until the process ends. */
void fg_trace_lanes_open(bool open);
bool fg_trace_lanes_are_open(void);
/* Returns how many lanes there are. *lost: events for which there was no room. */
unsigned fg_trace_lanes_count(uint64_t *lost);
/* So many events did not even become records. */
void fg_trace_lanes_lose(uint64_t events);

/* A worker's data for its sums (sums.h), beside its lane. Returns where they are kept; NULL: nothing is recorded. */
struct fg_sums_lane;
struct fg_sums_lane **fg_trace_lane_sums(struct fg_trace_worker *worker);
