/* How to write a bubble scheduler (policy): the entities, the machine, and the table of functions that makes a policy.
 *
 * A parallel region is a bubble and its members are threads; both are entities. The machine is a tree of runqueues, one
 * for each level. An entity on a runqueue may run on any PU below it, and nowhere else. Runqueues and bubbles are
 * holders. An entity lies in exactly one holder, or is in transit: one caller has taken it out, or it is new, and it
 * was not put anywhere yet. A member that has not begun costs nothing. It is a count in its bubble, until the bubble is
 * burst.
 *
 * Each PU looks by itself for the next thread: on its own runqueue, then on each above it, newest bubble first. It
 * begins the bubble's members one after the other. A policy is asked where a new bubble goes, and by a PU that finds
 * nothing. Where a policy has no function, the runtime does as with `default`. The same table runs live, on fake
 * machines in tests and on the simulated machine.
 *
 * The functions of a policy may call these functions, on the thread that called them, until they return. They must not
 * wait, print, allocate much or call back into OpenMP. (`daemon` may do all but the last.) The design follows the
 * papers of Broquedis, Namyst et al. (IWOMP 2008, IPDPS 2010). docs/writing-a-scheduler.md builds a policy step by
 * step.
 *
 * No built-in policy, example or benchmark uses the functions marked "experimental" yet. They are tested, but may still
 * change. */
#ifndef FORESTGOMP_SCHED_H
#define FORESTGOMP_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* It grows whenever a function or a struct here changes. */
#define FGOMP_SCHED_ABI 9

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

/* The level above. NULL: this is the machine, or a runqueue that was put aside. */
struct fg_runqueue *fgomp_queue_parent(struct fg_runqueue *queue);
/* The next level above that this policy looks after; NULL: none. `self` is its instance. A policy inside another one
 * stays below the last level that this returns. It leaves all that crosses that level to the policy around it. */
struct fg_runqueue *fgomp_queue_above(const void *self, struct fg_runqueue *queue);
/* The levels below, from left to right; 0 for a PU. */
unsigned fgomp_queue_n_children(struct fg_runqueue *queue);
struct fg_runqueue *fgomp_queue_child(struct fg_runqueue *queue, unsigned i);
/* PUs below it: logical numbers first .. first + n - 1. */
unsigned fgomp_queue_first_pu(const struct fg_runqueue *queue);
unsigned fgomp_queue_n_pus(const struct fg_runqueue *queue);
/* Of these, the PUs that the process may use at the moment. A PU may go offline, or out of the process's cpuset or
 * mask. Its worker still asks for threads, and the system runs them elsewhere. The runtime looks every 0.1 s while
 * threads may have to wait for a PU. */
unsigned fgomp_queue_usable_pus(const struct fg_runqueue *queue);
/* Of its PUs, those that have nothing to do: their workers look for work in vain or are not there yet, and nothing lies
 * on their runqueues. A hint. It is 0 unless some policy has a function `redistribute`. */
unsigned fgomp_queue_idle_pus(const struct fg_runqueue *queue); /* experimental */
/* Something will be put on this PU's runqueue soon, so it does not count as idle. It counts again if nothing comes. */
void fgomp_queue_promise(struct fg_runqueue *queue); /* experimental */
/* Levels that cover the same PUs are one level, which is of several kinds. */
bool fgomp_queue_is(const struct fg_runqueue *queue, enum fgomp_level kind);
/* The innermost level above both, or one of the two. */
struct fg_runqueue *fgomp_queue_common(struct fg_runqueue *a, struct fg_runqueue *b);
/* The runqueue of a PU (0 .. n_pus - 1 of the machine). */
struct fg_runqueue *fgomp_queue_of_pu(struct fg_runqueue *above, unsigned pu);
/* Entities there, ready or unborn; a hint unless it is locked. */
unsigned fgomp_queue_count(const struct fg_runqueue *queue);
/* A runqueue of the policy's own that no PU looks at, to put bubbles aside. NULL: out of memory. It must be empty when
 * it is freed. Entities that lie there for two seconds are taken away, and `default` replaces the policy. */
struct fg_runqueue *fgomp_queue_new(void);
void fgomp_queue_free(struct fg_runqueue *queue); /* experimental */

/* ---- Entities and holders: these functions need the lock of the runqueue where the entity lies, or an entity in
 * transit ---- */

/* The bubble, or NULL: it is a thread. */
struct fg_bubble *fgomp_entity_bubble(struct fg_entity *entity);
struct fg_entity *fgomp_bubble_entity(struct fg_bubble *bubble);
/* A thread's own bubble. For a bubble, the bubble of the thread that met its region. A region of one member has no
 * bubble: the one around it counts. NULL: there is none. */
struct fg_bubble *fgomp_entity_parent(const struct fg_entity *entity);
struct fg_holder *fgomp_entity_holder(const struct fg_entity *entity); /* NULL: in transit */
/* NULL: the holder is a bubble. */
struct fg_runqueue *fgomp_holder_queue(struct fg_holder *holder); /* experimental */
struct fg_holder *fgomp_queue_holder(struct fg_runqueue *queue);
struct fg_holder *fgomp_bubble_holder(struct fg_bubble *bubble); /* NULL: nothing was ever put back into it */
/* The entities that lie there: ready threads, oldest first, then all others, newest first. NULL: there is none, or no
 * further one. */
struct fg_entity *fgomp_holder_first(struct fg_holder *holder);
struct fg_entity *fgomp_holder_next(struct fg_holder *holder, struct fg_entity *entity);

/* Threads in it that have not begun or wait to go on: 1 for a thread, for a bubble all, recursively. */
unsigned fgomp_entity_threads(const struct fg_entity *entity);
/* Entities that it could yield: itself, and for a bubble all that are in it, recursively. */
unsigned fgomp_entity_all(const struct fg_entity *entity);
/* Its load. The program told it (forestgomp.h), in its own unit, or it was learnt, in nanoseconds. Else it is the
 * number of threads. > 0. */
double fgomp_entity_load(const struct fg_entity *entity);
bool fgomp_entity_load_known(const struct fg_entity *entity);
/* The load of one of its members, by number; the thread that met the region is number 0. 0: not known. */
double fgomp_bubble_member_load(const struct fg_bubble *bubble, unsigned number);
/* The PU where it ran last; for a bubble, where most of its members did. -1: nowhere yet. */
int fgomp_entity_last_pu(const struct fg_entity *entity);
/* Nanoseconds of PUs that it has used so far, for a bubble all in it, as with `whole` below. 0 where nothing is
 * measured (fgomp_measure). */
uint64_t fgomp_entity_cpu_time(const struct fg_entity *entity); /* experimental */
/* Events that it has had so far (fgomp_events_counted). For a thread: its own; with `whole` also those in the regions
 * that it met, once these are over. For a bubble: those of its members together, in the same way. They count up to when
 * each member last left its PU; waits for the team do not count. NaN: not known, because the policy does not ask
 * (FGOMP_MEASURE_EVENTS), or they cannot be counted. */
double fgomp_entity_events(const struct fg_entity *entity, bool whole); /* experimental */
/* A thread's number in its team; -1: it is a bubble. */
int fgomp_entity_number(const struct fg_entity *entity); /* experimental */

/* About how many explicit tasks of the bubble's team wait to be run, with members on this level and below. A member
 * counts where it was when it first met tasks in the region. Tasks that lie with no member, as those with a priority
 * do, count for the machine alone. A hint: it takes no lock, and reads what each member with tasks writes. But the
 * bubble must not end meanwhile. So the caller holds the lock of the runqueue where the bubble or a member of it lies,
 * or the live tree's if the bubble is in it. */
unsigned fgomp_bubble_tasks(const struct fg_bubble *bubble, const struct fg_runqueue *level);

struct fgomp_bubble_statistics {
	unsigned threads;   /* members; with `whole` also those of the bubbles of its kin that lie somewhere */
	unsigned unborn;    /* of these: have not begun */
	unsigned ready;	    /* wait for a PU */
	unsigned running;   /* run, or wait for something else */
	unsigned depth;	    /* bubbles above it */
	const void *region; /* the address of the region's code: it tells regions apart */
	double load;	    /* as fgomp_entity_load */
	unsigned tasks;	    /* about how many explicit tasks wait to be run */
	/* Of all its members together, also of those that are over. expected: the load that was told or learnt; 0:
	 * neither. cpu_time: the time of PUs that they have used so far, in nanoseconds by fgomp_sched_now. It counts
	 * up to when each member last left its PU; waits for the team do not count. With `whole` it includes the
	 * regions that they met, once these are over. 0 where nothing is measured (fgomp_measure). */
	double expected;
	uint64_t cpu_time;
	double thickness; /* fgomp_bubble_thickness */
};
/* Entities outside of `level` are not seen. It is locked with all below. */
void fgomp_bubble_statistics(struct fg_bubble *bubble, struct fg_runqueue *level, bool whole,
			     struct fgomp_bubble_statistics *statistics); /* experimental */

/* How strongly its members cooperate, from 0 (not at all) to 1 (they do nothing else), so far:
 *
 *     c / (c + CPU time),    c = 100 us x (barriers of members + tasks that a member took from another)
 *
 * So a bubble whose members meet a barrier every 0.1 ms has 0.5. Where events are counted for each thread
 * (FGOMP_MEASURE_EVENTS), 0.1 us is added to c for each. Only the members themselves count, not the regions that they
 * met. 0: nothing has happened so far. NaN: not known, because no policy asks (FGOMP_MEASURE_COOPERATION). */
double fgomp_bubble_thickness(const struct fg_bubble *bubble);

/* ---- Memory: the runtime records it for policies with `areas` set. None of this is for a hot place: it takes a lock.
 * The kernel is asked where pages lie, up to 0.1 ms for each area that was not asked about in the last 10 ms ---- */

struct fgomp_area {
	void *start;
	size_t bytes;
	unsigned access;   /* FGOMP_READ, FGOMP_WRITE (forestgomp.h) or both: by the entity that was asked about */
	unsigned attached; /* how many of its threads and teams are attached */
	bool allocated;	   /* by an allocator that places its memory, or by forestgomp/memory.h */
};
/* The number of NUMA nodes. They are numbered from 0 as by the operating system, on a simulated machine as by its
 * description. */
unsigned fgomp_nodes(void);
/* The node with the memory nearest to all PUs of the level; -1: there are several, or it is not known. */
int fgomp_queue_node(const struct fg_runqueue *queue);
/* Areas that are attached to an entity. For a thread: its own areas, and those of its whole team. For a bubble: those
 * of its whole team and of its threads, and with `whole` of its kin. NULL: all that are known. It writes up to `room`,
 * and returns how many there are. */
unsigned fgomp_entity_areas(const struct fg_entity *entity, bool whole, struct fgomp_area *areas,
			    unsigned room); /* experimental */
/* The bytes of these areas, and the bytes on each node up to `room`. Memory that was not touched yet lies on none. An
 * area counts once; parts that are areas too count again. */
size_t fgomp_entity_memory(const struct fg_entity *entity, bool whole, size_t *on_node,
			   unsigned room); /* experimental */
/* The same for one area; 0: it does not exist any more. */
size_t fgomp_area_memory(const struct fgomp_area *area, size_t *on_node, unsigned room); /* experimental */

/* ---- The live tree: the regions in flight, for policies with `tree` set. All functions of this part need the tree's
 * lock. It is taken before the lock of a runqueue, so `met` cannot take it. Every region that begins or ends meanwhile
 * waits for it. A region pays little for the tree; to lock it costs a fence in all threads of the process, and a look
 * at each thread that is in a region. Where the tree is locked again within 20 ms, each region makes a fence of its own
 * instead, and no other PU is interrupted. The tree is that of the moment of the lock ---- */

void fgomp_tree_lock(void);
void fgomp_tree_unlock(void);
/* The first of the bubbles whose regions were met by members of `above`, in the order of the numbers of these members;
 * NULL: of the outermost ones, flat teams among them, in any order. The next one beside it. NULL: there is none. A
 * bubble that a policy has kept may have left the tree before `ended` is called. Then there is none below it. */
struct fg_bubble *fgomp_tree_first(const struct fg_bubble *above);
struct fg_bubble *fgomp_tree_next(const struct fg_bubble *bubble);
/* Its members, the thread that met the region included (number 0). 0: there is no memory to know them. */
unsigned fgomp_bubble_size(const struct fg_bubble *bubble);
/* The thread of a member, by number; NULL: it had not begun at the lock, or was over. The thread may end as this member
 * at any time, and go on as another. But it exists until the lock is freed, and where it is sent it may always be. */
struct fg_entity *fgomp_bubble_thread(const struct fg_bubble *bubble, unsigned number);
/* The member has ended. A hint. */
bool fgomp_bubble_member_over(const struct fg_bubble *bubble, unsigned number); /* experimental */

enum fgomp_thread_state {
	FGOMP_RUNNING, /* a PU runs it; it may also spin in a wait */
	FGOMP_READY,   /* it waits for a PU */
	FGOMP_BLOCKED, /* it waits for something else */
};
/* A hint. *pu: the PU that runs it, or -1. */
enum fgomp_thread_state fgomp_thread_state(const struct fg_entity *thread, int *pu);

struct fgomp_tree_statistics {
	unsigned bubbles, threads;	  /* a thread that met a region counts once */
	unsigned absent;		  /* of the threads: have not begun, or are over */
	unsigned running, ready, blocked; /* as fgomp_thread_state */
	double load;			  /* as fgomp_entity_load of the bubble; of all outermost bubbles together */
	uint64_t cpu_time;		  /* as in struct fgomp_bubble_statistics */
};
/* Sums over the bubble and all below it; NULL: over all regions in flight. */
void fgomp_tree_statistics(const struct fg_bubble *above, struct fgomp_tree_statistics *statistics); /* experimental */

/* Sends a thread to a level: it will be ready there from now on. A ready thread moves at once. A blocked one goes there
 * when it is ready. One that runs leaves its PU at its next switch point: a wait, taskyield or sched_yield. One that
 * computes is preempted, by a tick of its CPU time some 50 us later, or after a slice or two where the system has no
 * ticks. (On a simulated machine: at its next look at the runtime, or within 20 us of fgomp_sim_work.) A thread that is
 * stopped will go on at the level.
 *
 * A member of a flat team goes where another worker of its team sits. Alone on its worker: the two workers exchange
 * their PUs, each at its next barrier, wait or switch point. In a crew: it joins the other worker's crew at its next
 * barrier, or one later if it is the last of its crew to arrive. Either holds until the team's layout changes. A member
 * that has met a nested region is as any other thread until that region's join. Then it returns to its worker.
 *
 * false: it cannot go there. It is a thread of the program, or has a kernel thread of its own; it is bound to a place;
 * it is the member of a crew that has its worker's kernel thread; no other worker of its team sits there, or only the
 * root's, which exchanges its PU with none; or it is a bubble. */
bool fgomp_thread_send(struct fg_entity *thread, struct fg_runqueue *level);
/* true: any PU may run it. Some members of flat teams can be sent though this is false. */
bool fgomp_thread_may_move(const struct fg_entity *thread);
/* The level to which it returns when it is ready. NULL: its PU. It needs no lock. */
struct fg_runqueue *fgomp_thread_level(const struct fg_entity *thread);

/* Stops a thread, a member of a flat team too: it leaves its PU as one that is sent does, and no PU runs it until
 * fgomp_thread_go, nor longer than until it ends as a member. The second goes on when the tree's lock is freed. Threads
 * that are stopped for two seconds go on, and `default` replaces the policy. A thread that holds a lock of the program
 * may be stopped too, and then others wait for it. false: it has a kernel thread of its own, or is a bubble. */
bool fgomp_thread_stop(struct fg_entity *thread);
void fgomp_thread_go(struct fg_entity *thread);

/* ---- Time ---- */

/* Gives the bubble a budget of CPU time: of its members and of all regions below together, in seconds, from now on.
 * When it is used up, `expired` is called. The caller holds the tree's lock, or is `born` with this bubble. The runtime
 * looks every 2 ms on a live run, so the budget may be exceeded by 2 ms for each PU that runs a member. (On a simulated
 * machine it looks when the budget can be used up at the earliest.) A wait for the team or for tasks does not count.
 * INFINITY: no budget. A budget of 0 or less, or NaN, is told to the user once, and the bubble has none. */
void fgomp_bubble_set_slice(struct fg_bubble *bubble, double seconds);

/* ---- Moving ---- */

/* Fine: one runqueue. Coarse: a level and all below. Lock only one of either at a time, and only for a moment. */
void fgomp_queue_lock(struct fg_runqueue *queue);
void fgomp_queue_unlock(struct fg_runqueue *queue);
void fgomp_queue_lock_all(struct fg_runqueue *level);
void fgomp_queue_unlock_all(struct fg_runqueue *level);
/* Takes the entity out of its holder; the runqueue where that lies is locked. The entity is in transit then, and the
 * caller must put it somewhere. A bubble that has nothing left lies nowhere, as after a burst. */
void fgomp_take(struct fg_entity *entity);
/* Puts an entity in transit on a runqueue, and wakes a PU there. The first does so without the lock, the second with
 * it. */
void fgomp_put(struct fg_entity *entity, struct fg_runqueue *queue);
void fgomp_put_locked(struct fg_entity *entity, struct fg_runqueue *queue);
/* Puts it back into a bubble of its kin. That bubble is in transit in the caller's hands, or lies on a locked runqueue.
 * false: out of memory, or that bubble lies nowhere. */
bool fgomp_put_back(struct fg_entity *entity, struct fg_bubble *bubble); /* experimental */
/* The level is locked with all below. All of the bubble's kin that lie there go back into the bubble. Entities that lie
 * in a bubble above them stay there. The bubble must lie there too, or be in transit in the caller's hands. It may also
 * lie nowhere, because it was burst or all its members have begun. Then the level must be the machine. Afterwards the
 * bubble is in transit in the caller's hands, and the caller must put it. false: the bubble is elsewhere, or nothing of
 * it is there, and nothing is done. Or there is no memory, and its kin lie on the level. A caller that has locked the
 * live tree before also sends the bubble's threads that run or are blocked to the level, as by fgomp_thread_send, and
 * those of all bubbles below it. (One that becomes ready in this moment goes where it was, and leaves at its next
 * switch point.) */
bool fgomp_bubble_gather(struct fg_bubble *bubble, struct fg_runqueue *level); /* experimental */
/* How many entities a burst would set free. */
unsigned fgomp_bubble_entities(const struct fg_bubble *bubble);
/* Bursts a bubble in transit. All entities that were in it are in transit now, in `free`, and the bubble lies nowhere.
 * Returns how many there are; 0: out of memory, and nothing happened. */
unsigned fgomp_bubble_burst(struct fg_bubble *bubble, struct fg_entity **free);
/* Gives a thread this level for itself: bubbles of regions that it meets are submitted there. It is in transit, or
 * found in the live tree. A bubble of the live tree, which is locked: each of its members gets the level, also those
 * that have not begun. It may be changed at any time. */
void fgomp_entity_set_range(struct fg_entity *entity, struct fg_runqueue *level);
struct fg_runqueue *fgomp_entity_range(const struct fg_entity *entity); /* NULL: none was set since the burst */

/* ---- Layers: a policy inside another one looks after a part of the machine. What the policy around it puts on that
 * part is kept until its function returns. Then the inner policy's `handed` distributes it. What `idle` and `woken` put
 * lies where they put it. No lock may be held in these calls ---- */

/* What a policy gets to distribute: entities in transit, on a level of its own. */
struct fgomp_handed {
	struct fg_entity **entities;
	unsigned n;
	struct fg_runqueue *level;
	struct fg_runqueue *leaf; /* the PU of the thread that met the region, if it lies below; else NULL */
	bool flat;		  /* an outermost team, as in `place`: each member gets its seat */
};
/* Another policy distributes what this one puts on the level. `self` is the caller's instance here and below. */
bool fgomp_queue_hands_over(const void *self, const struct fg_runqueue *queue);
/* Hands entities in the caller's hands to the policy of this level, which lies in the caller's part. Where that policy
 * is the caller, or distributes nothing, they lie on the level. Returns how many are handed over. */
unsigned fgomp_hand_over(const void *self, struct fg_entity *const *entities, unsigned n, struct fg_runqueue *level);
/* Hands over all that lies on the level itself. 0: nothing, or the level is the caller's own. */
unsigned fgomp_queue_hand_over(const void *self, struct fg_runqueue *level); /* experimental */
/* Starts a policy on a level of the caller's, and all below. It is one of those that the caller names in `starts`. If
 * it is at work there already, with the same options, nothing happens: also where FGOMP_SCHED names it for the level,
 * and then the second does not end it. What lies there stays. The second ends it: the policies of before look
 * after those levels again, and layers that it has started end as well. It may be started again and goes on with what
 * it knows, so its `stop` is not called. In `place` the level is one of the machine given. false: it was not started
 * (one line says why, and `default` does the caller's work); there is no such layer of the caller's. */
bool fgomp_layer_start(const void *self, struct fg_runqueue *level, const char *policy);
bool fgomp_layer_end(const void *self, struct fg_runqueue *level); /* experimental */

/* ---- For `idle`: what the PU will run now ---- */

/* Claims something from this entity, which lies on a locked runqueue. Of a bubble it claims one member, and the bubble
 * stays unless that was the last. A call of `idle` can claim once. false: it has already; or the PU has work of its own
 * meanwhile, so it is better to steal nothing. */
bool fgomp_claim(struct fg_entity *entity, struct fg_claim *claim);
/* Claims from the oldest bubble there. If there is none it claims (threads) the oldest ready thread. It locks the
 * runqueue. false: nothing is there, or as above. */
bool fgomp_claim_oldest(struct fg_runqueue *queue, bool threads, struct fg_claim *claim);

/* ---- The world ---- */

uint64_t fgomp_sched_now(void);	   /* nanoseconds; of the simulated clock on a simulated machine */
uint64_t fgomp_sched_random(void); /* repeatable on a simulated machine */
/* The reason of what the calling function of a policy decides from here on, for a trace (docs/tracing.md). The last one
 * counts. It is forgotten when the function returns. The text must live as long as the program: a string literal does.
 * It should be a few words, of which there are few different ones. NULL: no reason. Without a trace it does nothing. */
void fgomp_sched_reason(const char *text);
/* Memory for a policy's functions, aligned to 16; NULL: there is none. malloc has locks. A preempted thread that only
 * this PU can run may hold one, and then the policy would wait for ever. (The same holds for functions that call
 * malloc: qsort, printf, files.) */
void *fgomp_memory_get(size_t size);
void fgomp_memory_free(void *memory); /* NULL: nothing */

/* ---- The policy ---- */

/* What the runtime measures for a policy. With all but the first, loads are learnt. A region is known by its place in
 * the program. The time that its members used the last times is their load the next time, if the program does not tell
 * any. A region that uses the same time again is measured ever more rarely. */
enum fgomp_measure {
	FGOMP_MEASURE_NOTHING,
	FGOMP_MEASURE_LOADS,
	/* Every region is measured, at two looks at the clock for each member: `cpu_time` is always there. */
	FGOMP_MEASURE_CPU_TIME,
	/* And barriers and tasks are counted for each member: fgomp_bubble_thickness. */
	FGOMP_MEASURE_COOPERATION,
	/* And at each look, by a system call on a live run, the events are read that `counters` asks for:
	 * fgomp_entity_events. */
	FGOMP_MEASURE_EVENTS,
};

/* Why a policy is asked to redistribute. */
enum fgomp_occasion {
	/* A nested team has begun while PUs were idle; the level is the PU of the thread that met it. */
	FGOMP_TEAM_BEGAN,
	FGOMP_TEAM_ENDED, /* a nested team has ended; likewise */
	FGOMP_PU_IDLE,	  /* a PU has been idle for some 20 us, or is about to sleep; the level is the PU */
	/* The process lost PUs, or may use some again; the level is the machine, as in the next case. */
	FGOMP_MACHINE_CHANGED,
	FGOMP_HINTS_CHANGED, /* the program told loads of its next team, or a thread attached or detached an area */
	FGOMP_COUNTERS_HIGH, /* as FGOMP_CHANGE_COUNTERS */
	FGOMP_PERIOD_OVER,   /* `redistribute_period` is over */
	FGOMP_OCCASIONS
};

enum fgomp_change {
	FGOMP_CHANGE_LOAD,     /* the program told the load of its next team */
	FGOMP_CHANGE_AFFINITY, /* a thread attached itself to an area, or detached itself, within its region */
	FGOMP_CHANGE_AREA,     /* an allocator that places its memory made an area, or freed one */
	FGOMP_CHANGE_COUNTERS, /* a PU's rate of events is above the threshold; the level is the PU */
	FGOMP_CHANGE_MACHINE,  /* the process lost a PU (the level), or may use it again: fgomp_queue_usable_pus */
};

/* Events that the hardware or the system counts, where it does. A simulated machine counts events of the memory that
 * the program tells of (docs/simulator.md): lines of 64 bytes read or written, and pages touched first. Counting costs
 * no time there. */
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
double fgomp_queue_events(const struct fg_runqueue *queue); /* experimental */
/* The event that fgomp_entity_events tells of. FGOMP_NO_EVENT: nothing is counted for each thread, because no policy
 * asks or it cannot be done. */
enum fgomp_event fgomp_events_counted(void); /* experimental */

struct fgomp_sched_option {
	const char *name, *help;
	size_t offset;		  /* of a double in the instance */
	double preset, low, high; /* yes is 1, no is 0 */
	/* Other names of its values, which are then whole numbers from 0 on. The list ends with NULL. NULL: none. */
	const char *const *words;
};

/* `self` is the instance: `size` bytes, zeroed, with its options set. All fields but abi, name and summary may be 0 or
 * NULL. Several threads may call the functions of one instance at once. */
struct fgomp_sched {
	unsigned abi; /* FGOMP_SCHED_ABI */
	const char *name;
	const char *summary; /* one line */
	size_t size;
	const struct fgomp_sched_option *options; /* ends with a name of NULL */
	/* Called when the library is loaded; the machine is not known yet. Not 0: the policy is refused. */
	int (*start)(void *self);
	/* Called where an instance is given up before it distributes anything: FGOMP_SCHED as a whole was not
	 * understood, or another thread has started the same layer first. It is not called at the program's end,
	 * because other threads may be in the policy's functions then. */
	void (*stop)(void *self);
	/* Asked once, after `start`. NULL: nothing. */
	enum fgomp_measure (*measures)(const void *self);
	/* An outermost team, in transit. The function bursts it and puts each member on a level of a machine of the
	 * same shape, where nothing else lies. The members stay there from region to region. */
	void (*place)(void *self, struct fg_bubble *team, struct fg_runqueue *top);
	/* A new bubble, in transit. `leaf`: the PU of the thread that met its region. `range`: the level that this
	 * thread has for itself, often the leaf. Returns where the bubble goes. NULL: the function has put it
	 * somewhere. */
	struct fg_runqueue *(*born)(void *self, struct fg_bubble *bubble, struct fg_runqueue *range,
				    struct fg_runqueue *leaf);
	/* Finds something for an idle PU, beyond its own runqueue and those above. true: it has claimed something.
	 * `turn` counts the attempts since the PU went idle. */
	bool (*idle)(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim);
	/* A PU has met a bubble on a runqueue above it (not on its own), which is locked. true: the function has moved
	 * the bubble, or entities in it: look again. Else the PU takes a member, or an entity in the bubble. */
	bool (*met)(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf);
	/* A thread is ready to go on: on which runqueue? `near`: the PU that woke it. NULL, or no function: it goes
	 * back where it was (fgomp_thread_level). */
	struct fg_runqueue *(*woken)(void *self, struct fg_entity *thread, struct fg_runqueue *near);
	/* blocked: a thread is about to wait for something. ended: the region is over: all members have ended, and all
	 * tasks. The thread that met it calls. The live tree has the bubble no more, also at later looks. */
	void (*blocked)(void *self, struct fg_entity *thread, struct fg_runqueue *leaf);
	void (*ended)(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf);
	/* This function runs on a thread of the runtime's own, as `expired` does, one call at a time. A thread of the
	 * bubble has run for 2 ms or more on the PU while others waited. Nothing is told of a flat outermost team. */
	void (*slice)(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf);
	/* Called every `period` nanoseconds (0.1 ms at least; 0: 2 ms), on a kernel thread of its own, while other
	 * functions of the policy may run. It may sleep, lock, print, allocate and take long; but it holds no lock of
	 * its own where it calls the functions above, and no lock of theirs where it sleeps. Its thread starts with the
	 * first region. The first call comes after 2 ms, or one period if that is shorter. A call that took longer than
	 * a period is followed by a pause of one. At omp_pause_resource the runtime waits up to a second for its
	 * return. On a simulated machine it is on no
	 * PU: it takes none of their time, and sleeps in simulated time. */
	void (*daemon)(void *self);
	uint64_t period;
	/* Something has changed: the policy may rearrange the entities on the level and below. On any thread. */
	void (*changed)(void *self, enum fgomp_change change, struct fg_runqueue *level);
	/* Asked once, after `start`: which events, if any, the runtime counts while PUs run something. Above the
	 * threshold `changed` is called at each look, on the thread of `slice`. One kind is counted at a time: that of
	 * the policy of the machine, if it asks for one. */
	void (*counters)(void *self, struct fgomp_counters *wanted);
	bool areas; /* the runtime records areas, for the functions above and for `changed` */
	bool tree;  /* the runtime keeps the tree of regions in flight, for fgomp_tree_first and the like */
	/* The members of the bubble have used up its budget (fgomp_bubble_set_slice). true: the budget starts again;
	 * false: it ends, but the function may have given the bubble another one. The tree is kept, and locked during
	 * the call: so the function must not lock it. Where several policies have this function, that of the machine is
	 * told. */
	bool (*expired)(void *self, struct fg_bubble *bubble);
	/* A member of the bubble begins, or has run all there is, by number; 0: the thread that met the region. Told of
	 * flat teams too, on the thread itself. The tree is kept, and has the member. A member that `begun` stops or
	 * sends leaves its PU before it runs any of the program, unless there is no memory. But a flat team's goes at
	 * its next barrier. The thread that met the region is told once the others may begin. */
	void (*begun)(void *self, struct fg_bubble *bubble, unsigned number, struct fg_runqueue *leaf);
	void (*finished)(void *self, struct fg_bubble *bubble, unsigned number, struct fg_runqueue *leaf);
	/* The PU has had nothing to run for `idle_after` nanoseconds (0: 10 ms), though it looked for something. Told
	 * once until it runs something again, on a thread of the PU's own. `idle_for`: the time so far. */
	void (*idles)(void *self, struct fg_runqueue *leaf, uint64_t idle_for);
	uint64_t idle_after;
	/* The policy around this one has put entities on a level: put all of them there or below. No function: they lie
	 * where that policy has put them. */
	void (*handed)(void *self, const struct fgomp_handed *handed);
	/* The policies that it may start (fgomp_layer_start), as in FGOMP_SCHED: "cache,tuned", "./mine.so"; its own
	 * name is itself. They are loaded with it. The list ends with NULL. */
	const char *const *starts;
	/* Moves bubbles and threads that are in flight to where they should be now. The tree is kept for it (`tree`).
	 * It is called on any thread, which holds no lock: by the worker that idles, that has published a team or ended
	 * one, or that tells hints, and by the thread of `daemon`. One call at a time; meanwhile others are dropped. It
	 * returns true if it has moved something. For each occasion there is a least time between two calls. It is
	 * doubled if a call has moved nothing, or if afterwards the strain was no less. Each call that helps makes it
	 * short again. */
	bool (*redistribute)(void *self, enum fgomp_occasion why, struct fg_runqueue *level);
	/* With its options the policy redistributes. No function: it does if it has `redistribute`. If not, the tree
	 * need not be kept for it. */
	bool (*redistributes)(const void *self);
	uint64_t redistribute_period; /* nanoseconds, 2 ms at least; called as `daemon` is. 0: never */
	/* What redistribution should make less, as a number above 0: the share of remote accesses, for example. Asked
	 * before each call of `redistribute`, with the machine's level and without a lock. It judges the last call that
	 * moved something. 0: that is not judged. No function: it is the number of idle PUs. So a policy that moves
	 * threads while all PUs work, or for another reason, should have one. */
	double (*strain)(void *self, struct fg_runqueue *top);
	/* The occasions on which it is called, a bit for each (1u << FGOMP_PERIOD_OVER). 0: all. Where it is the period
	 * alone, idle PUs are not counted, and regions pay nothing but for the tree. */
	unsigned occasions;
};

/* A plug-in (FGOMP_SCHED=./mine.so) defines this one symbol. */
extern const struct fgomp_sched fgomp_sched_plugin;

#ifdef __cplusplus
}
#endif

#endif
