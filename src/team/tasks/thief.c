/* Thief (floor: team): see thief.h.
 *
 * Where a thief looks. A member that waits for its children may take only their descendants. If it has children left,
 * a thief has them, and the descendants lie with that thief. So the waiter looks at the deque of the member that stole
 * from the family last, and disturbs no other ("leapfrogging": Wagner and Calder, PPoPP 1993). Other thieves may have
 * other children, or have robbed the first thief. So after some looks one goes to all members, the sooner the more
 * children are left. In a team of several groups and up to FEW members it is each second look. In larger teams such
 * looks disturb the members that make tasks. A waiter there looks at its group instead, whose deques are near. The last
 * look before a sleep goes to all, too.
 *
 * family->thief is a hint. A thief writes it after it has won a task of the family, and before that task is complete.
 * So the family lives. A waiter that reads an old number looks at the wrong deque, and finds nothing. */
#include "team/tasks/thief.h"

#include "base/carrier.h"
#include "exec/thread/clock.h"
#include "sched/in_force.h"
#include "team/tasks/limit.h"
#include "team/tasks/mail.h"
#include "team/tasks/ready.h"
#include "team/tasks/scout.h"

#define BATCH 16
#define BATCH_FAR 48 /* a scout brings tasks for its group */
/* Turns of a spinning wait between two looks for the tasks of others. Each look costs a cache miss of a member that
 * pushes. The pause is longer where the stolen tasks kept the thief busy for less time than it takes to fetch them. */
#define PAUSE_MIN 8
#define PAUSE_MAX 256
#define POOR_NS 2000
#define LEAPFROGS 16	/* so many looks at the last thief of one child, then one at all members */
#define LEAPFROGS_FEW 1 /* in a large team of up to FEW members */
#define FEW 32
#define MANY 2 /* a thief of so many more siblings does not tell: many members rob a family so large */

static bool
may_take(void *family, void *within)
{
	return fg_family_may_run(family, within);
}

static bool
is_sibling(void *family, void *of)
{
	return family == of;
}

/* Steals half of the deque, up to `most` tasks, as far as they are siblings of the task just taken. So a member that
 * makes many small tasks is disturbed once for all of them. Returns their number. */
static unsigned
steal_more(struct fg_task_member *member, struct fg_deque *deque, struct fg_family *family, unsigned most)
{
	uint64_t wanted = fg_deque_count(deque) / 2;
	unsigned n = 0;
	for (; n < wanted && n < most; n++) {
		struct fg_deferred *task = fg_deque_steal(deque, is_sibling, family);
		if (!task)
			break;
		assert(task->task.family == family);
		fg_task_keep(member, task, family);
	}
	return n;
}

/* For policies: the caller has taken so many tasks from another member. */
static void
count_tasks(unsigned n)
{
	struct fg_time *time = fg_self()->entity.time;
	if (time)
		fg_time_add(&time->tasks, n);
}

static struct fg_deferred *
steal_from(struct fg_task_member *member, struct fg_deque *deque, struct fg_family *within, unsigned batch)
{
	if (fg_deque_count(deque) == 0)
		return NULL;
	struct fg_deferred *task = fg_deque_steal(deque, may_take, within);
	if (!task)
		return NULL;
	struct fg_family *family = task->task.family;
	assert(may_take(family, within) && deque != &member->deque);
	unsigned more = steal_more(member, deque, family, batch);
	if (__builtin_expect(fg_policies.measures >= FGOMP_MEASURE_COOPERATION, 0))
		count_tasks(1 + more);
	if (more < MANY && family->owner != member && task->counted != FG_TASK_OF_BATCH)
		fg_store_relaxed(&family->thief, member->num + 1);
	return task;
}

/* There is no memory for a list of victims. */
static struct fg_deferred *
steal_in_order(struct fg_task_member *member, struct fg_family *within)
{
	struct fg_deferred *task = NULL;
	struct fg_task_member *other = fg_load_acquire(&member->pool->producers);
	for (; other && !task; other = other->next_producer)
		task = other != member ? steal_from(member, &other->deque, within, BATCH) : NULL;
	return task ? task : fg_task_mail_take_any(member, within);
}

static void
prefetch(struct fg_task_member *const *others, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		fg_prefetch_read(&others[i]->deque.top);
		fg_prefetch_read(&others[i]->deque.bottom);
	}
}

/* Returns the one of these members whose oldest task lies highest in the tree of tasks, or the first of several. NULL:
 * there is no task. A member that was robbed of its large tasks defers small ones from then on. Each theft of those
 * costs as much, and keeps the thief busy for less. */
static struct fg_task_member *
highest(struct fg_task_member *const *others, unsigned n, struct fg_family *within)
{
	struct fg_task_member *from = NULL;
	uint32_t least = UINT32_MAX;
	prefetch(others, n);
	for (unsigned i = 0; i < n; i++) {
		struct fg_family *family = fg_deque_oldest(&others[i]->deque);
		uint32_t depth = family ? fg_load_relaxed(&family->depth) : UINT32_MAX;
		if (depth < least && may_take(family, within)) {
			least = depth;
			from = others[i];
		}
	}
	return from;
}

/* One look at each deque must do, because these lines are what a theft costs. Another thief may be faster at the deque
 * that is chosen. Then the member looks again in a later turn. */
static struct fg_deferred *
steal_highest(struct fg_task_member *member, struct fg_family *within)
{
	struct fg_task_member *from = highest(member->victims, member->n_near, within);
	return from ? steal_from(member, &from->deque, within, BATCH) : NULL;
}

/* True: no task lies higher than the oldest one of this member. */
static bool
lies_on_top(struct fg_task_member *other, struct fg_family *within)
{
	struct fg_family *family = fg_deque_oldest(&other->deque);
	return family && fg_load_relaxed(&family->depth) == 0 && may_take(family, within);
}

/* The member is the scout. */
static struct fg_deferred *
steal_as_scout(struct fg_task_member *member, struct fg_family *within)
{
	struct fg_task_member *look[1 + FG_SCOUT_LOOKS], *from = fg_scout_looks_at(member, 0);
	unsigned n = from ? 1 : 0;
	look[0] = from;
	if (!from || !lies_on_top(from, within)) {
		for (unsigned i = 1; i <= FG_SCOUT_LOOKS && (look[n] = fg_scout_looks_at(member, i)); i++)
			n++;
		from = highest(look, n, within);
	}
	struct fg_deferred *task = from ? steal_from(member, &from->deque, within, BATCH_FAR) : NULL;
	if (task)
		fg_store_relaxed(&member->scout->giver, from->num + 1);
	return task ? task : fg_task_mail_take(member, fg_scout_other_box(member), within);
}

/* Looks at mailboxes, and at members outside of the group. */
static struct fg_deferred *
steal_far(struct fg_task_member *member, struct fg_family *within)
{
	struct fg_deferred *task = NULL;
	if (fg_scout_not_needed(member)) {
		for (unsigned i = member->n_near; i < member->n_victims && !task; i++)
			task = steal_from(member, &member->victims[i]->deque, within, BATCH_FAR);
		return task ? task : fg_task_mail_take_any(member, within);
	}
	if ((task = fg_task_mail_take(member, &member->scout->box, within)) || !fg_scout_go(member))
		return task;
	task = steal_as_scout(member, within);
	fg_scout_back(member);
	return task;
}

static struct fg_deferred *
steal_anywhere(struct fg_task_member *member, struct fg_family *within)
{
	struct fg_deferred *task = NULL;
	if (__builtin_expect(member->listed != fg_load_relaxed(&member->pool->producers), 0) &&
	    !fg_task_victims(member))
		return steal_in_order(member, within);
	if (__builtin_expect(fg_task_pool_is_large(member->pool), 0)) {
		task = steal_highest(member, within);
		return task ? task : steal_far(member, within);
	}
	for (unsigned i = 0; i < member->n_near && !task; i++)
		task = steal_from(member, &member->victims[i]->deque, within, BATCH);
	return task;
}

static struct fg_deferred *
steal(struct fg_task_member *member, struct fg_family *within)
{
	fg_charge_search(true);
	struct fg_deferred *task = steal_anywhere(member, within);
	fg_charge_search(false);
	return task;
}

static bool
are_few(const struct fg_task_pool *pool)
{
	return pool->size <= FEW;
}

static unsigned
leapfrogs(const struct fg_task_pool *pool)
{
	return fg_task_pool_is_large(pool) && are_few(pool) ? LEAPFROGS_FEW : LEAPFROGS;
}

/* Returns the member that last stole from the family. NULL: none did, or the caller must look at all members now. */
static struct fg_task_member *
last_thief(struct fg_task_member *member, struct fg_family *family)
{
	uint32_t thief = fg_load_relaxed(&family->thief), left = fg_family_count(family);
	if (thief == 0 || ++member->thief.leapfrogs > leapfrogs(member->pool) / (left ? left : 1)) {
		member->thief.leapfrogs = 0;
		return NULL;
	}
	assert(thief <= member->pool->size);
	return fg_load_acquire(&member->pool->member[thief - 1]);
}

static struct fg_deferred *
leapfrog(struct fg_task_member *member, struct fg_family *within)
{
	struct fg_task_member *thief = within ? last_thief(member, within) : NULL;
	if (!thief)
		return steal(member, within);
	struct fg_deferred *task = steal_from(member, &thief->deque, within, BATCH);
	return task || !member->scout || are_few(member->pool) ? task : steal_highest(member, within);
}

struct fg_deferred *
fg_task_find_near(struct fg_task_member *member, struct fg_family *within)
{
	struct fg_deferred *task = fg_task_queue_take(&member->pool->queue, within);
	if (task)
		return task;
	struct fg_family *family = fg_deque_newest(&member->deque);
	if (!family || !may_take(family, within))
		return NULL;
	task = fg_deque_pop(&member->deque);
	assert(!task || task->task.family == family);
	if (task)
		fg_task_limit_own(member);
	return task;
}

struct fg_deferred *
fg_task_find(struct fg_task_member *member, struct fg_family *within)
{
	struct fg_deferred *task = fg_task_find_near(member, within);
	member->everywhere = true;
	return task ? task : steal(member, within);
}

/* Counts a turn of the pause between two thefts. True: the pause is over. */
static bool
pause_over(struct fg_thief *thief)
{
	return thief->turn++ % (thief->pause ? thief->pause : PAUSE_MIN) == 0;
}

struct fg_deferred *
fg_task_find_patiently(struct fg_task_member *member, struct fg_family *within)
{
	struct fg_deferred *task = fg_task_find_near(member, within);
	struct fg_thief *thief = &member->thief;
	if (task)
		return task;
	if (thief->began) {
		bool poor = fg_carrier->now() - thief->began < POOR_NS;
		thief->pause = poor ? thief->pause < PAUSE_MAX / 2 ? 2 * thief->pause : PAUSE_MAX : PAUSE_MIN;
		thief->turn = poor;
		thief->began = 0;
	}
	if (!pause_over(thief))
		return NULL;
	uint64_t now = fg_carrier->now();
	task = leapfrog(member, within);
	if (task)
		thief->began = now;
	return task;
}

static bool
has_tasks(const struct fg_task_member *member)
{
	return fg_deque_count(&member->deque) != 0;
}

bool
fg_task_thief_sees(struct fg_task_member *member)
{
	bool found = fg_load_relaxed(&member->pool->queue.count) != 0 || has_tasks(member);
	prefetch(member->victims, member->n_near);
	for (unsigned i = 0; i < member->n_near && !found; i++)
		found = has_tasks(member->victims[i]);
	const struct fg_task_member *new = fg_load_acquire(&member->pool->producers);
	for (; new && new != member->listed && !found; new = new->next_producer)
		found = new != member &&has_tasks(new);
	found = found || (member->scout && fg_mailbox_holds(&member->scout->box));
	if (found || !member->scout || !fg_scout_go(member))
		return found;
	for (unsigned i = 0; i <= FG_SCOUT_LOOKS && !found; i++) {
		const struct fg_task_member *other = fg_scout_looks_at(member, i);
		found = other && has_tasks(other);
		if (found && i > 0)
			fg_store_relaxed(&member->scout->giver, other->num + 1);
	}
	/* All members of a group may compute, so its mailbox is for the others, too. */
	if (!found && fg_mailbox_holds(fg_scout_other_box(member)))
		found = member->everywhere = true;
	fg_scout_back(member);
	return found;
}

bool
fg_task_may_find(struct fg_task_member *member, struct fg_family *within)
{
	struct fg_task_pool *pool = member->pool;
	if (fg_load_relaxed(&pool->queue.count) && (!within || fg_task_queue_has(&pool->queue, within)))
		return true;
	struct fg_family *newest = fg_deque_newest(&member->deque);
	if (newest && may_take(newest, within))
		return true;
	struct fg_task_member *other = fg_load_acquire(&pool->producers);
	for (; other; other = other->next_producer) {
		struct fg_family *oldest = other != member ? fg_deque_oldest(&other->deque) : NULL;
		if (oldest && may_take(oldest, within))
			return true;
	}
	return fg_task_mail_waits(pool, within);
}

void
fg_task_thief_everywhere(struct fg_task_member *member)
{
	member->thief.turn = 0;
	member->thief.leapfrogs = LEAPFROGS;
	member->everywhere = true;
}

unsigned
fg_task_thief_pause(const struct fg_task_member *member)
{
	return member->thief.pause ? member->thief.pause : PAUSE_MIN;
}
