/* Learnt (floor: share): see learnt.h. */
#include "share/learnt.h"

#include <string.h>

#include "base/sequence.h"
#include "platform/float.h"
#include "share/notebook.h"
#include "share/want.h"

#define PLACES 512	  /* regions that are known apart; a power of two */
#define RUNS 8		  /* are timed after a look */
#define RECENT 16	  /* runs that count for the want */
#define SETTLE_NS 3000000 /* members move for so long once the number of PUs has changed */
#define LONG_NS 4000000	  /* a region that runs for so long counts alone */
#define MEAN_NS 24000000  /* a run of such a time has a mean number of PUs, if that has changed meanwhile */
#define GROWN 8		  /* a call that takes so many times as long as usual does other work */
#define LOOKS_WITHOUT 2	  /* no region has ended for so many looks: it is not known what runs */

struct fg_learnt fg_learnt;

#define CODE_BITS 48

struct place {
	struct fg_atomic_u64 region; /* code, and size of the team */
	struct fg_atomic_u32 name_is;
	struct fg_lesson lesson;
	char name[FG_NOTEBOOK_NAME]; /* for other runs */
};

/* Of a place's name, where a file is kept. */
enum { UNKNOWN, ASKED, KNOWN };

static struct {
	struct place place[PLACES];
	/* The run, by the thread that has `team`. */
	struct fg_atomic_ptr at; /* its place */
	struct fg_atomic_u64 begun;
	uint64_t had_before;	    /* `had` when it began */
	uint32_t changes_before;    /* `changes` then */
	struct fg_atomic_u32 ended; /* runs so far */
	struct fg_atomic_ptr recent[RECENT];
	/* The PUs that the process has had, by the looks. */
	struct fg_sequence changes;
	struct fg_atomic_u64 had, changed; /* PUs x ns until the last change; when that was */
	struct fg_atomic_u32 pus;
	struct fg_atomic_u64 disturbed;	    /* when that was last seen */
	struct fg_atomic_u32 optimal, best; /* of the want, for the server: another thread may ask it */
	/* The look's. */
	struct fg_want want;
	uint32_t ended_seen;
	unsigned looks_without;
} own;

static struct place *
place_of(uint64_t key)
{
	uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	for (unsigned tries = 0; tries < PLACES; tries++, at++) {
		struct place *place = &own.place[at % PLACES];
		uint64_t found = fg_load_relaxed(&place->region);
		if (found == key || (!found && (fg_cas_relaxed(&place->region, &found, key) || found == key)))
			return place;
	}
	return NULL;
}

static uint64_t
key_of(const void *code, unsigned size)
{
	return (uint64_t)size << CODE_BITS ^ (uint64_t)(uintptr_t)code;
}

/* PUs x ns until now, by the changes that *seen counts. False: they change just now, or have changed since the caller
 * read the clock. */
static bool
had_until(uint64_t now, uint64_t *had, uint32_t *seen)
{
	*seen = fg_sequence_read(&own.changes);
	uint64_t changed = fg_load_acquire(&own.changed);
	*had = fg_load_acquire(&own.had) + (now > changed ? (now - changed) * fg_load_acquire(&own.pus) : 0);
	return fg_sequence_same(&own.changes, *seen) && now >= changed;
}

bool
fg_learnt_is_new(const void *code, unsigned size)
{
	struct place *place = size < UINT64_C(1) << (64 - CODE_BITS) ? place_of(key_of(code, size)) : NULL;
	uint32_t unknown = UNKNOWN;
	return place && fg_load_relaxed(&place->name_is) == UNKNOWN && fg_cas_relaxed(&place->name_is, &unknown, ASKED);
}

/* Another thread may run the region meanwhile, and note its time. */
void
fg_learnt_recall(const void *code, unsigned size, const char *name, const struct fg_notebook_region *known)
{
	struct place *place = place_of(key_of(code, size));
	if (known) {
		struct fg_float program = fg_float_put_aside();
		fg_lesson_recall(&place->lesson, known->point, known->n);
		fg_float_take_back(program);
	}
	strncpy(place->name, name, sizeof place->name - 1);
	fg_store_release(&place->name_is, KNOWN);
}

bool
fg_learnt_kept(unsigned *place, char *name, unsigned *size, struct fg_curve *curve)
{
	for (; *place < PLACES; ++*place) {
		struct place *found = &own.place[*place];
		if (fg_load_acquire(&found->name_is) != KNOWN)
			continue;
		fg_lesson_read_kept(&found->lesson, curve);
		memcpy(name, found->name, sizeof found->name);
		*size = (unsigned)(fg_load_relaxed(&found->region) >> CODE_BITS);
		if (curve->n < 2)
			continue;
		++*place;
		return true;
	}
	return false;
}

bool
fg_learnt_begin(uint64_t now, const struct fg_team *team, const void *code, unsigned size)
{
	void *nobody = NULL;
	if (!fg_cas_acquire(&fg_learnt.team, &nobody, (void *)team) && nobody != (void *)team)
		return false;
	struct place *place = place_of(key_of(code, size));
	if (!place || !had_until(now, &own.had_before, &own.changes_before)) {
		fg_store_release(&fg_learnt.team, NULL);
		return false;
	}
	fg_store_relaxed(&own.begun, now);
	fg_store_relaxed(&own.at, place);
	return true;
}

/* The run had so many PUs in the mean, in 64ths. 0: it says nothing, because their number changed too much or too
 * late, or others used them, too. A look may have read its clock long before it changes the number. Then the mean is
 * wrong. So it must be near the number of now. */
static unsigned
pus_of_run(uint64_t begun, uint64_t now)
{
	uint64_t had, changed = fg_load_relaxed(&own.changed), ns = now - begun;
	uint32_t changes;
	if (!had_until(now, &had, &changes) || fg_load_relaxed(&own.disturbed) + SETTLE_NS >= begun || ns == 0)
		return 0;
	uint64_t mean = 64 * (had - own.had_before) / ns, last = 64 * (uint64_t)fg_load_relaxed(&own.pus);
	bool steady = changed + SETTLE_NS < begun && changes == own.changes_before;
	return steady || (ns >= MEAN_NS && mean < 2 * last && last < 2 * mean) ? (unsigned)mean : 0;
}

/* Not inlined: the arithmetic must stay where the flags of the program are put aside. */
static __attribute__((noinline)) void
note(struct place *place, unsigned pus_64, uint64_t ns)
{
	fg_lesson_note(&place->lesson, pus_64, (double)ns);
}

void
fg_learnt_end(uint64_t now)
{
	uint64_t begun = fg_load_relaxed(&own.begun);
	struct place *place = fg_load_relaxed(&own.at);
	unsigned pus_64 = pus_of_run(begun, now);
	uint32_t ended = fg_load_relaxed(&own.ended);
	if (pus_64) {
		struct fg_float program = fg_float_put_aside();
		note(place, pus_64, now - begun);
		fg_float_take_back(program);
	}
	fg_store_relaxed(&own.recent[ended % RECENT], place);
	fg_store_relaxed(&own.ended, ended + 1);
	fg_store_relaxed(&own.at, NULL);
	fg_store_release(&fg_learnt.team, NULL);
}

/* Adds the region of a place to the sum. Returns its part of the time. Below 0: its times are not known. */
static double
add(struct fg_curve *sum, struct place *place, unsigned pus, unsigned times)
{
	struct fg_curve curve;
	fg_lesson_read(&place->lesson, &curve);
	if (curve.n == 0)
		return -1;
	fg_curve_fill(&curve, pus);
	fg_curve_add(sum, &curve, times);
	return times * fg_curve_ns(&curve, pus);
}

/* How many of the last runs are of this place. 0: it has come before. */
static unsigned
times_of(struct place *const *recent, unsigned i)
{
	unsigned times = 0;
	for (unsigned k = 0; k < i; k++)
		if (recent[k] == recent[i])
			return 0;
	for (unsigned k = i; k < RECENT; k++)
		times += recent[k] == recent[i];
	return times;
}

/* The sum of the last runs. Returns the place that counts most; NULL: it is not known what they take. */
static struct place *
add_recent(struct fg_curve *sum, unsigned pus)
{
	struct place *recent[RECENT], *first = NULL;
	double most = 0;
	for (unsigned i = 0; i < RECENT; i++)
		recent[i] = fg_load_relaxed(&own.recent[i]);
	for (unsigned i = 0; i < RECENT; i++) {
		unsigned times = recent[i] ? times_of(recent, i) : 0;
		double ns = times ? add(sum, recent[i], pus, times) : 0;
		if (ns < 0)
			return NULL;
		if (ns > most) {
			most = ns;
			first = recent[i];
		}
	}
	return first;
}

/* The regions that the program runs now: their sum, and the one that counts most. NULL: it is not known. */
static struct place *
running(struct fg_curve *sum, uint64_t now, unsigned pus, unsigned has)
{
	struct place *place = fg_load_relaxed(&own.at);
	uint64_t begun = fg_load_relaxed(&own.begun);
	uint32_t ended = fg_load_relaxed(&own.ended);
	own.looks_without = place || ended != own.ended_seen ? 0 : own.looks_without + 1;
	own.ended_seen = ended;
	if (place && now > begun && now - begun >= LONG_NS) {
		bool known = add(sum, place, pus, 1) >= 0;
		if (known && (double)(now - begun) < GROWN * fg_curve_ns(sum, has))
			return place;
		fg_lesson_clear(&place->lesson);
		return NULL;
	}
	return own.looks_without < LOOKS_WITHOUT ? add_recent(sum, pus) : NULL;
}

static void
tell(void)
{
	fg_store_relaxed(&own.optimal, own.want.optimal);
	fg_store_relaxed(&own.best, own.want.best);
}

unsigned
fg_learnt_look(uint64_t now, bool in_region, unsigned pus, unsigned has, unsigned most)
{
	struct fg_curve sum = {0};
	fg_store_relaxed(&fg_learnt.runs, RUNS);
	if (in_region) {
		struct place *place = running(&sum, now, pus, has);
		if (place)
			fg_want_look(&own.want, now, &place->lesson, &sum, has, most);
		else
			fg_want_drop(&own.want);
		tell();
	}
	return own.want.best ? own.want.best : pus;
}

unsigned
fg_learnt_bound(unsigned pus)
{
	return fg_want_bound(&own.want, pus);
}

void
fg_learnt_alone(void)
{
	fg_want_drop(&own.want);
	tell();
}

void
fg_learnt_has(uint64_t now, unsigned pus, bool disturbed)
{
	uint64_t had;
	uint32_t changes;
	if (disturbed)
		fg_store_relaxed(&own.disturbed, now);
	if (pus == fg_load_relaxed(&own.pus))
		return;
	had_until(now, &had, &changes);
	fg_sequence_begin(&own.changes);
	fg_store_release(&own.had, had);
	fg_store_release(&own.changed, now);
	fg_store_release(&own.pus, pus);
	fg_sequence_end(&own.changes);
}

unsigned
fg_learnt_optimal(void)
{
	return fg_load_relaxed(&own.optimal);
}

unsigned
fg_learnt_best(void)
{
	return fg_load_relaxed(&own.best);
}

void
fg_learnt_after_fork(void)
{
	fg_store_relaxed(&fg_learnt.runs, 0);
	fg_store_relaxed(&fg_learnt.team, NULL);
	fg_store_relaxed(&own.at, NULL);
	own.want = (struct fg_want){0};
	tell();
}
