/* Facts of workers, for files that do not see the worker (floor: exec; called by thread_counters.c, alternate.c,
 * mask.c, move.c, online.c, pu_counters.c, spawner.c, watchdog.c, process_fork.c and shutdown.c, by pool.c, victims.c,
 * record.c, start.c and stuck.c of team, and by sim). Each is a call, so hot paths look at the worker itself. The
 * caller is inside or outside, and may hold a lock, or be in the preemption handler. Nothing here locks, allocates or
 * waits. Another thread gets a hint. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fg_entity;
struct fg_identity;
struct fg_root;
struct fg_runqueue;
struct fg_statistics;
struct fg_trace_lane;
struct fg_trace_worker;
struct fg_worker;

/* Goes through all workers, newest first: the first after NULL, NULL after the last. No worker is ever freed. */
struct fg_worker *fg_worker_after(const struct fg_worker *worker);
/* It carries threads one after the other (FG_WORKER_CARRIES). Its home is a root. */
bool fg_worker_is_carrying(const struct fg_worker *worker);
bool fg_worker_is_of_root(const struct fg_worker *worker);
/* The logical number of its PU. */
unsigned fg_worker_pu(const struct fg_worker *worker);
/* The thread that it carries at the moment. For others it may be gone, unless fg_identities_read keeps it. */
const struct fg_identity *fg_worker_carried(const struct fg_worker *worker);
/* The number of members in its crew. */
unsigned fg_worker_members(const struct fg_worker *worker);
/* The system's number of the kernel thread that carries it. */
int fg_worker_tid(const struct fg_worker *worker);
/* The ticks of some worker are on. */
bool fg_worker_ticks(void);
/* 0: the same worker. Otherwise, with the first common runqueue k levels above the runqueue of a's PU: k + 1. */
unsigned fg_worker_distance(struct fg_worker *a, struct fg_worker *b);
#define FG_NEAR_MOST 16
/* Returns the outermost level around the worker's PU that shares a cache and has at most FG_NEAR_MOST PUs, and the
 * distance of the farthest workers below it. NULL: there is none, or the levels are not known. */
struct fg_runqueue *fg_worker_near(struct fg_worker *worker, unsigned *distance);
/* The number of the last phase that its crew has completed. A root before its first fork has it, too. */
uint64_t fg_worker_phase(const struct fg_worker *worker);
/* Counts its switches. */
uint32_t fg_worker_progress(const struct fg_worker *worker);
/* Some worker that sits at this level takes the entity from there. */
bool fg_worker_serves(const struct fg_runqueue *queue, const struct fg_entity *entity);
/* The root that the caller is, or in whose flat region it is a member; NULL: there is none. */
struct fg_root *fg_root_around(const struct fg_identity *self);
/* The caller is a thread of the program outside of regions; or it is on its own kernel thread, inside or outside. */
bool fg_root_is_outside(const struct fg_identity *self);
bool fg_root_is_at_home(const struct fg_identity *self);
/* Where the caller's worker keeps its lane of a trace, for fg_trace_start. */
struct fg_trace_lane **fg_worker_lane(struct fg_trace_worker *worker);
/* Of a worker with its parts. */
size_t fg_worker_bytes(void);
/* Adds up the statistics of all workers. */
void fg_statistics_sum(struct fg_statistics *sum);

/* In the child of a fork there is no other worker. Then the caller's is made anew, with the leaf that it had. */
void fg_workers_forget(void);
void fg_worker_after_fork(struct fg_identity *self, struct fg_root *root);
