/* The registry of areas (floor: memory): see area.h. */
#include "memory/area.h"

#include <string.h>

#include "base/carrier.h"
#include "base/log.h"
#include "base/spinlock.h"
#include "memory/haul.h"
#include "memory/where.h"
#include "platform/memory.h"

#define BUCKETS 512

static struct {
	struct fg_spinlock lock;
	struct fg_area *area[BUCKETS];
	struct fg_attachment *team[BUCKETS];
	struct fg_area *spare_areas;		 /* chained by next */
	struct fg_attachment *spare_attachments; /* the same */
	unsigned n_spare_areas, n_attached;
	struct fg_atomic_u32 n_nodes;
	struct fg_atomic_u32 told;
} areas = {.lock = FG_SPINLOCK_INIT(FG_RANK_AREAS)};

unsigned
fg_areas_nodes(void)
{
	uint32_t n = fg_load_relaxed(&areas.n_nodes);
	if (!n)
		fg_store_relaxed(&areas.n_nodes, n = fg_where->nodes());
	return n;
}

void
fg_areas_lock(void)
{
	fg_spinlock_lock(&areas.lock);
}

void
fg_areas_unlock(void)
{
	fg_spinlock_unlock(&areas.lock);
}

void
fg_areas_after_fork(void)
{
	fg_spinlock_init(&areas.lock, FG_RANK_AREAS);
	memset(areas.area, 0, sizeof areas.area);
	memset(areas.team, 0, sizeof areas.team);
	areas.spare_areas = NULL;
	areas.spare_attachments = NULL;
	areas.n_attached = areas.n_spare_areas = 0;
	fg_store_relaxed(&fg_hauls_left, 0);
}

/* ---- The stock ---- */

static void
area_keep_locked(struct fg_area *area)
{
	area->next = areas.spare_areas;
	areas.spare_areas = area;
	areas.n_spare_areas++;
}

static void
attachment_keep_locked(struct fg_attachment *attachment)
{
	attachment->next = areas.spare_attachments;
	areas.spare_attachments = attachment;
}

bool
fg_area_stuff(struct fg_area_stuff *stuff)
{
	stuff->area = fg_memory_get(sizeof *stuff->area + fg_areas_nodes() * sizeof *stuff->area->on_node);
	stuff->attachment = fg_memory_get(sizeof *stuff->attachment);
	if (stuff->area && stuff->attachment)
		return true;
	fg_memory_free(stuff->area);
	fg_memory_free(stuff->attachment);
	return false;
}

void
fg_area_stock_locked(struct fg_area_stuff stuff)
{
	area_keep_locked(stuff.area);
	attachment_keep_locked(stuff.attachment);
}

/* ---- Areas ---- */

static struct fg_area **
bucket_of(uintptr_t start, uintptr_t end)
{
	return &areas.area[(start * 31 + end) * UINT64_C(0x9e3779b97f4a7c15) >> 55];
}
_Static_assert(BUCKETS == 1 << (64 - 55), "as many as there are hashes");

struct fg_area *
fg_area_find_locked(uintptr_t start, uintptr_t end)
{
	struct fg_area *area = *bucket_of(start, end);
	while (area && (area->start != start || area->end != end))
		area = area->next;
	return area;
}

static struct fg_area *
area_make_locked(uintptr_t start, uintptr_t end)
{
	struct fg_area *area = fg_area_find_locked(start, end);
	if (area || !(area = areas.spare_areas))
		return area;
	areas.spare_areas = area->next;
	areas.n_spare_areas--;
	struct fg_area **bucket = bucket_of(start, end);
	*area = (struct fg_area){.start = start, .end = end, .next = *bucket, .link = bucket};
	memset(area->on_node, 0, fg_areas_nodes() * sizeof *area->on_node);
	if (area->next)
		area->next->link = &area->next;
	*bucket = area;
	return area;
}

static void
area_end_if_idle_locked(struct fg_area *area)
{
	if (area->kept || area->first)
		return;
	fg_haul_forget_locked(area);
	*area->link = area->next;
	if (area->next)
		area->next->link = area->link;
	area_keep_locked(area);
}

struct fg_area *
fg_area_keep_locked(uintptr_t start, uintptr_t end, enum fg_area_kept kept)
{
	struct fg_area *area = area_make_locked(start, end);
	if (area)
		area->kept = kept;
	return area;
}

struct fg_area *
fg_areas_next_locked(const struct fg_area *area)
{
	if (area && area->next)
		return area->next;
	for (struct fg_area **bucket = area ? bucket_of(area->start, area->end) + 1 : areas.area;
	     bucket < areas.area + BUCKETS; bucket++)
		if (*bucket)
			return *bucket;
	return NULL;
}

struct fg_area *
fg_area_kept_locked(uintptr_t start, uintptr_t end)
{
	struct fg_area *area = fg_areas_next_locked(NULL);
	while (area && (area->kept < FG_AREA_REGISTERED || area->start >= end || area->end <= start))
		area = fg_areas_next_locked(area);
	return area;
}

uintptr_t
fg_area_part(struct fg_area_range whole, unsigned n, unsigned i, size_t page)
{
	uintptr_t first = whole.start / page, pages = (whole.end - 1) / page - first + 1;
	if (i == 0 || i == n)
		return i ? whole.end : whole.start;
	return (first + pages / n * i + pages % n * i / n) * page;
}

bool
fg_area_split_locked(struct fg_area *area, unsigned n, size_t page)
{
	struct fg_area_range whole = {area->start, area->end};
	enum fg_area_kept kept = area->kept;
	if (areas.n_spare_areas < n)
		return false;
	area->kept = FG_AREA_PASSING;
	area_end_if_idle_locked(area);
	for (unsigned i = 0; i < n; i++)
		fg_area_keep_locked(fg_area_part(whole, n, i, page), fg_area_part(whole, n, i + 1, page), kept);
	return true;
}

/* ---- Attachments ---- */

static struct fg_attachment **
team_bucket_of(const void *team)
{
	return &areas.team[(uintptr_t)team * UINT64_C(0x9e3779b97f4a7c15) >> 55];
}

static struct fg_attachment *
attachment_find_locked(const struct fg_area *area, const void *team, unsigned member)
{
	struct fg_attachment *found = area ? area->first : NULL;
	while (found && (found->team != team || found->member != member))
		found = found->next;
	return found;
}

enum fg_attached
fg_attach_locked(uintptr_t start, uintptr_t end, const struct fg_attachment *what)
{
	struct fg_attachment *found = attachment_find_locked(fg_area_find_locked(start, end), what->team, what->member);
	if (found) {
		bool same = found->access == what->access;
		found->access = what->access;
		return same ? FG_ATTACHED_BEFORE : FG_ATTACHED_ANEW;
	}
	if (!(found = areas.spare_attachments))
		return FG_ATTACHED_NO_STOCK;
	struct fg_area *area = area_make_locked(start, end);
	if (!area)
		return FG_ATTACHED_NO_STOCK;
	areas.spare_attachments = found->next;
	areas.n_attached++;
	struct fg_attachment **bucket = team_bucket_of(what->team);
	*found = *what;
	found->area = area;
	found->next = area->first;
	found->link = &area->first;
	found->team_next = *bucket;
	found->team_link = bucket;
	if (found->next)
		found->next->link = &found->next;
	if (found->team_next)
		found->team_next->team_link = &found->team_next;
	area->first = *bucket = found;
	area->asked = false; /* the thread that names it may have touched it just now */
	return FG_ATTACHED_ANEW;
}

static void
detach_locked(struct fg_attachment *attachment)
{
	struct fg_area *area = attachment->area;
	*attachment->link = attachment->next;
	if (attachment->next)
		attachment->next->link = attachment->link;
	*attachment->team_link = attachment->team_next;
	if (attachment->team_next)
		attachment->team_next->team_link = attachment->team_link;
	attachment_keep_locked(attachment);
	areas.n_attached--;
	area_end_if_idle_locked(area);
}

bool
fg_detach_locked(uintptr_t start, uintptr_t end, const void *team, unsigned member)
{
	struct fg_attachment *found = attachment_find_locked(fg_area_find_locked(start, end), team, member);
	if (found)
		detach_locked(found);
	return found;
}

struct fg_attachment *
fg_attached_next_locked(const void *team, const struct fg_attachment *attachment)
{
	struct fg_attachment *next = attachment ? attachment->team_next : *team_bucket_of(team);
	while (next && next->team != team)
		next = next->team_next;
	return next;
}

void
fg_detach_team_locked(const void *team)
{
	struct fg_attachment *first;
	while ((first = fg_attached_next_locked(team, NULL)))
		detach_locked(first);
}

bool
fg_area_freed_locked(uintptr_t start, uintptr_t end)
{
	struct fg_area *block = fg_area_find_locked(start, end), *next;
	if (!block || !block->kept)
		return false;
	block->kept = FG_AREA_PASSING;
	if (!block->first)
		area_end_if_idle_locked(block);
	for (struct fg_area *area = areas.n_attached ? fg_areas_next_locked(NULL) : NULL; area; area = next) {
		next = fg_areas_next_locked(area);
		bool within = area->start >= start && area->end <= end;
		for (struct fg_attachment *last = within ? area->first : NULL; last;) {
			struct fg_attachment *after = last->next;
			detach_locked(last); /* the area goes with the last of them */
			last = after;
		}
	}
	return true;
}

/* ---- Where they lie ---- */

#define AT_A_TIME 256

/* Areas that are asked about together. They may end meanwhile, so their ranges are copied. */
struct questions {
	unsigned n;
	struct {
		uintptr_t start, end;
	} of[AT_A_TIME];
	size_t on_node[]; /* fg_areas_nodes for each */
};

static bool
is_stale(const struct fg_area *area, uint64_t now)
{
	return !area->asked || (now > area->asked_at && now - area->asked_at >= FG_AREA_FRESH_NS);
}

static void
collect_locked(struct questions *questions, uint64_t now, bool (*wanted)(const struct fg_area *, const void *),
	       const void *arg)
{
	questions->n = 0;
	for (struct fg_area *area = fg_areas_next_locked(NULL); area && questions->n < AT_A_TIME;
	     area = fg_areas_next_locked(area))
		if (is_stale(area, now) && wanted(area, arg)) {
			questions->of[questions->n].start = area->start;
			questions->of[questions->n++].end = area->end;
		}
}

static bool
answer(struct questions *questions)
{
	bool known = true;
	for (unsigned i = 0; i < questions->n; i++)
		known &= fg_where_measure(questions->of[i].start, questions->of[i].end,
					  questions->on_node + i * fg_areas_nodes(), fg_areas_nodes());
	return known;
}

static void
note_locked(const struct questions *questions, uint64_t now)
{
	for (unsigned i = 0; i < questions->n; i++) {
		struct fg_area *area = fg_area_find_locked(questions->of[i].start, questions->of[i].end);
		if (!area)
			continue;
		area->asked = true;
		area->asked_at = now;
		memcpy(area->on_node, questions->on_node + i * fg_areas_nodes(),
		       fg_areas_nodes() * sizeof *area->on_node);
	}
}

void
fg_areas_ask(bool (*wanted)(const struct fg_area *area, const void *arg), const void *arg)
{
	uint64_t now = fg_carrier->now();
	unsigned nodes = fg_areas_nodes();
	struct questions *questions = fg_memory_get(sizeof *questions + AT_A_TIME * nodes * sizeof(size_t));
	bool known = true;
	if (!questions)
		return;
	do {
		fg_areas_lock();
		collect_locked(questions, now, wanted, arg);
		fg_areas_unlock();
		known &= answer(questions);
		fg_areas_lock();
		note_locked(questions, now);
		fg_areas_unlock();
	} while (questions->n == AT_A_TIME);
	fg_memory_free(questions);
	if (!known && fg_exchange_acq_rel(&areas.told, 1) == 0)
		fg_note("the system does not tell on which nodes memory lies (move_pages); schedulers are told that "
			"none is known");
}
