/* A gang scheduler. Each nested region that a member of the outermost team meets is a gang. One gang runs at a time. Its
 * turn ends when its members, and the regions below them, have used so much CPU time that each PU could have used one
 * slice of it. Then its threads are stopped, and members that have not begun are put aside. Members that wait for each
 * other in loops of their own so never wait for one that has no PU.
 *
 * All that follows happens under the lock of the tree. */
#include <forestgomp/sched.h>

struct gangs {
	double slice; /* seconds of each PU */
	double turns; /* 0: all gangs run at once, as under `global` */
};

static struct fg_bubble *running; /* the gang whose turn it is; NULL: none */
static uint64_t began; /* its turn */

/* The PU of the thread that met the region, which is a member of a flat team and stays there. The gang has had no turn
 * since that time. */
#define HOMES 256
static struct {
	const struct fg_bubble *gang;
	unsigned pu;
	uint64_t since;
} home[HOMES];

static struct fg_runqueue *top, *aside;

static struct fg_runqueue *
machine_of(struct fg_runqueue *level)
{
	while (fgomp_queue_parent(level))
		level = fgomp_queue_parent(level);
	return level;
}

static unsigned
slot_of(const struct fg_bubble *gang)
{
	unsigned slot = 0;
	while (slot < HOMES - 1 && home[slot].gang != gang)
		slot++;
	return slot; /* the last one is for all that find no other */
}

/* Stops all threads of a gang and of the regions below. */
static void
halt(const struct fg_bubble *gang)
{
	for (unsigned k = 0; k < fgomp_bubble_size(gang); k++) {
		struct fg_entity *thread = fgomp_bubble_thread(gang, k);
		if (thread)
			fgomp_thread_stop(thread);
	}
	for (struct fg_bubble *in = fgomp_tree_first(gang); in; in = fgomp_tree_next(in))
		halt(in);
}

/* Each member has a PU of its own, beginning with that of the first. */
static struct fg_runqueue *
pu_of(unsigned first, unsigned member)
{
	return fgomp_queue_of_pu(top, (first + member) % fgomp_queue_n_pus(top));
}

/* Lets them go on. */
static void
go_on(const struct fg_bubble *gang, unsigned pu)
{
	for (unsigned k = 0; k < fgomp_bubble_size(gang); k++) {
		struct fg_entity *thread = fgomp_bubble_thread(gang, k);
		if (!thread)
			continue;
		if (fgomp_thread_may_move(thread)) /* a thread of the program stays */
			fgomp_thread_send(thread, pu_of(pu, k));
		fgomp_thread_go(thread);
	}
	for (struct fg_bubble *in = fgomp_tree_first(gang); in; in = fgomp_tree_next(in))
		go_on(in, pu);
}

/* Moves the members of a gang that have not begun, if there are any, from one runqueue to another. */
static void
move(struct fg_bubble *gang, struct fg_runqueue *from, struct fg_runqueue *to)
{
	struct fg_entity *entity = fgomp_bubble_entity(gang);
	fgomp_queue_lock(from);
	bool lies = fgomp_entity_holder(entity) == fgomp_queue_holder(from);
	if (lies)
		fgomp_take(entity);
	fgomp_queue_unlock(from);
	if (lies)
		fgomp_put(entity, to);
}

static void
stop(struct fg_bubble *gang)
{
	fgomp_sched_reason("its turn is over");
	home[slot_of(gang)].since = fgomp_sched_now();
	move(gang, top, aside);
	halt(gang);
}

static void
run(const struct gangs *gangs, struct fg_bubble *gang)
{
	running = gang;
	began = fgomp_sched_now();
	if (!gang)
		return;
	fgomp_sched_reason("it is its turn");
	fgomp_bubble_set_slice(gang, gangs->slice * fgomp_queue_n_pus(top));
	move(gang, aside, top);
	go_on(gang, home[slot_of(gang)].pu);
}

/* Of the other gangs, the one that has waited longest; NULL: there is none. */
static struct fg_bubble *
next_gang(const struct fg_bubble *gang)
{
	struct fg_bubble *next = NULL;
	for (struct fg_bubble *flat = fgomp_tree_first(NULL); flat; flat = fgomp_tree_next(flat))
		for (struct fg_bubble *one = fgomp_tree_first(flat); one; one = fgomp_tree_next(one))
			if (one != gang && (!next || home[slot_of(one)].since < home[slot_of(next)].since))
				next = one;
	return next;
}

static struct fg_bubble *
around(struct fg_bubble *bubble)
{
	return fgomp_entity_parent(fgomp_bubble_entity(bubble));
}

/* The gang to which the bubble belongs; NULL: it is a flat team. */
static struct fg_bubble *
gang_of(struct fg_bubble *bubble)
{
	if (!around(bubble))
		return NULL;
	while (around(around(bubble)))
		bubble = around(bubble);
	return bubble;
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	const struct gangs *gangs = self;
	(void)range;
	if (gang_of(bubble) != bubble)
		return machine_of(leaf);
	fgomp_tree_lock();
	top = machine_of(leaf);
	unsigned slot = slot_of(NULL);
	home[slot].gang = bubble;
	home[slot].pu = fgomp_queue_first_pu(leaf);
	home[slot].since = fgomp_sched_now();
	if (!aside)
		aside = fgomp_queue_new();
	bool waits = gangs->turns && running && aside;
	if (gangs->turns && !waits)
		run(gangs, bubble);
	fgomp_sched_reason(waits ? "another gang runs" : "it is its turn");
	fgomp_put(fgomp_bubble_entity(bubble), waits ? aside : top);
	fgomp_tree_unlock();
	return NULL;
}

/* A member of a gang whose turn is over may begin none the less, and the thread that meets a region runs on. A member
 * begins on any PU, also on one that another member has. */
static void
begun(void *self, struct fg_bubble *bubble, unsigned number, struct fg_runqueue *leaf)
{
	const struct gangs *gangs = self;
	struct fg_bubble *gang = gang_of(bubble);
	if (!gang || !gangs->turns)
		return;
	fgomp_tree_lock();
	struct fg_entity *thread = fgomp_bubble_thread(bubble, number);
	if (thread && running && gang != running)
		fgomp_thread_stop(thread);
	else if (thread && number > 0 && pu_of(home[slot_of(gang)].pu, number) != leaf)
		fgomp_thread_send(thread, pu_of(home[slot_of(gang)].pu, number));
	fgomp_tree_unlock();
}

/* False: there is no other gang. */
static bool
turn(const struct gangs *gangs)
{
	struct fg_bubble *next = next_gang(running);
	if (next) {
		stop(running);
		run(gangs, next);
	}
	return next;
}

static bool
expired(void *self, struct fg_bubble *gang)
{
	return gang == running && !turn(self);
}

/* The thread that met the region ends last. */
static void
ended(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	(void)leaf;
	if (gang_of(bubble) != bubble)
		return;
	fgomp_tree_lock();
	home[slot_of(bubble)].gang = NULL;
	if (bubble == running)
		run(self, next_gang(bubble));
	fgomp_tree_unlock();
}

/* A gang that waits for something uses up no CPU time, so its turn ends after four slices in any case. */
static void
tend(void *self)
{
	const struct gangs *gangs = self;
	fgomp_tree_lock();
	if (running && (double)(fgomp_sched_now() - began) > 4e9 * gangs->slice)
		turn(gangs);
	fgomp_tree_unlock();
}

static const struct fgomp_sched_option options[] = {
	{"slice", "seconds of each PU in one turn of a gang", offsetof(struct gangs, slice), 0.05, 1e-4, 1, NULL},
	{"turns", "no: all gangs run at once", offsetof(struct gangs, turns), 1, 0, 1, NULL},
	{0},
};

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "gangs",
	.summary = "one gang of threads runs at a time, for a slice",
	.size = sizeof(struct gangs),
	.options = options,
	.born = born,
	.begun = begun,
	.ended = ended,
	.expired = expired,
	.daemon = tend,
	.period = 1000000,
	.tree = true,
};
