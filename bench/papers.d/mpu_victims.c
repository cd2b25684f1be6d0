/* A bubble scheduler with the troubles that the random victims of the MPU experiment may have had in 2008, each by
 * itself (bench/papers.py victims). Members are dealt to other PUs. Threads and steals take time. A PU waits after
 * searches in vain. Bubbles lie where thieves do not look.
 *
 * fgomp_sim_work charges the costs as work of the PU, and those of a steal while the victim's runqueue is locked. So
 * they cost something on a simulated machine only. */
#include <forestgomp.h>
#include <forestgomp/sched.h>

struct victims {
	double near, tries, deal, create, steal, wait;
};

enum { DEAL_NOT, DEAL_MEMBERS, DEAL_NODE, DEAL_RANGE };
static const char *const deals[] = {"no", "members", "node", "range", 0};
static const struct fgomp_sched_option options[] = {
	{"near", "all PUs, nearest first; no: PUs at random", offsetof(struct victims, near), 1, 0, 1, 0},
	{"tries", "PUs at random that a search looks at; 0: nothing is stolen", offsetof(struct victims, tries), 8, 0,
	 1000, 0},
	{"deal",
	 "a new bubble stays (no); its members go to the least filled PUs (members), or those of the encountering "
	 "thread's part (range), as under affinity; it goes to the node's runqueue (node)",
	 offsetof(struct victims, deal), DEAL_NOT, DEAL_NOT, DEAL_RANGE, deals},
	{"create", "ns for each member", offsetof(struct victims, create), 0, 0, 1e9, 0},
	{"steal", "ns for each steal", offsetof(struct victims, steal), 0, 0, 1e9, 0},
	{"wait", "ns after a search in vain", offsetof(struct victims, wait), 0, 0, 1e9, 0},
	{0},
};

static struct fg_runqueue *
machine(struct fg_runqueue *queue)
{
	for (struct fg_runqueue *up; (up = fgomp_queue_parent(queue));)
		queue = up;
	return queue;
}

static unsigned
filling(struct fg_runqueue *level)
{
	unsigned n = fgomp_queue_count(level);
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++)
		n += filling(fgomp_queue_child(level, c));
	return n;
}

/* Greedy, level by level, as the paper deals. Of equal runqueues it takes any. */
static struct fg_runqueue *
least_filled(struct fg_runqueue *level)
{
	for (unsigned n; (n = fgomp_queue_n_children(level));) {
		unsigned first = (unsigned)(fgomp_sched_random() % n), least = ~0u;
		struct fg_runqueue *best = level;
		for (unsigned i = 0; i < n; i++) {
			struct fg_runqueue *child = fgomp_queue_child(level, (first + i) % n);
			unsigned filled = filling(child);
			if (filled < least) {
				least = filled;
				best = child;
			}
		}
		level = best;
	}
	return level;
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	const struct victims *victims = self;
	struct fg_entity *member[64];
	fgomp_sim_work((unsigned long long)(victims->create * fgomp_entity_threads(fgomp_bubble_entity(bubble))));
	if (victims->deal == DEAL_NODE)
		return fgomp_queue_parent(leaf);
	bool stays = victims->deal == DEAL_NOT || (victims->deal == DEAL_RANGE && range == leaf);
	if (stays || fgomp_bubble_entities(bubble) > 64)
		return leaf;
	unsigned n = fgomp_bubble_burst(bubble, member);
	for (unsigned i = 0; i < n; i++)
		fgomp_put(member[i], least_filled(victims->deal == DEAL_RANGE ? range : machine(leaf)));
	return n ? 0 : leaf;
}

static bool
take(const struct victims *victims, struct fg_runqueue *queue, struct fg_claim *claim)
{
	struct fg_entity *oldest = 0;
	if (fgomp_queue_count(queue) == 0)
		return false;
	fgomp_queue_lock(queue);
	struct fg_holder *holder = fgomp_queue_holder(queue);
	for (struct fg_entity *one = fgomp_holder_first(holder); one; one = fgomp_holder_next(holder, one))
		oldest = one;
	if (oldest) {
		fgomp_sim_work((unsigned long long)victims->steal);
		fgomp_claim(oldest, claim);
	}
	fgomp_queue_unlock(queue);
	return oldest;
}

static bool
take_below(const struct victims *victims, struct fg_runqueue *level, struct fg_runqueue *seen, struct fg_claim *claim)
{
	if (level == seen)
		return false;
	if (take(victims, level, claim))
		return true;
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++)
		if (take_below(victims, fgomp_queue_child(level, c), seen, claim))
			return true;
	return false;
}

static bool
idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	const struct victims *victims = self;
	struct fg_runqueue *top = machine(leaf), *seen = leaf;
	(void)turn;
	if (victims->near)
		for (struct fg_runqueue *level = leaf; (level = fgomp_queue_parent(level)); seen = level)
			if (take_below(victims, level, seen, claim))
				return true;
	for (unsigned i = 0; !victims->near && i < (unsigned)victims->tries; i++)
		if (take(victims, fgomp_queue_of_pu(top, (unsigned)(fgomp_sched_random() % fgomp_queue_n_pus(top))),
			 claim))
			return true;
	fgomp_sim_work((unsigned long long)victims->wait);
	return false;
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "mpu_victims",
	.summary = "what random victims may have met in 2008",
	.size = sizeof(struct victims),
	.options = options,
	.born = born,
	.idle = idle,
};
