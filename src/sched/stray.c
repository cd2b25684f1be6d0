/* Strays (floor: sched): see stray.h.
 *
 * A look goes in three steps, because the kernel is asked where pages lie, and no lock may be held meanwhile. The
 * threads of all teams with known data are written down, under the lock of the live tree. Then the tables of areas
 * tell where the data of each lie. Exchanges are tried on paper, and only if an eighth of all data comes to its
 * threads, the tree is locked again and threads are sent. A thread that has ended meanwhile is not found there.
 *
 * Only threads of one kind exchange PUs: members of the same flat team, whose workers exchange seats; or threads that
 * any PU may run. So each PU keeps as many threads as it had. */
#include "sched/stray.h"

#include "forest/bubble.h"
#include "forest/live.h"
#include "sched/attraction.h"
#include "sched/decision.h"
#include "sched/home.h"
#include "sched/live_tree.h"
#include "sched/policy.h"

#define MANY 0.25   /* of all data: so many lie elsewhere before anything is done */
#define WORTH 0.125 /* of all data: so many must come to their threads */
#define SETTLE_NS 20000000
#define PAUSE_MAX 64	  /* periods */
#define PAUSE_NEWS 4	  /* the same, after news */
#define ROUNDS 8	  /* of exchanges on paper */
#define THREADS_MAX 1024u /* the first of them count */

struct stray {
	struct fg_entity *thread;
	struct fg_bubble *team;
	const void *kind; /* it exchanges its PU with threads of the same kind; FIXED: with none */
	int pu, to;
	unsigned node; /* of `to` */
};

struct herd {
	struct fg_runqueue *top;
	struct stray *stray;
	unsigned n, room;
	struct fg_member_data *data; /* [n] */
	struct fg_attraction attraction;
};

static const char FIXED, FREE;

/* ---- Who is in flight ---- */

static int
pu_of(const struct fg_entity *thread)
{
	int pu;
	if (fgomp_thread_state(thread, &pu) == FGOMP_RUNNING)
		return pu;
	const struct fg_runqueue *level = fgomp_thread_level(thread);
	return level && fgomp_queue_n_pus(level) == 1 ? (int)fgomp_queue_first_pu(level) : fgomp_entity_last_pu(thread);
}

static const void *
kind_of(const struct fg_entity *thread, const struct fg_bubble *team, unsigned number)
{
	if (fgomp_thread_may_move(thread))
		return &FREE;
	return number && !team->entity.bubble ? (const void *)team : &FIXED;
}

/* It works for this team, and for none that it has met within it. */
static bool
is_of(struct fg_entity *thread, const struct fg_bubble *team)
{
	return thread && (team->live.above ? fg_home_team(thread) == team : !fg_own_load_relaxed(&thread->met));
}

static void
write_down(struct herd *herd, struct fg_bubble *team)
{
	unsigned size = fgomp_bubble_size(team);
	for (unsigned k = 0; team->areas && k < size && herd->n < herd->room; k++) {
		struct fg_entity *thread = fgomp_bubble_thread(team, k);
		int pu = is_of(thread, team) ? pu_of(thread) : -1;
		if (pu < 0)
			continue;
		herd->stray[herd->n] = (struct stray){thread, team, kind_of(thread, team, k), pu, pu, 0};
		herd->data[herd->n++] = (struct fg_member_data){team->areas, k, size};
	}
	for (struct fg_bubble *in = fgomp_tree_first(team); in; in = fgomp_tree_next(in))
		write_down(herd, in);
}

static unsigned
threads_with_data(const struct fg_bubble *team)
{
	unsigned n = team->areas ? fgomp_bubble_size(team) : 0;
	for (const struct fg_bubble *in = fgomp_tree_first(team); in; in = fgomp_tree_next(in))
		n += threads_with_data(in);
	return n;
}

static void
write_all_down(struct herd *herd)
{
	fgomp_tree_lock();
	for (struct fg_bubble *one = fgomp_tree_first(NULL); one; one = fgomp_tree_next(one))
		herd->room += threads_with_data(one);
	herd->room = herd->room < THREADS_MAX ? herd->room : THREADS_MAX;
	if (herd->room) {
		herd->stray = fgomp_memory_get(herd->room * sizeof *herd->stray);
		herd->data = fgomp_memory_get(herd->room * sizeof *herd->data);
	}
	for (struct fg_bubble *one = herd->stray && herd->data ? fgomp_tree_first(NULL) : NULL; one;
	     one = fgomp_tree_next(one))
		write_down(herd, one);
	fgomp_tree_unlock();
}

static unsigned
node_of(const struct herd *herd, int pu)
{
	int node = fgomp_queue_node(fgomp_queue_of_pu(herd->top, (unsigned)pu));
	return node < 0 ? herd->attraction.n_nodes : (unsigned)node;
}

static struct herd
herd_of(struct fg_runqueue *top)
{
	struct herd herd = {.top = top};
	write_all_down(&herd);
	herd.attraction = fg_attraction_of_members(herd.data, herd.n);
	for (unsigned i = 0; i < herd.n; i++)
		herd.stray[i].node = node_of(&herd, herd.stray[i].to);
	return herd;
}

static void
forget(struct herd *herd)
{
	fg_attraction_free(&herd->attraction);
	fgomp_memory_free(herd->data);
	fgomp_memory_free(herd->stray);
}

/* ---- Where they would be better ---- */

static double
bytes_on(const struct herd *herd, unsigned i, unsigned node)
{
	return node < herd->attraction.n_nodes ? (double)fg_attraction_at(&herd->attraction, i)[node] : 0;
}

/* What the two would gain. */
static double
gain_of(const struct herd *herd, unsigned i, unsigned j)
{
	unsigned a = herd->stray[i].node, b = herd->stray[j].node;
	return bytes_on(herd, i, b) - bytes_on(herd, i, a) + bytes_on(herd, j, a) - bytes_on(herd, j, b);
}

/* Returns what is gained. */
static double
exchange_best(struct herd *herd, unsigned i)
{
	double best = 0;
	unsigned with = i;
	for (unsigned j = 0; j < herd->n; j++) {
		const struct stray *one = &herd->stray[i], *other = &herd->stray[j];
		double gain = one->kind == other->kind && one->node != other->node ? gain_of(herd, i, j) : 0;
		if (gain > best) {
			best = gain;
			with = j;
		}
	}
	struct stray one = herd->stray[i], *other = &herd->stray[with];
	herd->stray[i].to = other->to;
	herd->stray[i].node = other->node;
	other->to = one.to;
	other->node = one.node;
	return best;
}

static double
exchange_on_paper(struct herd *herd)
{
	double all = 0, gain = 1;
	for (unsigned round = 0; round < ROUNDS && gain > 0; round++) {
		gain = 0;
		for (unsigned i = 0; i < herd->n; i++)
			if (herd->stray[i].kind != &FIXED)
				gain += exchange_best(herd, i);
		all += gain;
	}
	return all;
}

struct sums {
	double all, away;
};

static struct sums
sums_of(const struct herd *herd)
{
	struct sums sums = {0};
	for (unsigned i = 0; herd->attraction.bytes && i < herd->n; i++) {
		for (unsigned node = 0; node < herd->attraction.n_nodes; node++)
			sums.all += (double)fg_attraction_at(&herd->attraction, i)[node];
		sums.away -= bytes_on(herd, i, node_of(herd, herd->stray[i].pu));
	}
	sums.away += sums.all;
	return sums;
}

/* ---- Sending ---- */

static bool
is_in_flight(const struct fg_bubble *wanted, const struct fg_bubble *above)
{
	for (const struct fg_bubble *one = fgomp_tree_first(above); one; one = fgomp_tree_next(one))
		if (one == wanted || is_in_flight(wanted, one))
			return true;
	return false;
}

/* The innermost level to which most of these threads go, and no less than a domain. */
static struct fg_runqueue *
most_go_to(const struct herd *herd, unsigned first, unsigned end)
{
	struct fg_runqueue *level = herd->top, *within = level;
	while (within && level->domain != level) {
		level = within;
		within = NULL;
		for (unsigned c = 0; c < fgomp_queue_n_children(level); c++) {
			struct fg_runqueue *child = fgomp_queue_child(level, c);
			unsigned n = 0;
			for (unsigned i = first; i < end; i++)
				n += (unsigned)herd->stray[i].to - child->first_pu < child->n_pus;
			if (2 * n > end - first)
				within = child;
		}
	}
	return level;
}

/* The team is at home where its threads go, or thieves take them back. */
static void
move_home(const struct herd *herd, unsigned first, unsigned end)
{
	struct fg_bubble *team = herd->stray[first].team;
	const struct fg_runqueue *level = most_go_to(herd, first, end);
	struct fg_home home = fg_home_of(team);
	if (home.n)
		fg_home_change(team, (struct fg_home){level->first_pu, level->n_pus, home.lone, home.moved});
}

/* The threads from `first` on, which are of one team in flight. */
static bool
send_team(const struct herd *herd, unsigned first, unsigned end)
{
	struct fg_bubble *team = herd->stray[first].team;
	bool some = false;
	for (unsigned i = first; i < end; i++) {
		const struct stray *stray = &herd->stray[i];
		if (stray->to == stray->pu || fgomp_bubble_thread(team, herd->data[i].number) != stray->thread ||
		    !is_of(stray->thread, team))
			continue;
		if (!some)
			move_home(herd, first, end);
		some |= fg_live_tree_try(stray->thread, fgomp_queue_of_pu(herd->top, (unsigned)stray->to));
	}
	return some;
}

static bool
send(const struct herd *herd)
{
	bool some = false;
	fgomp_tree_lock();
	fg_reason("its data have come to another node");
	for (unsigned first = 0, end; first < herd->n; first = end) {
		end = first + 1;
		while (end < herd->n && herd->stray[end].team == herd->stray[first].team)
			end++;
		if (is_in_flight(herd->stray[first].team, NULL))
			some |= send_team(herd, first, end);
	}
	fgomp_tree_unlock();
	return some;
}

/* ---- When ---- */

void
fg_strays_heed(struct fg_strays *strays)
{
	fg_store_relaxed(&strays->news, 1);
	fg_store_relaxed(&strays->heeded, 1);
}

static bool
is_time(struct fg_strays *strays)
{
	if (!fg_load_relaxed(&strays->heeded))
		return false;
	if (fg_exchange_acquire(&strays->news, 0) && strays->left > PAUSE_NEWS)
		strays->left = PAUSE_NEWS;
	if (strays->left > 1) {
		strays->left--;
		return false;
	}
	return true;
}

static void
pause_longer(struct fg_strays *strays)
{
	strays->pause = strays->pause ? 2 * strays->pause : 1;
	strays->pause = strays->pause < PAUSE_MAX ? strays->pause : PAUSE_MAX;
	strays->left = strays->pause;
}

double
fg_strays_share(struct fg_strays *strays, struct fg_runqueue *top)
{
	if (!is_time(strays))
		return 0;
	struct herd herd = herd_of(top);
	struct sums sums = sums_of(&herd);
	forget(&herd);
	double share = sums.all > 0 ? sums.away / sums.all : 0;
	strays->left = 0;
	if (share < MANY)
		pause_longer(strays);
	return share;
}

bool
fg_strays_send(struct fg_strays *strays, struct fg_runqueue *top)
{
	if (strays->left || !fg_load_relaxed(&strays->heeded))
		return false;
	struct herd herd = herd_of(top);
	struct sums sums = sums_of(&herd);
	bool sent = sums.all > 0 && exchange_on_paper(&herd) >= WORTH * sums.all && send(&herd);
	forget(&herd);
	strays->pause = sent ? 0 : strays->pause;
	if (sent)
		fg_store_relaxed(&strays->settled, fgomp_sched_now() + SETTLE_NS);
	else
		pause_longer(strays);
	return sent;
}
