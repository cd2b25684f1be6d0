/* The report on a region that does not move on (floor: stuck): see tell.h.
 *
 * The report is composed first. Then `moved` tells whether anything has moved meanwhile, and only then the lines are
 * written. The lines and posts lie in memory that is mapped for that time. The C library's allocator will not do,
 * because the holder of one of its locks may be stuck. */
#include "stuck/tell.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exec/thread/levels.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker.h"
#include "platform/futex.h"
#include "platform/map.h"
#include "stuck/object.h"
#include "stuck/peek.h"
#include "stuck/presence.h"
#include "stuck/reason.h"
#include "stuck/library.h"
#include "team/tasks/pool.h"

#define POSTS_MAX 65536
#define TEXT_MAX (4ul << 20)
#define SEATS_MAX (1ul << 20)
#define LINE_MAX 900
#define SHOWN_MAX 256 /* lines of members of one team, and of workers */
#define DEPTH_MAX 64
#define HAS_ENDED "has ended"

static struct {
	struct fg_post *post;
	unsigned n_posts;
	char *text; /* lines, each ended by a zero byte */
	size_t used;
	const struct fg_post **seat; /* of the members of the teams that are being shown, by number */
	size_t n_seats;
	uint64_t now;
	char member_text[2][LINE_MAX]; /* of the last member, and of the next */
	struct fg_task_member member;  /* a copy, too large for a stack */
} report;

static void line(unsigned depth, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void
line(unsigned depth, const char *format, ...)
{
	va_list args;
	if (report.used + 2 * DEPTH_MAX + LINE_MAX > TEXT_MAX)
		return;
	char *at = report.text + report.used;
	size_t indent = 2 * (size_t)depth;
	memset(at, ' ', indent);
	va_start(args, format);
	vsnprintf(at + indent, LINE_MAX, format, args);
	va_end(args);
	report.used += strlen(at) + 1;
}

static void
lines_write(void)
{
	for (size_t at = 0; at < report.used; at += strlen(report.text + at) + 1)
		fg_library->report("%s", report.text + at);
}

static bool
report_begin(uint64_t now)
{
	memset(&report, 0, sizeof report);
	report.now = now;
	report.post = fg_map_unreserved(POSTS_MAX * sizeof *report.post);
	report.text = fg_map_unreserved(TEXT_MAX);
	report.seat = fg_map_unreserved(SEATS_MAX * sizeof *report.seat);
	return report.post && report.text && report.seat;
}

static void
report_end(void)
{
	if (report.post)
		fg_unmap(report.post, POSTS_MAX * sizeof *report.post);
	if (report.text)
		fg_unmap(report.text, TEXT_MAX);
	if (report.seat)
		fg_unmap(report.seat, SEATS_MAX * sizeof *report.seat);
}

static struct fg_team *
outermost(struct fg_team *team)
{
	struct fg_team *outer;
	for (unsigned i = 0; (outer = fg_presence_team(team->outer)) && i < DEPTH_MAX; i++)
		team = outer;
	return team;
}

/* The root of a flat team knows its members. Other identities may only have been members before. */
FG_READS_HINTS static bool
is_member(const struct fg_team *team, unsigned number, const struct fg_identity *thread)
{
	const struct fg_root *root = team->primary->root;
	if (number == 0)
		return thread == team->primary;
	if (team->mode != FG_TEAM_DOCKED)
		return true;
	return root && number < root->n_members[root->by_place] && root->members[root->by_place][number] == thread;
}

/* Makes one post for each region that the thread is in. Where the thread stands is found once. */
static void
posts_of(struct fg_identity *thread, const struct fg_team *tree)
{
	struct fg_presence presence;
	struct fg_stand stand;
	bool found = false;
	unsigned depth = 0;
	if (!fg_presence_first(thread, &presence) || outermost(presence.team) != tree)
		return;
	do {
		if (report.n_posts == POSTS_MAX || !is_member(presence.team, presence.number, thread))
			continue;
		if (!found)
			fg_stand_find(thread, report.now, &stand);
		found = true;
		struct fg_post *post = &report.post[report.n_posts++];
		*post = (struct fg_post){presence.team, presence.inner, presence.number, thread, stand, FG_REASON_NONE};
		fg_reason_find(post);
	} while (++depth < DEPTH_MAX && fg_presence_around(&presence));
}

static bool
is_within(const struct fg_team *team, const struct fg_team *around)
{
	for (unsigned i = 0; team && team != around && i < DEPTH_MAX; i++)
		team = fg_presence_team(team->outer);
	return team == around;
}

/* True: in the region or in one within a member waits for something, or no member gets on at all. */
static bool
waits(const struct fg_team *team)
{
	bool computes = false;
	for (unsigned i = 0; i < report.n_posts; i++) {
		const struct fg_post *post = &report.post[i];
		if (post->inner || !is_within(post->team, team))
			continue;
		if (post->reason >= FG_REASON_END)
			return true;
		computes |= post->reason == FG_REASON_COMPUTES;
	}
	return !computes;
}

static const char *
mode_name(const struct fg_team *team)
{
	static const char *const names[] = {
		[FG_TEAM_SERIAL] = "one member",
		[FG_TEAM_DOCKED] = "flat",
		[FG_TEAM_LOOSE] = "nested",
		[FG_TEAM_KERNEL] = "a kernel thread each",
	};
	return names[team->mode % 4];
}

static unsigned
count(const struct fg_team *team, enum fg_reason reason)
{
	unsigned n = 0;
	for (unsigned i = 0; i < report.n_posts; i++)
		n += report.post[i].team == team && report.post[i].reason == reason;
	return n;
}

/* True: a burst set the member of a nested region free, and it lies on a runqueue. */
FG_READS_HINTS static bool
was_set_free(const struct fg_bubble *bubble, unsigned number)
{
	struct fg_member member;
	return bubble->members && number < bubble->n_members &&
	       fg_peek((uintptr_t)&bubble->members[number], &member, sizeof member) &&
	       fg_load_relaxed(&member.entity.holder);
}

FG_READS_HINTS static void
absent_text(const struct fg_team *team, unsigned number, char *text)
{
	const struct fg_bubble *bubble = &team->births.bubble;
	bool begun = team->mode == FG_TEAM_LOOSE && number < bubble->born && !was_set_free(bubble, number);
	strcpy(text, begun ? HAS_ENDED : "has not begun");
}

static void
member_text(const struct fg_team *team, unsigned number, const struct fg_post *post, char *text, size_t size)
{
	if (!post) {
		absent_text(team, number, text);
		return;
	}
	fg_reason_text(post, report.post, report.n_posts, text, size);
	size_t used = strlen(text);
	if (post->reason == FG_REASON_BARRIER)
		snprintf(text + used, size - used, " (%u of %u have arrived)", count(team, FG_REASON_BARRIER),
			 team->size);
}

static void
members_line(unsigned depth, unsigned first, unsigned last, const char *text)
{
	if (first == last)
		line(depth, "member %u %s", first, text);
	else
		line(depth, "members %u to %u, each: %s", first, last, text);
}

static void region_show(unsigned depth, const struct fg_team *team);

static void
inner_show(unsigned depth, unsigned number, const struct fg_post *post)
{
	line(depth, "member %u is in a region within:", number);
	region_show(depth + 1, post->inner);
}

static void
members_show(unsigned depth, const struct fg_team *team, const struct fg_post **seat)
{
	unsigned first = 0, now = 0, shown = 0;
	for (unsigned k = 0; k <= team->size; k++) {
		bool inner = k < team->size && seat[k] && seat[k]->reason == FG_REASON_INNER;
		if (k < team->size && !inner)
			member_text(team, k, seat[k], report.member_text[!now], sizeof report.member_text[0]);
		if (k > first &&
		    (k == team->size || inner || strcmp(report.member_text[0], report.member_text[1]) != 0)) {
			members_line(depth, first, k - 1, report.member_text[now]);
			first = k;
			shown++;
		}
		if (inner) {
			inner_show(depth, k, seat[k]);
			first = k + 1;
		} else
			now = !now;
		if (shown >= SHOWN_MAX && k + 1 < team->size) {
			line(depth, "... and %u more", team->size - 1 - k);
			return;
		}
	}
}

/* Returns the number of tasks that lie in mailboxes. */
static uint64_t
tasks_mailed(const struct fg_task_pool *pool)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < pool->n_scouts; i++) {
		struct fg_mailbox box;
		if (fg_peek((uintptr_t)&pool->scouts[i].box, &box, sizeof box))
			n += fg_mailbox_holds(&box);
	}
	return n;
}

/* Shows the tasks that are not complete, and where they are. False: there are none. */
static bool
tasks_show(unsigned depth, const struct fg_team *team)
{
	struct fg_task_pool pool;
	struct fg_atomic_ptr at;
	uintptr_t pool_at = (uintptr_t)fg_load_relaxed(&team->tasks);
	if (!pool_at || !fg_peek(pool_at, &pool, sizeof pool))
		return false;
	uint64_t open = -fg_load_relaxed(&pool.foreign_completed);
	uint64_t waiting = fg_load_relaxed(&pool.queue.count) + tasks_mailed(&pool);
	for (unsigned i = 0; i < pool.size; i++) {
		uintptr_t place = pool_at + offsetof(struct fg_task_pool, member) + i * sizeof at;
		if (!fg_peek(place, &at, sizeof at) || !fg_load_relaxed(&at) ||
		    !fg_peek((uintptr_t)fg_load_relaxed(&at), &report.member, sizeof report.member))
			continue;
		open += fg_load_relaxed(&report.member.created) - fg_load_relaxed(&report.member.completed);
		waiting += fg_deque_count(&report.member.deque);
	}
	if (open == 0)
		return false;
	if (waiting)
		line(depth, "tasks: %llu not complete, %llu of them ready, waiting for a member to run them",
		     (unsigned long long)open, (unsigned long long)waiting);
	else
		line(depth, "tasks: %llu not complete, none of them ready to be run", (unsigned long long)open);
	unsigned events = fg_load_relaxed(&pool.events);
	if (events)
		line(depth, "detached tasks: %u whose event is not fulfilled", events);
	return true;
}

/* True: the workers of a flat team have not counted the same number of barriers. */
FG_READS_HINTS static bool
phases_differ(const struct fg_team *team)
{
	const struct fg_root *root = team->primary->root;
	if (team->mode != FG_TEAM_DOCKED || !root)
		return false;
	const struct fg_crew *crew = &fg_root_worker(root)->crew;
	for (const struct fg_worker *worker = fg_load_acquire(fg_library->all_workers); worker;
	     worker = worker->all_next)
		if (worker->crew.root == root && worker->slot < root->slots && worker->crew.region == crew->region &&
		    worker->crew.phase != crew->phase)
			return true;
	return false;
}

/* If all members have arrived, at a barrier or at the end, there is no member left for which they could wait. */
static void
arrivals_show(unsigned depth, const struct fg_team *team, const struct fg_post **seat, bool tasks)
{
	unsigned at_barrier = 0, at_end = 0;
	char absent[32];
	for (unsigned k = 0; k < team->size; k++) {
		if (!seat[k])
			absent_text(team, k, absent);
		at_barrier += seat[k] && seat[k]->reason == FG_REASON_BARRIER;
		at_end += seat[k] ? seat[k]->reason == FG_REASON_END : strcmp(absent, HAS_ENDED) == 0;
	}
	if (team->size == 1 || at_barrier + at_end < team->size)
		return;
	if ((at_barrier && at_end) || phases_differ(team))
		line(depth, "nobody is left to arrive: some members have met fewer barriers than others, or more");
	else if (!tasks)
		line(depth, "all have arrived: why they do not go on, only the runtime can know; please report it");
}

static void
region_show(unsigned depth, const struct fg_team *team)
{
	char name[300];
	const struct fg_post **seat = report.seat + report.n_seats;
	if (depth > DEPTH_MAX / 2 || report.n_seats + team->size > SEATS_MAX)
		return;
	report.n_seats += team->size;
	memset(seat, 0, team->size * sizeof *seat);
	for (unsigned i = 0; i < report.n_posts; i++)
		if (report.post[i].team == team && report.post[i].reason != FG_REASON_NONE)
			seat[report.post[i].number] = &report.post[i];
	fg_place_name((uintptr_t)team->fn, false, name, sizeof name);
	line(depth, "region of %u member%s (%s), %s:", team->size, team->size == 1 ? "" : "s", mode_name(team), name);
	members_show(depth + 1, team, seat);
	bool tasks = tasks_show(depth + 1, team);
	arrivals_show(depth + 1, team, seat, tasks);
	report.n_seats -= team->size;
}

static const struct fg_post *
post_of(const struct fg_identity *thread)
{
	for (unsigned i = 0; i < report.n_posts; i++)
		if (report.post[i].identity == thread && !report.post[i].inner &&
		    report.post[i].reason != FG_REASON_NONE)
			return &report.post[i];
	return NULL;
}

static const char *
kernel_text(const struct fg_kernel_thread *kernel)
{
	if (kernel->state == FG_KERNEL_RUNS)
		return "runs";
	if (kernel->state == FG_KERNEL_UNKNOWN)
		return "state not known";
	return fg_futex_is_call(kernel->call) ? "sleeps" : "is in a system call";
}

/* Shows a worker, and how many members of its crew wait for their turn or are ready. */
FG_READS_HINTS static void
worker_show(const struct fg_worker *worker)
{
	char member[64] = "no member", more[120] = "";
	struct fg_kernel_thread kernel;
	const struct fg_post *post = post_of(fg_load_relaxed(&worker->current));
	if (post)
		snprintf(member, sizeof member, "member %u of a region of %u", post->number, post->team->size);
	unsigned ready = fg_load_relaxed(&worker->pinned.count), waiting = fg_load_relaxed(&worker->crew.waiting);
	if (worker->carries && ready)
		snprintf(more, sizeof more, "; %u ready threads wait here", ready);
	if (worker->carries && waiting)
		snprintf(more + strlen(more), sizeof more - strlen(more), "; %u members have not had their turn yet",
			 waiting);
	fg_stand_kernel(worker->tid, &kernel);
	if (worker->carries || worker->slot)
		line(1, "CPU %u, kernel thread %d: carries %s, %s%s%s", fg_worker_leaf((struct fg_worker *)worker)->cpu,
		     worker->tid, member, kernel_text(&kernel),
		     fg_load_relaxed(&worker->asleep) ? " for want of work" : "", more);
	else
		line(1, "kernel thread %d: is %s, %s", worker->tid, member, kernel_text(&kernel));
}

/* Shows the workers that carry something, or could. */
FG_READS_HINTS static void
workers_show(void)
{
	unsigned shown = 0;
	line(0, "threads that run members, or could:");
	for (struct fg_worker *worker = fg_load_acquire(fg_library->all_workers); worker; worker = worker->all_next) {
		if (!worker->tid || (!worker->carries && !worker->slot && !post_of(fg_load_relaxed(&worker->current))))
			continue;
		if (shown++ == SHOWN_MAX) {
			line(1, "... and more");
			return;
		}
		worker_show(worker);
	}
}

static void
queues_sum(struct fg_runqueue *queue, unsigned *ready, unsigned *unborn, unsigned depth)
{
	*ready += fg_load_relaxed(&queue->holder.n_ready);
	*unborn += fg_load_relaxed(&queue->holder.n_unborn);
	const struct fg_runqueue_list *below = fg_runqueue_below(queue);
	for (unsigned i = 0; below && depth < 16 && i < below->n; i++)
		queues_sum(below->queue[i], ready, unborn, depth + 1);
}

static void
queues_show(void)
{
	unsigned ready = 0, unborn = 0;
	queues_sum(fg_library->levels_top(), &ready, &unborn, 0);
	if (ready || unborn)
		line(0, "on runqueues: %u ready threads, %u regions with members that have not begun", ready, unborn);
}

static void
compose(const struct fg_team *tree, uint64_t since)
{
	line(0, "FGOMP_STUCK: for %.1f s nothing has moved in a parallel region. Its members, and what each waits for:",
	     (double)since / 1e9);
	region_show(1, tree);
	workers_show();
	queues_show();
	line(0, "FGOMP_STUCK: the program goes on; this is said only once");
}

bool
fg_stuck_tell(struct fg_team *stuck, uint64_t now, uint64_t since, bool (*moved)(void))
{
	bool told = false;
	const struct fg_team *tree = outermost(stuck);
	if (report_begin(now)) {
		fg_objects_find();
		for (struct fg_identity *thread = fg_stand_next(NULL); thread; thread = fg_stand_next(thread))
			posts_of(thread, tree);
		if (waits(stuck)) {
			compose(tree, since);
			told = !moved();
		}
		if (told)
			lines_write();
		fg_place_forget();
		fg_objects_forget();
	}
	report_end();
	return told;
}
