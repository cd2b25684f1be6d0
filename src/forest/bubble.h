/* Bubble: the entities of one parallel region, populated lazily (floor: forest; used by forest, sched, exec and team).
 * The floor team makes it, and the floor exec bears its members.
 *
 * Its members that are not yet born are only a count. It may hold other entities too: ready threads of its own, and the
 * bubbles of regions that its members have met, where a policy put them back (fg_bubble_gather_locked). When a policy
 * bursts it, each of these becomes an entity by itself. So does each unborn member.
 *
 * Invariant of a bubble that was put on a runqueue, under that runqueue's lock: holder == NULL => in transit, or
 * born == size and no content. So exactly one claim takes the last entity that is in it, and that claim takes the
 * bubble off its runqueue. Afterwards only those threads that hold a reference of `unfinished` may touch it. The bubble
 * of a kernel team is never put anywhere.
 *
 * Functions `_locked` are called under the lock of the runqueue where the bubble lies, or by the caller that has it in
 * hand (holder.h). Nothing here waits. fg_bubble_init and fg_bubble_free may be called outside, too: the bubble lies
 * nowhere then. fg_bubble_burst and the like may allocate, from the runtime's memory. */
#pragma once
#include "forest/holder.h"

/* An unborn member of a bubble that was burst. */
struct fg_member {
	struct fg_entity entity;
};

/* A member in the tree of live bubbles. NULL: there is none. */
struct fg_live_member {
	struct fg_entity *thread;
	struct fg_bubble *met; /* of the region that it has met as this member */
};

/* What the last runs of a region tell, if areas are attached to its team; else zeros. */
struct fg_habits {
	bool settled;	/* many runs had the same areas, and no member meets regions */
	unsigned below; /* the most threads that a member's region had, with those within it; 0: none meets any */
};
static inline bool
fg_habits_same(struct fg_habits a, struct fg_habits b)
{
	return a.settled == b.settled && a.below == b.below;
}

struct fg_trace_sum;
struct fg_theft_site;

struct fg_bubble {
	struct fg_entity entity;
	unsigned size;		   /* members, the encountering thread included */
	unsigned born;		   /* members born so far, or set free; under the holder's lock */
	uint32_t number;	   /* its number in a trace; 0: it is in none */
	struct fg_trace_sum *sums; /* its record (trace/sums.h); NULL: it is not timed */
	/* Members but the encountering thread that have not ended, and its references (exec/nested/birth.c). */
	struct fg_atomic_u32 unfinished;
	/* The team's explicit tasks that wait to be run: fg_bubble_tasks asks this. NULL: there are none so far. */
	struct fg_atomic_ptr tasks;
	/* The outermost encountering thread: the thread of the program that opened the region around all others. It is
	 * only compared. It is written before the bubble is first put anywhere. */
	const void *origin;
	struct fg_atomic_u64 home; /* where the team belongs, in one word (sched/home.h); 0: nowhere */
	uint64_t home_since;	   /* when it got the home, in nanoseconds; written before the bubble is put */
	bool stays; /* the thread that met the region cannot move, so no thief moves the team; likewise */
	bool noted; /* it is in the live tree from before it is put until its home ends; likewise */

	/* The fields below are kept from region to region, as the team is. */
	/* What it costs to take its members away, as far as that is being learnt (sched/theft.c). */
	struct {
		struct fg_theft_site *site;
		struct fg_atomic_u32 timed, barriers; /* 1: its grains are timed; members met barriers in this region */
		/* Grains of this window, how long they took, and the sum of the squares; [1]: those away. */
		struct {
			struct fg_atomic_u32 n;
			struct fg_atomic_u64 ns, squares;
		} grains[2];
	} theft;
	unsigned depth;		   /* bubbles above it */
	unsigned n_members;	   /* room of `members` */
	const void *region;	   /* the address of the region's code: it tells regions apart */
	struct fg_member *members; /* [k]: member k as an entity; made when the bubble is first burst */
	struct fg_holder *content; /* the entities that were put back into it; made at the first such put */
	/* The name under which areas of memory are attached to it (memory/area.h); NULL: none are. The maker of the
	 * team writes it, or a thread that holds the lock of the areas. */
	const void *areas;
	struct fg_habits habits; /* likewise */
	/* The most threads that a region of one member has had: in this region so far, and in the last one of the same
	 * code (sched/home.c). */
	struct {
		struct fg_atomic_u32 now;
		unsigned last;
		const void *region;
	} meets;
	/* 1 + the first PU of the domain to which its last region was moved; 0: it was not (sched/home.c). */
	unsigned moved_to;
	const float *loads;    /* of its members, by number, as hinted or learnt; NULL: not known */
	bool learnt;	       /* they were learnt */
	struct fg_time *times; /* room for entity.time */
	unsigned n_times;
	/* Its budget of CPU time (sched/slices.h), in nanoseconds; 0: none. It is over when all below it have used
	 * `ends`. Written under the lock of the live tree, or before any member runs. */
	struct {
		struct fg_atomic_u64 budget, ends;
	} slice;
	/* The thread that has met the region notes the first two (live.c). The others are written in a look at the
	 * tree, and hold in that look alone. */
	struct {
		unsigned number;	 /* of the member of the bubble around that met it */
		struct fg_bubble *outer; /* the one that this thread has met before, and is in */
		uint64_t look;
		struct fg_bubble *above;       /* around it; NULL: it is one of the outermost, */
		struct fg_bubble *beside;      /* and the next of those */
		struct fg_live_member *member; /* [k] */
		unsigned size, room;	       /* of `member`: in use; allocated */
	} live;
};

extern struct fg_bubble_origins {
	/* Bubbles of several origins have been on runqueues, or will be. The flag is never unset. */
	struct fg_atomic_u32 several;
	struct fg_atomic_ptr first; /* the origin that was expected first; NULL: none was */
} fg_bubble_origins __attribute__((visibility("hidden")));
/* Says in advance that bubbles of this origin will be put, or that its worker will take up those of others. */
void fg_bubble_expect(const void *origin);

/* The beginning of the structure to which `tasks` points. */
struct fg_bubble_tasks {
	unsigned (*waiting)(const struct fg_bubble_tasks *tasks, const struct fg_runqueue *level);
};

static inline bool
fg_bubble_has_content(const struct fg_bubble *bubble)
{
	return bubble->content && !fg_holder_is_empty(bubble->content);
}

/* A new bubble of `size` members. The first of them, the encountering thread, is born already. */
static inline void
fg_bubble_init(struct fg_bubble *bubble, unsigned size)
{
	assert(size > 0 && !fg_bubble_has_content(bubble));
	fg_store_relaxed(&bubble->entity.holder, NULL);
	bubble->entity.kind = FG_ENTITY_BUBBLE;
	bubble->size = size;
	bubble->born = 1;
	fg_store_relaxed(&bubble->unfinished, size);
	fg_store_relaxed(&bubble->tasks, NULL);
	fg_store_relaxed(&bubble->home, 0);
}

/* A record for each of `size` members, all 0; NULL: out of memory. The bubble is not in flight. */
struct fg_time *fg_bubble_times(struct fg_bubble *bubble, unsigned size);
/* The sum over all members, as far as they are measured. whole: it includes the regions that they met and that are
 * over. */
uint64_t fg_bubble_time(const struct fg_bubble *bubble, bool whole);
uint64_t fg_bubble_events(const struct fg_bubble *bubble, bool whole);
/* How strongly its members cooperate, from 0 to 1 (include/forestgomp/sched.h). NAN: it is not measured. */
double fg_bubble_thickness(const struct fg_bubble *bubble);

/* Frees the memory that was made for the bubble, which lies nowhere. */
void fg_bubble_free(struct fg_bubble *bubble);

/* For policies: about how many explicit tasks of the bubble wait with members on this level and below; NULL, or the
 * machine: all of them. It takes no lock, and reads two cache lines of each member that has met tasks. It may be called
 * only while the bubble cannot end: under the lock of the runqueue where the bubble or a member of it lies, or under
 * the lock of the live tree that has it. A region ends its tasks before it leaves the tree. But the memory that is
 * read here is then kept until the team's next region begins, which waits for the tree (team/tasks/pool_end.c). */
static inline unsigned
fg_bubble_tasks(const struct fg_bubble *bubble, const struct fg_runqueue *level)
{
	const struct fg_bubble_tasks *tasks = fg_load_acquire(&bubble->tasks);
	return tasks ? tasks->waiting(tasks, level) : 0;
}

static inline bool
fg_bubble_is_empty(const struct fg_bubble *bubble)
{
	return bubble->born == bubble->size && !fg_bubble_has_content(bubble);
}

/* An empty bubble leaves its holder, and may so empty the bubble that is the holder. NULL: nothing is done. */
void fg_bubble_leave_locked(struct fg_bubble *bubble);

/* Counts an unborn member as born and returns its number. There is an unborn member. */
static inline unsigned
fg_bubble_born_locked(struct fg_bubble *bubble)
{
	assert(bubble->born < bubble->size);
	unsigned member = bubble->born++;
	if (bubble->born == bubble->size)
		fg_bubble_leave_locked(bubble);
	return member;
}

/* Claims an unborn member of a bubble in which the caller holds a reference. */
struct fg_claimed {
	unsigned member;	   /* 0: all are born, set free or in transit */
	struct fg_runqueue *queue; /* where the bubble lay, perhaps in others */
};
struct fg_claimed fg_bubble_claim(struct fg_bubble *bubble);

/* The caller alone knows the bubble, because it is new or in transit. The function sets free all entities that are in
 * it, and they are in transit then. Members come first, in the order of their numbers; the threads and bubbles that it
 * holds come after them. It returns how many there are. 0: out of memory, and nothing is done. No empty bubble is
 * burst, because an empty one lies on no runqueue. `free` has room for fg_bubble_entities. */
unsigned fg_bubble_entities(const struct fg_bubble *bubble);
unsigned fg_bubble_burst(struct fg_bubble *bubble, struct fg_entity **free);

#ifndef NDEBUG
/* The caller holds the lock of the runqueue where the bubble lies, or alone knows it, because it is new or in transit.
 * For an assert. */
bool fg_bubble_valid(const struct fg_bubble *bubble);
#endif

static inline struct fg_bubble *
fg_entity_bubble(struct fg_entity *entity)
{
	assert(entity->kind == FG_ENTITY_BUBBLE);
	return (struct fg_bubble *)entity;
}
static inline struct fg_member *
fg_entity_member(struct fg_entity *entity)
{
	assert(entity->kind == FG_ENTITY_MEMBER);
	return (struct fg_member *)entity;
}

/* The origin of an entity that lies on a runqueue, under its lock. */
static inline const void *
fg_entity_origin(const struct fg_entity *entity)
{
	return entity->kind == FG_ENTITY_BUBBLE ? ((const struct fg_bubble *)entity)->origin : entity->bubble->origin;
}

/* `above` is the bubble of the entity, or one that holds that bubble in turn. */
static inline bool
fg_entity_is_kin(const struct fg_entity *entity, const struct fg_bubble *above)
{
	const struct fg_bubble *bubble = entity->bubble;
	while (bubble && bubble != above)
		bubble = bubble->entity.bubble;
	return bubble;
}

/* Threads in the entity: 1, or a bubble's unborn members and all threads below. */
unsigned fg_entity_threads(const struct fg_entity *entity);
/* Entities in it, itself included, recursively. */
unsigned fg_entity_all(const struct fg_entity *entity);
/* Its load. Where that is not known, the sum of the loads in it; a thread of unknown load counts 1. */
float fg_entity_load(const struct fg_entity *entity);
