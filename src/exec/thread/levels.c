/* Levels (floor: exec): see levels.h. */
#include "exec/thread/levels.h"

#include "base/log.h"
#include "base/options.h"
#include "base/spinlock.h"
#include "exec/ground/above.h"
#include "exec/ground/options.h"
#include "exec/thread/all_workers.h"
#include "exec/thread/identity.h"
#include "platform/memory.h"
#include "sched/home.h"
#include "share/own_set.h"

static struct {
	struct fg_spinlock lock;
	struct fg_atomic_u32 started, deep;
	struct fg_runqueue *top;
	struct fg_runqueue *leaves; /* one for each PU, by logical number */
	unsigned n_pus;
} machine = {.lock = FG_SPINLOCK_INIT(FG_RANK_MACHINE)};

static size_t
list_bytes(unsigned n)
{
	return (sizeof(struct fg_runqueue_list) + n * sizeof(struct fg_runqueue *) + 15) & ~(size_t)15;
}

static struct fg_runqueue_list *
list_new(unsigned n)
{
	struct fg_runqueue_list *list = fg_memory_get(list_bytes(n));
	if (!list)
		fg_fatal("Out of memory for the machine's runqueues");
	list->n = n;
	return list;
}

static struct fg_runqueue *
queues_new(unsigned n)
{
	struct fg_runqueue *queues = fg_memory_aligned(64, n * sizeof *queues);
	if (!queues)
		fg_fatal("Out of memory for the machine's runqueues");
	return queues;
}

static void
start_locked(void)
{
	assert(fg_spinlock_held(&machine.lock) && fg_exec_options.n_pus > 0);
	unsigned n = fg_exec_options.n_pus, cpu = 0;
	struct fg_runqueue_list *list = list_new(n);
	machine.n_pus = n;
	machine.top = queues_new(1);
	machine.leaves = queues_new(n);
	fg_runqueue_init(machine.top, NULL, 0, n);
	machine.top->kinds = 1u << FG_MACHINE;
	for (unsigned i = 0; i < n; i++) {
		fg_runqueue_init(&machine.leaves[i], machine.top, i, 1);
		machine.leaves[i].kinds = 1u << FG_PU;
		fg_runqueue_mark(&machine.leaves[i], i != 0); /* the first root runs on the first */
		machine.leaves[i].cpu = cpu = fg_cpuset_next(&fg_exec_options.cpus, i ? cpu + 1 : 0);
		list->queue[i] = &machine.leaves[i];
	}
	fg_store_release(&machine.top->below, list);
	fg_store_release(&machine.started, 1);
}

void
fg_levels_start(void)
{
	if (fg_load_acquire(&machine.started))
		return;
	fg_spinlock_lock(&machine.lock);
	if (!fg_load_relaxed(&machine.started))
		start_locked();
	fg_spinlock_unlock(&machine.lock);
}

/* docs/schedulers.md tells how the policies divide the levels by kind. */
static struct fg_policy *
policy_of(const struct fg_level *level, const struct fg_runqueue *parent)
{
	struct fg_policy *above = parent ? fg_own_load_relaxed(&parent->policy) : NULL;
	return fg_exec_above.policy(level->kinds, above);
}

static int
node_of(const struct fg_level *level)
{
	return level->numa_node == FG_NO_INDEX ? -1 : (int)level->numa_node;
}

/* The memory of the inner levels. It is allocated all at once, so either all inner levels come or none. */
struct stock {
	struct fg_runqueue *queues;
	char *lists;
};

static void
count(const struct fg_level *level, unsigned *queues, size_t *lists)
{
	if (level->n_children == 0)
		return;
	++*queues;
	*lists += list_bytes(level->n_children);
	for (unsigned i = 0; i < level->n_children; i++)
		count(level->children[i], queues, lists);
}

static bool
stock_up(struct stock *stock, const struct fg_level *root)
{
	unsigned queues = 0;
	size_t lists = 0;
	count(root, &queues, &lists);
	stock->queues = fg_memory_aligned(64, (queues - 1) * sizeof *stock->queues); /* the machine has one */
	stock->lists = fg_memory_get(lists);
	if (stock->queues && stock->lists)
		return true;
	fg_memory_free(stock->queues);
	fg_memory_free(stock->lists);
	return false;
}

/* Makes the runqueues below a level. Each is complete before its parent's list, or its child's parent pointer, leads
 * to it. */
static struct fg_runqueue *
grow(const struct fg_level *level, struct fg_runqueue *parent, struct stock *stock)
{
	assert(fg_spinlock_held(&machine.lock) && level->first_pu + level->n_pus <= machine.n_pus);
	if (level->n_children == 0) {
		struct fg_runqueue *leaf = &machine.leaves[level->first_pu];
		leaf->kinds = level->kinds;
		leaf->cpu = level->os_index;
		leaf->node = node_of(level);
		leaf->domain = fg_home_domain_of(leaf, parent);
		fg_own_store_relaxed(&leaf->policy, policy_of(level, parent));
		fg_store_release(&leaf->parent, parent);
		return leaf;
	}
	struct fg_runqueue *queue = parent ? stock->queues++ : machine.top;
	if (parent)
		fg_runqueue_init(queue, parent, level->first_pu, level->n_pus);
	queue->kinds = level->kinds;
	queue->node = node_of(level);
	queue->domain = fg_home_domain_of(queue, parent);
	fg_own_store_relaxed(&queue->policy, policy_of(level, parent));
	struct fg_runqueue_list *list = (struct fg_runqueue_list *)stock->lists;
	stock->lists += list_bytes(level->n_children);
	list->n = level->n_children;
	for (unsigned i = 0; i < level->n_children; i++)
		list->queue[i] = grow(level->children[i], queue, stock);
	fg_store_release(&queue->below, list);
	return queue;
}

static void
install(const struct fg_machine *tree)
{
	struct stock stock;
	bool inside = fg_enter_again(fg_self());
	fg_spinlock_lock(&machine.lock);
	/* A tree of other PUs than those in use says nothing about them. Then the levels stay flat, as they do
	 * without memory for the tree. */
	if (!fg_load_relaxed(&machine.deep) && tree && tree->n_pus == machine.n_pus && tree->root->n_children &&
	    stock_up(&stock, tree->root)) {
		grow(tree->root, NULL, &stock);
		fg_homes_begin(machine.top);
		fg_add_relaxed(&fg_all_workers.returns, 1); /* leaves have other PUs now */
	}
	fg_store_release(&machine.deep, 1);
	fg_spinlock_unlock(&machine.lock);
	fg_leave_again(fg_self(), inside);
}

bool
fg_levels_are_deep(void)
{
	return fg_load_acquire(&machine.deep);
}

void
fg_levels_deepen(void)
{
	if (fg_load_acquire(&machine.deep))
		return;
	if (machine.n_pus <= 2) {
		fg_store_release(&machine.deep, 1);
		return;
	}
	/* The tree is read outside of the runtime, with files, malloc and dlopen. If two threads do this at a time,
	 * the first tree is taken. */
	struct fg_identity *self = fg_self();
	bool inside = fg_step_out(self);
	struct fg_machine *tree = fg_machine_load(fg_options.topology, &fg_exec_options.cpus);
	fg_step_in(self, inside);
	install(tree);
	inside = fg_step_out(self);
	if (tree && !(tree->n_pus == machine.n_pus && fg_own_set_keep(tree)))
		fg_machine_free(tree);
	fg_step_in(self, inside);
}

struct fg_runqueue *
fg_levels_leaf(unsigned slot)
{
	assert(machine.n_pus > 0);
	return &machine.leaves[slot % machine.n_pus];
}

struct fg_runqueue *
fg_levels_top(void)
{
	return machine.top;
}

static void
empty_below(struct fg_runqueue *queue)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(queue);
	unsigned kinds = queue->kinds, cpu = queue->cpu;
	int node = queue->node;
	struct fg_runqueue *domain = queue->domain;
	struct fg_policy *policy = fg_own_load_relaxed(&queue->policy);
	fg_runqueue_init(queue, fg_load_relaxed(&queue->parent), queue->first_pu, queue->n_pus);
	queue->kinds = kinds;
	queue->cpu = cpu;
	queue->node = node;
	queue->domain = domain;
	fg_own_store_relaxed(&queue->policy, policy);
	fg_store_relaxed(&queue->below, (void *)below);
	if (!below)
		fg_runqueue_mark(queue, 1);
	for (unsigned i = 0; below && i < below->n; i++)
		empty_below(below->queue[i]);
}

void
fg_levels_after_fork(void)
{
	fg_spinlock_init(&machine.lock, FG_RANK_MACHINE);
	fg_store_relaxed(&fg_runqueue_idlers, 0);
	if (fg_load_relaxed(&machine.started))
		empty_below(machine.top);
}
