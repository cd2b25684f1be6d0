/* A bubble scheduler as a plug-in: the members of a nested team begin in the order of their loads, the heaviest first.
 * So no PU has a long member left at the end, for which the others wait. docs/writing-a-scheduler.md builds it step by
 * step.
 *
 *   gcc -O2 -shared -fPIC heavy.c -o heavy.so
 *   FGOMP_SCHED=./heavy.so forestgomp run ./zones */
#include <forestgomp/sched.h>
#include <stddef.h>

struct heavy {
	double few; /* teams of up to so many threads stay as they are */
};

static const struct fgomp_sched_option options[] = {
	{"few", "teams of up to so many threads are not sorted", offsetof(struct heavy, few), 2, 1, 1e6, NULL},
	{0},
};

/* Returns the smallest level, from the leaf upwards, with a PU for each thread. */
static struct fg_runqueue *
room_for(unsigned threads, struct fg_runqueue *leaf)
{
	struct fg_runqueue *level = leaf;
	while (fgomp_queue_n_pus(level) < threads && fgomp_queue_parent(level))
		level = fgomp_queue_parent(level);
	return level;
}

/* Puts the lightest first. (qsort may call malloc.) */
static void
sort(struct fg_entity **member, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		struct fg_entity *one = member[i];
		unsigned at = i;
		for (; at > 0 && fgomp_entity_load(member[at - 1]) > fgomp_entity_load(one); at--)
			member[at] = member[at - 1];
		member[at] = one;
	}
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	const struct heavy *heavy = self;
	unsigned threads = fgomp_entity_threads(fgomp_bubble_entity(bubble)) + 1; /* plus the encountering thread */
	struct fg_runqueue *level = room_for(threads, leaf);
	(void)range;
	if (threads <= heavy->few)
		return level;
	struct fg_entity **member = fgomp_memory_get(fgomp_bubble_entities(bubble) * sizeof *member);
	unsigned n = member ? fgomp_bubble_burst(bubble, member) : 0;
	if (n == 0) { /* no memory: the bubble goes there as a whole */
		fgomp_memory_free(member);
		return level;
	}
	sort(member, n);
	for (unsigned i = 0; i < n; i++) /* the last one put is found first */
		fgomp_put(member[i], level);
	fgomp_memory_free(member);
	return NULL;
}

/* A small team lies on the runqueue of a part of the machine. So an idle PU elsewhere looks there too, nearest
 * first. */
static bool
take_below(struct fg_runqueue *level, struct fg_runqueue *seen, struct fg_claim *claim)
{
	if (level == seen)
		return false;
	if (fgomp_claim_oldest(level, true, claim))
		return true;
	for (unsigned i = 0; i < fgomp_queue_n_children(level); i++)
		if (take_below(fgomp_queue_child(level, i), seen, claim))
			return true;
	return false;
}

static bool
idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	struct fg_runqueue *seen = leaf;
	(void)self;
	(void)turn;
	for (struct fg_runqueue *level = fgomp_queue_parent(leaf); level; seen = level, level = fgomp_queue_parent(level))
		if (take_below(level, seen, claim))
			return true;
	return false;
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "heavy",
	.summary = "the heaviest member of a team begins first",
	.size = sizeof(struct heavy),
	.options = options,
	.born = born,
	.idle = idle,
};
