/* Facts of workers, for files that do not see the worker (floor: exec; called by alternate.c, mask.c, shutdown.c and
 * watchdog.c, by record.c and start.c of team, and by sim). Each is a call, so hot paths look at the worker itself.
 * Nothing here locks, allocates or waits. What another thread is told is a hint. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_entity;
struct fg_identity;
struct fg_runqueue;
struct fg_statistics;
struct fg_trace_lane;
struct fg_worker;

/* The logical number of its PU. */
unsigned fg_worker_pu(const struct fg_worker *worker);
/* It carries this thread at the moment. */
bool fg_worker_runs(const struct fg_worker *worker, const struct fg_identity *thread);
/* Counts its switches. */
uint32_t fg_worker_progress(const struct fg_worker *worker);
/* Some worker that sits at this level takes the entity from there. */
bool fg_worker_serves(const struct fg_runqueue *queue, const struct fg_entity *entity);
/* The caller is a thread of the program outside of regions; or it is on its own kernel thread, inside or outside. */
bool fg_root_is_outside(const struct fg_identity *self);
bool fg_root_is_at_home(const struct fg_identity *self);
/* Where the caller's worker keeps its lane of a trace, for fg_trace_start. */
struct fg_trace_lane **fg_worker_lane(unsigned *pu);
/* Adds up the statistics of all workers. */
void fg_statistics_sum(struct fg_statistics *sum);
