/* A scheduler that deals members to NUMA nodes in turn, and leaves it to a layer what happens inside each. `start`: it
 * starts the layer itself. `late`: it does so when the members of a flat team lie on the nodes, and hands over what
 * lies there. The other values of `how` are mistakes. */
#include <forestgomp/sched.h>

#define ROOM 256

enum how { RIGHT, UNKNOWN, OUTSIDE, NOT_HELD, TWO, SELF, OUT_AGAIN };

struct layers {
	double start, how, end, late;
};

static struct fg_runqueue *
top_of(struct fg_runqueue *level)
{
	while (fgomp_queue_parent(level))
		level = fgomp_queue_parent(level);
	return level;
}

/* Starts the layer on the nodes of a machine that is the caller's own, where members lie already. There is nothing to
 * hand over before the start, nor twice. The simulated process ends where that is not so. */
static void
start_late(struct layers *layers, struct fg_runqueue *top)
{
	for (unsigned c = 0; c < fgomp_queue_n_children(top); c++) {
		struct fg_runqueue *node = fgomp_queue_child(top, c);
		unsigned n = fgomp_queue_count(node), before = fgomp_queue_hand_over(layers, node);
		fgomp_layer_start(layers, node, "cache,load=none");
		unsigned given = fgomp_queue_hand_over(layers, node), again = fgomp_queue_hand_over(layers, node);
		if (before != 0 || given != n || again != 0)
			__builtin_trap();
	}
}

/* Members of a flat team get the machine for the teams that they meet, so that `born` deals these. */
static void
deal(struct layers *layers, struct fg_bubble *bubble, struct fg_runqueue *top, unsigned first)
{
	struct fg_entity *member[ROOM];
	unsigned n = fgomp_bubble_burst(bubble, member), nodes = fgomp_queue_n_children(top);
	for (unsigned c = 0; layers->start != 0 && c < nodes; c++) {
		fgomp_layer_start(layers, fgomp_queue_child(top, c),
				  layers->how == UNKNOWN ? "nobody"
				  : layers->how == SELF	 ? "layers"
							 : "cache,load=none");
		if (layers->how == TWO)
			fgomp_layer_start(layers, fgomp_queue_child(top, c), "affinity");
	}
	fgomp_sched_reason("the nodes in turn");
	for (unsigned k = 0; first == 0 && k < n; k++)
		fgomp_entity_set_range(member[k], top);
	for (unsigned k = 0; k < n; k++)
		if (layers->start != 0)
			fgomp_hand_over(layers, &member[k], 1, fgomp_queue_child(top, (first + k) % nodes));
		else
			fgomp_put(member[k], fgomp_queue_child(top, (first + k) % nodes));
	if (layers->how == NOT_HELD && n)
		fgomp_hand_over(layers, &member[0], 1, fgomp_queue_child(top, 0));
	for (unsigned c = 0; layers->end != 0 && c < nodes; c++)
		fgomp_layer_end(layers, fgomp_queue_child(top, c));
}

static void
place(void *self, struct fg_bubble *team, struct fg_runqueue *top)
{
	const struct layers *layers = self;
	deal(self, team, top, 0);
	if (layers->late != 0)
		start_late(self, top);
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)range;
	deal(self, bubble, top_of(leaf), 1);
	return NULL;
}

/* As a layer: it puts all on its level, after the mistake. */
static void
handed(void *self, const struct fgomp_handed *handed)
{
	struct layers *layers = self;
	struct fg_runqueue *top = top_of(handed->level);
	if (layers->how == OUTSIDE)
		fgomp_layer_start(self, top, "cache,load=none");
	if (layers->how == OUT_AGAIN)
		fgomp_hand_over(self, handed->entities, handed->n, top);
	if (layers->how == RIGHT) {
		fgomp_layer_start(self, handed->level, "layers");
		fgomp_hand_over(self, handed->entities, handed->n, handed->level);
		return;
	}
	for (unsigned i = 0; layers->how != OUT_AGAIN && i < handed->n; i++)
		fgomp_put(handed->entities[i], handed->level);
}

static const struct fgomp_sched_option options[] = {
	{"start", "it starts the layer", offsetof(struct layers, start), 0, 0, 1, NULL},
	{"end", "and ends it", offsetof(struct layers, end), 0, 0, 1, NULL},
	{"late", "it starts the layer when a flat team lies on the nodes", offsetof(struct layers, late), 0, 0, 1,
	 NULL},
	{"how", "a mistake", offsetof(struct layers, how), 0, 0, 6, NULL},
	{0},
};
static const char *const starts[] = {"cache,load=none", "affinity", "layers", NULL};

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "layers",
	.summary = "deals members to nodes, and starts a policy inside each",
	.size = sizeof(struct layers),
	.options = options,
	.place = place,
	.born = born,
	.handed = handed,
	.starts = starts,
};
