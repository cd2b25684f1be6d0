/* How a bubble scheduler (policy) is written: the entities, the machine, and the table of functions that makes a policy.
 *
 * A parallel region is a bubble, its members are threads: both are entities. The machine is a tree of runqueues, one for each level: what
 * lies on one may run on any PU below it, and nowhere else. Runqueues and bubbles are holders: an entity lies in exactly one, or
 * is in transit: taken out, or new, and not yet put anywhere, by one caller. A member that has not begun costs nothing: it is a
 * count in its bubble, until the bubble is burst.
 *
 * Each PU looks by itself for the next thread on its own runqueue, then on each above it, newest bubble first, and begins its members one
 * after the other. A policy is asked where a new bubble goes, and by a PU that finds nothing. What it says nothing about is done as by
 * `default`. The same table runs live, on fake machines in tests and on the simulated machine.
 *
 * Who may call: the functions of a policy, on the thread that called them, while they are called. They must not wait, print, allocate
 * much or call back into OpenMP. After the papers of Broquedis, Namyst et al. (IWOMP 2008, IPDPS 2010); docs/writing-a-scheduler.md
 * builds one step by step. */
#ifndef FORESTGOMP_SCHED_H
#define FORESTGOMP_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows whenever a function or a struct here changes. */
#define FGOMP_SCHED_ABI 3

struct fg_bubble;
struct fg_claim;
struct fg_entity;
struct fg_holder;
struct fg_runqueue;

/* ---- The machine ---- */

enum fgomp_level {
	FGOMP_MACHINE,
	FGOMP_NUMA_NODE,
	FGOMP_PACKAGE,
	FGOMP_DIE,
	FGOMP_GROUP,
	FGOMP_L3,
	FGOMP_L2,
	FGOMP_CORE,
	FGOMP_PU,
};

/* The level above; NULL: it is the machine, or was put aside. */
struct fg_runqueue *fgomp_queue_parent(struct fg_runqueue *queue);
/* The next level above that this policy looks after; NULL: none. `self` is its instance. A policy inside another one stays below the last level that
 * this tells, and what crosses that is left to the policy around it. */
struct fg_runqueue *fgomp_queue_above(const void *self, struct fg_runqueue *queue);
/* The levels below, from left to right; 0 for a PU. */
unsigned fgomp_queue_n_children(struct fg_runqueue *queue);
struct fg_runqueue *fgomp_queue_child(struct fg_runqueue *queue, unsigned i);
/* PUs below it: logical numbers first .. first + n - 1. */
unsigned fgomp_queue_first_pu(const struct fg_runqueue *queue);
unsigned fgomp_queue_n_pus(const struct fg_runqueue *queue);
/* Of these, those that the process may use at the moment: a PU may go offline, or out of the process's cpuset or mask. It is still asked for what its
 * worker is to run, which the system carries on elsewhere. Looked at every 0.1 s while threads may have to wait for a PU. */
unsigned fgomp_queue_usable_pus(const struct fg_runqueue *queue);
/* Levels that cover the same PUs are one, and are of several kinds. */
bool fgomp_queue_is(const struct fg_runqueue *queue, enum fgomp_level kind);
/* The innermost level above both, or one of the two. */
struct fg_runqueue *fgomp_queue_common(struct fg_runqueue *a, struct fg_runqueue *b);
/* The runqueue of a PU (0 .. n_pus - 1 of the machine). */
struct fg_runqueue *fgomp_queue_of_pu(struct fg_runqueue *above, unsigned pu);
/* All `depth` levels below (0: itself), from left to right: writes up to `room`, returns how many there are. */
unsigned fgomp_queue_vector(struct fg_runqueue *above, unsigned depth, struct fg_runqueue **vector, unsigned room);
/* Entities there, ready or unborn; a hint unless it is locked. */
unsigned fgomp_queue_count(const struct fg_runqueue *queue);
/* A runqueue of the policy's own that no PU looks at: to put bubbles aside. NULL: out of memory. It must be empty when it is freed. What lies
 * there for two seconds is taken away, and the policy replaced by `default`. */
struct fg_runqueue *fgomp_queue_new(void);
void fgomp_queue_free(struct fg_runqueue *queue);

/* ---- Entities and holders: what is asked of them needs the lock of the runqueue where they lie, or that they are in transit ---- */

/* The bubble, or NULL: it is a thread. */
struct fg_bubble *fgomp_entity_bubble(struct fg_entity *entity);
struct fg_entity *fgomp_bubble_entity(struct fg_bubble *bubble);
/* A thread's own bubble; of a bubble, that of the thread that met its region. A region of one member has none: that around it. NULL: none. */
struct fg_bubble *fgomp_entity_parent(const struct fg_entity *entity);
struct fg_holder *fgomp_entity_holder(const struct fg_entity *entity); /* NULL: in transit */
/* One of the two is NULL. */
struct fg_runqueue *fgomp_holder_queue(struct fg_holder *holder);
struct fg_bubble *fgomp_holder_bubble(struct fg_holder *holder);
struct fg_holder *fgomp_queue_holder(struct fg_runqueue *queue);
struct fg_holder *fgomp_bubble_holder(struct fg_bubble *bubble); /* NULL: nothing was ever put back into it */
/* What lies there: threads ready to run, oldest first, then all else, newest first. NULL: none, no more. */
struct fg_entity *fgomp_holder_first(struct fg_holder *holder);
struct fg_entity *fgomp_holder_next(struct fg_holder *holder, struct fg_entity *entity);

/* Threads in it that have not begun or wait to go on: 1 for a thread; of a bubble all, recursively. */
unsigned fgomp_entity_threads(const struct fg_entity *entity);
/* Entities that could be had of it: itself, and of a bubble all that is in it, recursively. */
unsigned fgomp_entity_all(const struct fg_entity *entity);
/* Its load: what the program said (forestgomp.h), in its unit; or was learnt, in nanoseconds; else the number of threads. > 0. */
double fgomp_entity_load(const struct fg_entity *entity);
bool fgomp_entity_load_known(const struct fg_entity *entity);
/* Of one of its members, by number, the thread that met the region being 0. 0: not known. */
double fgomp_bubble_member_load(const struct fg_bubble *bubble, unsigned number);
/* The PU where it ran last; of a bubble, where most of its members did. -1: nowhere yet. */
int fgomp_entity_last_pu(const struct fg_entity *entity);
/* Nanoseconds of PUs that it has used so far, of a bubble all in it as `whole` below; 0 where nothing is measured (fgomp_measure). */
uint64_t fgomp_entity_cpu_time(const struct fg_entity *entity);
/* Events that it has had so far (fgomp_events_counted): a thread by itself, or (whole) in the regions that it met, too, once these are over; a bubble's
 * members together, in the same way; up to when each last left its PU, waits for the team not counted. NaN: not known, for the policy does not ask
 * (FGOMP_MEASURE_EVENTS), or they cannot be counted. */
double fgomp_entity_events(const struct fg_entity *entity, bool whole);
/* A thread's number in its team; -1: it is a bubble. */
int fgomp_entity_number(const struct fg_entity *entity);

struct fgomp_bubble_statistics {
	unsigned threads;   /* members, or with `whole` all of the bubbles of its kin that lie somewhere too */
	unsigned unborn;    /* of these: have not begun */
	unsigned ready;	    /* wait for a PU */
	unsigned running;   /* run, or wait for something else */
	unsigned depth;	    /* bubbles above it */
	const void *region; /* which parallel region of the program: the address of its code */
	double load;	    /* as fgomp_entity_load */
	unsigned tasks;	    /* explicit tasks that wait to be run, about */
	/* Of all its members together, those that are over too: what was told or learnt, 0: neither; and what they have used of PUs so far, in
	 * nanoseconds by fgomp_sched_now, up to when each last left its PU, waits for the team not counted. With `whole` that of the regions that they met, too,
	 * once these are over. 0 where nothing is measured (fgomp_measure). */
	double expected;
	uint64_t cpu_time;
};
/* `level`: what lies outside of it is not seen; it is locked with all below. */
void fgomp_bubble_statistics(struct fg_bubble *bubble, struct fg_runqueue *level, bool whole,
			     struct fgomp_bubble_statistics *statistics);

/* ---- Memory: kept for policies with `areas` set. None of this is for a hot place: it takes a lock, and the question where pages lie goes to the
 * kernel, up to 0.1 ms for each area that was not asked about in the last 10 ms ---- */

struct fgomp_area {
	void *start;
	size_t bytes;
	unsigned access;   /* FGOMP_READ, FGOMP_WRITE (forestgomp.h) or both: by the entity that was asked about */
	unsigned attached; /* how many of its threads and teams are */
	bool allocated;	   /* by an allocator that says on which nodes its memory is to lie */
};
/* NUMA nodes are numbered 0 .. so many - 1, as the operating system does; on a simulated machine as its description does. */
unsigned fgomp_nodes(void);
/* The node whose memory is nearest to all PUs of the level; -1: there are several, or it is not known. */
int fgomp_queue_node(const struct fg_runqueue *queue);
/* Areas that are attached to an entity. To a thread: those of its own, and of its whole team. To a bubble: those of its whole team and
 * of its threads, and with `whole` of its kin. NULL: all that are known. Writes up to `room`, returns how many there are. */
unsigned fgomp_entity_areas(const struct fg_entity *entity, bool whole, struct fgomp_area *areas, unsigned room);
/* Their bytes, and those on each node up to `room`. What was not touched yet lies on none. An area counts once, parts that are areas too
 * count again. */
size_t fgomp_entity_memory(const struct fg_entity *entity, bool whole, size_t *on_node, unsigned room);
/* The same of one area; 0: there is none any more. */
size_t fgomp_area_memory(const struct fgomp_area *area, size_t *on_node, unsigned room);

/* ---- Moving ---- */

/* Fine: one runqueue. Coarse: a level and all below. Only one of either at a time, and only for a moment. */
void fgomp_queue_lock(struct fg_runqueue *queue);
void fgomp_queue_unlock(struct fg_runqueue *queue);
void fgomp_queue_lock_all(struct fg_runqueue *level);
void fgomp_queue_unlock_all(struct fg_runqueue *level);
/* Takes the entity out of its holder, whose runqueue is locked. It is in transit then: the caller must put it somewhere. A bubble that has
 * nothing left lies nowhere, as after a burst. */
void fgomp_take(struct fg_entity *entity);
/* Puts an entity in transit on a runqueue, and wakes a PU there; without the lock, or holding it. */
void fgomp_put(struct fg_entity *entity, struct fg_runqueue *queue);
void fgomp_put_locked(struct fg_entity *entity, struct fg_runqueue *queue);
/* Puts it back into a bubble of its kin, which is in transit in the caller's hands or lies on a locked runqueue. false: out of memory, or that
 * bubble lies nowhere. */
bool fgomp_put_back(struct fg_entity *entity, struct fg_bubble *bubble);
/* All of its kin that lie on the level or below, which is locked, go back into the bubble; what lies in a bubble above it stays there. It must lie
 * there too or be in transit in the caller's hands. Where it lies nowhere, for it was burst or all its members have begun, the level must be
 * the machine: then it is in transit in the caller's hands, to be put. false: it is elsewhere, or nothing of it is
 * there, and nothing is done; or out of memory, they lie on the level. */
bool fgomp_bubble_gather(struct fg_bubble *bubble, struct fg_runqueue *level);
/* What a burst would set free: how many. */
unsigned fgomp_bubble_entities(const struct fg_bubble *bubble);
/* Bursts a bubble in transit: all that is in it is in transit now, in `free`, and the bubble lies nowhere. Returns how many; 0: out of
 * memory, nothing happened. */
unsigned fgomp_bubble_burst(struct fg_bubble *bubble, struct fg_entity **free);
/* A thread in transit has this level for itself: bubbles of regions that it meets are submitted there. */
void fgomp_entity_set_range(struct fg_entity *entity, struct fg_runqueue *level);
struct fg_runqueue *fgomp_entity_range(const struct fg_entity *entity); /* NULL: none was set since the burst */

/* ---- For `idle`: what the PU is to run now ---- */

/* Of this entity, which lies on a locked runqueue: of a bubble one member, and the bubble stays unless that was the last. A call of `idle` can
 * claim once. false: it has, or the PU has work of its own meanwhile, and what it would steal is better left where it is. */
bool fgomp_claim(struct fg_entity *entity, struct fg_claim *claim);
/* The oldest bubble there, or (threads) the oldest ready thread if there is none; locks it. false: nothing there,
 * or as above. */
bool fgomp_claim_oldest(struct fg_runqueue *queue, bool threads, struct fg_claim *claim);

/* ---- The world ---- */

uint64_t fgomp_sched_now(void);	   /* nanoseconds; of the simulated clock on a simulated machine */
uint64_t fgomp_sched_random(void); /* repeatable on a simulated machine */
/* Memory for a policy's functions, aligned to 16; NULL: there is none. malloc has locks, which a preempted thread may hold that only this
 * PU can run: the policy would wait for ever. (The same holds for what calls malloc: qsort, printf, files.) */
void *fgomp_memory_get(size_t size);
void fgomp_memory_free(void *memory); /* NULL: nothing */

/* ---- The policy ---- */

/* What is to be measured for a policy. Loads are learnt in any case but the first: of each region, by where in the program it was met, what its
 * members used the last times is their load the next time, if the program does not tell any. A region that uses what it did the last times is
 * measured ever more rarely. */
enum fgomp_measure {
	FGOMP_MEASURE_NOTHING,
	FGOMP_MEASURE_LOADS,
	FGOMP_MEASURE_CPU_TIME, /* every region, at two looks at the clock for each member: `cpu_time` is there always */
	FGOMP_MEASURE_EVENTS, /* and at each look, by a system call on a live run, the events that `counters` asks for: fgomp_entity_events */
};

enum fgomp_change {
	FGOMP_CHANGE_LOAD,     /* the program told the load of its next team */
	FGOMP_CHANGE_AFFINITY, /* a thread attached itself to an area, or detached itself, within its region */
	FGOMP_CHANGE_AREA,     /* an allocator that places its memory made an area, or freed one */
	FGOMP_CHANGE_COUNTERS, /* a PU's rate of events is above the threshold; the level is the PU */
	FGOMP_CHANGE_MACHINE,  /* a PU, the level, may not be used any more, or again: fgomp_queue_usable_pus */
};

/* Events that the hardware or the system counts, where it does. On a simulated machine: of the memory that the program tells of
 * (docs/simulator.md), lines of 64 bytes read or written, and pages touched first; nothing of this costs time there. */
enum fgomp_event {
	FGOMP_NO_EVENT,
	FGOMP_REMOTE_ACCESSES, /* loads from another node's memory */
	FGOMP_CACHE_MISSES,    /* of the last level */
	FGOMP_PAGE_FAULTS,
};
struct fgomp_counters {
	enum fgomp_event event;
	double threshold; /* events a second of one PU */
	uint64_t period;  /* nanoseconds between two looks, 2 ms at least */
};
/* Events a second on all PUs of the level, as counted between the last two looks. Below 0: not known. */
double fgomp_queue_events(const struct fg_runqueue *queue);
/* What fgomp_entity_events tells of. FGOMP_NO_EVENT: nothing is counted for each thread, for no policy asks or it cannot be done. */
enum fgomp_event fgomp_events_counted(void);

struct fgomp_sched_option {
	const char *name, *help;
	size_t offset;		  /* of a double in the instance */
	double preset, low, high; /* yes is 1, no is 0 */
	const char *const
		*words; /* other names of its values, which are whole then, from 0 on; ends with NULL. NULL: none */
};

/* `self`: the instance, `size` bytes, zeroed, its options set. All but abi, name and summary may be 0 or NULL. The functions of one instance may be
 * called on several threads at once. */
struct fgomp_sched {
	unsigned abi; /* FGOMP_SCHED_ABI */
	const char *name;
	const char *summary; /* one line */
	size_t size;
	const struct fgomp_sched_option *options; /* ends with a name of NULL */
	/* When the library is loaded: the machine is not known yet. Not 0: refused. */
	int (*start)(void *self);
	void (*stop)(void *self);
	/* Asked once, after `start`. NULL: nothing. */
	enum fgomp_measure (*measures)(const void *self);
	/* An outermost team, in transit: bursts it and puts each member on a level of a machine of its own shape, where nothing else lies. The
	 * members stay there from region to region. */
	void (*place)(void *self, struct fg_bubble *team, struct fg_runqueue *top);
	/* A new bubble, in transit. `leaf`: the PU of the thread that met its region; `range`: the level that this thread has for itself, often the
	 * leaf. Returns where it goes, or NULL: it has been put somewhere. */
	struct fg_runqueue *(*born)(void *self, struct fg_bubble *bubble, struct fg_runqueue *range,
				    struct fg_runqueue *leaf);
	/* Something for an idle PU, beyond what lies on its runqueue and those above: true and claimed, or false. `turn` counts the attempts since
	 * it went idle. */
	bool (*idle)(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim);
	/* A PU has met a bubble on a runqueue above it (not on its own), which is locked. true: it was moved, or what is in it: look again. Else
	 * the PU takes a member, or what is in it. */
	bool (*met)(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf);
	/* A thread is ready to go on: on which runqueue? `near`: the PU that woke it. */
	struct fg_runqueue *(*woken)(void *self, struct fg_entity *thread, struct fg_runqueue *near);
	/* A thread is about to wait for something; a member of the bubble has run all there is, and its region is over. */
	void (*blocked)(void *self, struct fg_entity *thread, struct fg_runqueue *leaf);
	void (*ended)(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf);
	/* Here and below: on a thread of their own, one call at a time. A thread of the bubble has run for 2 ms or more on the PU while others
	 * waited. Of a flat outermost team nothing is told. */
	void (*slice)(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf);
	/* Every `period` nanoseconds or more (2 ms at least), while threads wait for a PU or something is put aside. */
	void (*daemon)(void *self);
	uint64_t period;
	/* Something has changed: what lies on the level and below may be arranged anew. On any thread. */
	void (*changed)(void *self, enum fgomp_change change, struct fg_runqueue *level);
	/* Asked once, after `start`: which events are to be counted while PUs run something, if any. Above the threshold `changed` is told at each
	 * look, on the thread of `daemon`. One kind is counted at a time: that of the policy of the machine, if it asks for one. */
	void (*counters)(void *self, struct fgomp_counters *wanted);
	bool areas; /* book is kept of areas, for the functions above and for `changed` */
};

/* A plug-in (FGOMP_SCHED=./mine.so) defines this one symbol. */
extern const struct fgomp_sched fgomp_sched_plugin;

#ifdef __cplusplus
}
#endif

#endif
