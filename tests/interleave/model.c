/* The weak memory of the interleaving checker: the values that each atomic operation may read, and the order that it
 * makes.
 *
 * Each location keeps its last stores in modification order, which is the order of execution. A load may return any
 * store that is not older than one that the reader already knows. A store is known if it, or a read of it, lies
 * within the reader's `seen` clock. This is the construction of the Relacy tool with a second clock for seq_cst
 * fences. By C++20's rules a fence sees all that lies before the fences executed earlier.
 *
 * Two things are not modelled: a load that returns a value stored later in the execution, and a modification order
 * other than that of the execution. */
#include "internal.h"
#include <stdlib.h>
#include <string.h>

#define HISTORY 8 /* stores kept per location */
#define TABLE 4096
#define NOBODY MODEL_THREADS

struct record {
	uint64_t value;
	uint32_t stamp;			/* of the storing thread's clock */
	uint32_t sc;			/* number of its first seq_cst access, 0: none */
	uint32_t reader[MODEL_THREADS]; /* stamp of each thread's first read of it, 0: none */
	unsigned thread;
	struct model_clock message; /* the clock that an acquire load of it learns */
};

struct location {
	void *address;
	unsigned count;
	struct record record[HISTORY]; /* store number n is at n % HISTORY */
};

static struct location *table;
static struct model_index index_;
static uint32_t sc_fences[8];

void
model_memory_reset(void)
{
	if (!table) {
		table = calloc(TABLE, sizeof *table);
		model_index_init(&index_, TABLE);
	}
	model_index_reset(&index_);
	memset(sc_fences, 0, sizeof sc_fences);
}

static uint64_t
memory_get(const void *address, unsigned size)
{
	uint64_t value = 0;
	memcpy(&value, address, size);
	return value;
}

static struct record *
newest(struct location *l)
{
	return &l->record[(l->count - 1) % HISTORY];
}

/* Returns the location. Every thread knows its first value, and a value that plain code has put there
 * (initialisation). */
static struct location *
location_get(void *address, unsigned size)
{
	bool fresh;
	uint32_t number = model_index_get(&index_, (uintptr_t)address, &fresh);
	if (number == TABLE)
		model_fail("more than %d atomic variables", TABLE / 4 * 3);
	struct location *l = &table[number];
	uint64_t value = memory_get(address, size);
	if (fresh || newest(l)->value != value) {
		l->address = address;
		l->count = 1;
		l->record[0] = (struct record){.value = value, .thread = NOBODY};
	}
	return l;
}

static void
stamp_next(struct model_thread *t)
{
	unsigned i = model_run.current;
	t->now.seen[i] = ++t->now.hb[i];
}

static bool
record_known(const struct record *r, const uint32_t *seen)
{
	if (r->thread == NOBODY || r->stamp <= seen[r->thread])
		return true;
	if (r->sc && r->sc <= seen[MODEL_SC])
		return true;
	for (unsigned i = 0; i < model_run.threads; i++)
		if (r->reader[i] && r->reader[i] <= seen[i])
			return true;
	return false;
}

/* The number of stores from which a load may choose, the newest first. */
static unsigned
readable(struct location *l, const struct model_thread *t, bool sc)
{
	uint32_t seen[8];
	memcpy(seen, t->now.seen, sizeof seen);
	if (sc) {
		for (unsigned i = 0; i < 8; i++)
			seen[i] = seen[i] > sc_fences[i] ? seen[i] : sc_fences[i];
		seen[MODEL_SC] = model_run.sc_count;
	}
	unsigned limit = l->count < HISTORY ? l->count : HISTORY;
	unsigned n = 1;
	while (n < limit && !record_known(&l->record[(l->count - n) % HISTORY], seen))
		n++;
	return n;
}

static void
record_read(struct record *r, struct model_thread *t, enum model_order order)
{
	stamp_next(t);
	if (!r->reader[model_run.current])
		r->reader[model_run.current] = t->now.hb[model_run.current];
	if (order == MODEL_ACQUIRE || order == MODEL_ACQ_REL || order == MODEL_SEQ_CST)
		model_clock_join(&t->now, &r->message);
	else
		model_clock_join(&t->acquire_pending, &r->message);
	if (order == MODEL_SEQ_CST && !r->sc)
		r->sc = ++model_run.sc_count;
}

static void
record_write(struct location *l, unsigned size, uint64_t value, enum model_order order, bool rmw)
{
	struct model_thread *t = model_current();
	const struct record *old = newest(l);
	struct record *r = &l->record[l->count++ % HISTORY];
	stamp_next(t);
	memset(r->reader, 0, sizeof r->reader);
	r->value = value;
	r->thread = model_run.current;
	r->stamp = t->now.hb[r->thread];
	r->sc = order == MODEL_SEQ_CST ? ++model_run.sc_count : 0;
	struct model_clock message = order == MODEL_RELAXED || order == MODEL_ACQUIRE ? t->release_fence : t->now;
	if (rmw) /* goes on with the release sequence */
		model_clock_join(&message, &old->message);
	r->message = message;
	memcpy(l->address, &value, size);
	model_run.writes++;
}

static enum model_order
order_of(struct model_site *site)
{
	model_site_note(site);
	return site->weaken ? MODEL_RELAXED : (enum model_order)site->order;
}

#define TRACE(site, format, ...)                                                                                       \
	(model_run.tracing ? model_trace("%s %s(%s) " format "  [%s:%d]", site->function, site->operation,             \
					 site->operand, __VA_ARGS__, model_basename(site->file), site->line)           \
			   : (void)0)

static const char *
model_basename(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

uint64_t
model_load(struct model_site *site, void *address, unsigned size)
{
	enum model_order order = order_of(site);
	if (!model_run.inside)
		return memory_get(address, size);
	model_switch_point(address, false);
	struct model_thread *t = model_current();
	struct location *l = location_get(address, size);
	unsigned n = readable(l, t, order == MODEL_SEQ_CST);
	unsigned choice = model_choose(n, 1, MODEL_ODDITY, NULL);
	struct record *r = &l->record[(l->count - 1 - choice) % HISTORY];
	record_read(r, t, order);
	TRACE(site, "%s = %#lx%s", model_name(address), r->value, choice ? "  OLD VALUE" : "");
	return r->value;
}

void
model_store(struct model_site *site, void *address, unsigned size, uint64_t value)
{
	enum model_order order = order_of(site);
	if (model_run.inside)
		model_switch_point(address, true);
	if (site->drop)
		return;
	if (!model_run.inside) {
		memcpy(address, &value, size);
		return;
	}
	record_write(location_get(address, size), size, value, order, false);
	TRACE(site, "%s := %#lx", model_name(address), value);
}

static uint64_t
rmw_value(enum model_rmw kind, uint64_t old, uint64_t operand)
{
	switch (kind) {
	case MODEL_ADD:
		return old + operand;
	case MODEL_SUB:
		return old - operand;
	case MODEL_OR:
		return old | operand;
	case MODEL_AND:
		return old & operand;
	case MODEL_EXCHANGE:
		break;
	}
	return operand;
}

uint64_t
model_rmw(struct model_site *site, void *address, unsigned size, enum model_rmw kind, uint64_t operand)
{
	enum model_order order = order_of(site);
	if (model_run.inside)
		model_switch_point(address, true);
	uint64_t old = memory_get(address, size);
	if (site->drop)
		return old;
	uint64_t value = rmw_value(kind, old, operand);
	if (size == 4)
		value = (uint32_t)value;
	if (!model_run.inside) {
		memcpy(address, &value, size);
		return old;
	}
	struct location *l = location_get(address, size);
	record_read(newest(l), model_current(), order);
	record_write(l, size, value, order, true);
	TRACE(site, "%s: %#lx -> %#lx", model_name(address), old, value);
	return old;
}

/* A failing compare and swap is a load. It may have seen an older value, but not the expected one. */
static unsigned
cas_choice(struct location *l, struct model_thread *t, uint64_t expected)
{
	unsigned n = readable(l, t, false), usable[HISTORY], m = 1;
	usable[0] = 0;
	for (unsigned i = 1; i < n; i++)
		if (l->record[(l->count - 1 - i) % HISTORY].value != expected)
			usable[m++] = i;
	return usable[model_choose(m, 1, MODEL_ODDITY, NULL)];
}

bool
model_cas(struct model_site *site, void *address, unsigned size, void *expected, uint64_t value)
{
	enum model_order order = order_of(site);
	if (model_run.inside)
		model_switch_point(address, true);
	uint64_t wanted = memory_get(expected, size), old = memory_get(address, size);
	if (!model_run.inside) {
		if (old == wanted && !site->drop)
			memcpy(address, &value, size);
		memcpy(expected, &old, size);
		return old == wanted;
	}
	struct model_thread *t = model_current();
	struct location *l = location_get(address, size);
	unsigned choice = cas_choice(l, t, wanted);
	struct record *r = &l->record[(l->count - 1 - choice) % HISTORY];
	old = r->value;
	if (old != wanted) {
		record_read(r, t, order == MODEL_ACQ_REL ? MODEL_ACQUIRE : MODEL_RELAXED);
		memcpy(expected, &old, size);
		TRACE(site, "%s fails: %#lx, not %#lx%s", model_name(address), old, wanted,
		      choice ? "  OLD VALUE" : "");
		return false;
	}
	if (!site->drop) {
		record_read(r, t, order);
		record_write(l, size, value, order, true);
	}
	TRACE(site, "%s: %#lx -> %#lx", model_name(address), old, value);
	return true;
}

static void
fence_seq_cst(struct model_thread *t)
{
	t->now.seen[MODEL_SC] = model_run.sc_count;
	for (unsigned i = 0; i < 8; i++) {
		if (t->now.seen[i] < sc_fences[i])
			t->now.seen[i] = sc_fences[i];
		sc_fences[i] = t->now.seen[i];
	}
}

/* This orders happens-before, too. The kernel interrupts each running thread, or the thread goes through the
 * scheduler. */
void
model_fence_all(void)
{
	model_switch_point(sc_fences, true);
	struct model_clock all = model_current()->now;
	for (unsigned i = 0; i < model_run.threads; i++) {
		struct model_thread *t = &model_run.thread[i];
		t->now.seen[i] = ++t->now.hb[i];
		model_clock_join(&t->now, &t->acquire_pending);
		fence_seq_cst(t);
		model_clock_join(&all, &t->now);
	}
	for (unsigned i = 0; i < model_run.threads; i++) {
		model_clock_join(&model_run.thread[i].now, &all);
		model_run.thread[i].release_fence = model_run.thread[i].now;
	}
	model_trace("membarrier");
}

void
model_fence(struct model_site *site)
{
	enum model_order order = order_of(site);
	if (!model_run.inside || order == MODEL_RELAXED || site->drop)
		return;
	if (order == MODEL_SEQ_CST)
		model_switch_point(sc_fences, true);
	struct model_thread *t = model_current();
	stamp_next(t);
	if (order != MODEL_RELEASE)
		model_clock_join(&t->now, &t->acquire_pending);
	if (order == MODEL_SEQ_CST)
		fence_seq_cst(t);
	if (order != MODEL_ACQUIRE)
		t->release_fence = t->now;
	TRACE(site, "%s", "");
}
