/* Pins (floor: team): see pin.h. */
#include "team/hints/pin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"
#include "base/carrier.h"
#include "base/log.h"
#include "base/options.h"
#include "exec/ground/options.h"
#include "exec/thread/identity.h"
#include "machine/pin_file.h"
#include "platform/code.h"
#include "platform/file.h"
#include "team/hints/guard.h"

#define PLACES 1024 /* regions that are known apart; a power of two */
/* The guard's anchor is given up after so many regions without it, and so many times the most of a pass before. */
#define SINCE_LEAST 64
#define SINCE_TIMES 8
#define NONE UINT32_MAX

bool fg_pins_on;

/* Of a layout of the file. The layouts of one size share `pus`. */
struct layout {
	const struct fg_pin_layout *from;
	uint16_t *pus, *slot_of;
	const struct layout *rest; /* of teams of this size without a layout of their own; NULL: there is none */
};

static struct {
	const char *path;
	struct fg_pin file;
	struct layout *layouts;
	unsigned n;
	bool has_size[FG_PIN_PUS + 1]; /* the file has a layout for a team of so many */
	struct place {
		struct fg_atomic_u64 region; /* with the size of the team */
		struct fg_atomic_u32 known;  /* number of the layout + 1; NONE: there is none */
		bool met;		     /* by the guarded root, before there was an anchor */
	} place[PLACES];
	/* The root whose passes the guard times: the first that has met a region with a layout of its own. The rest is
	 * its own, but for `by_default`, which any root may read. */
	struct fg_atomic_ptr guarded;
	struct fg_guard guard;
	const struct place *anchor; /* a pass is from one region of this code to the next */
	uint64_t begun;
	unsigned since, longest;	 /* regions since the anchor was met last; most of these between two meetings */
	struct fg_atomic_u32 by_default; /* 1: regions have the default now */
} pins;

static void
refuse(const char *why)
{
	fg_error("FGOMP_PIN=%s: %s; no thread is pinned", pins.path, why);
}

static int
by_number(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* The root's worker has slot 0, and member 0. */
static bool
make(struct layout *layout, const struct fg_pin_layout *from)
{
	unsigned size = from->size, i = 0;
	while (i < pins.n && pins.layouts[i].from->size != size)
		i++;
	layout->from = from;
	layout->pus = i < pins.n ? pins.layouts[i].pus : malloc(size * sizeof *layout->pus);
	layout->slot_of = calloc(size, sizeof *layout->slot_of);
	if (!layout->pus || !layout->slot_of)
		return false;
	if (i == pins.n) {
		memcpy(layout->pus, from->pu, size * sizeof *layout->pus);
		qsort(layout->pus + 1, size - 1, sizeof *layout->pus, by_number);
	}
	for (unsigned k = 1; k < size; k++)
		while (layout->pus[layout->slot_of[k]] != from->pu[k])
			layout->slot_of[k]++;
	return true;
}

static bool
make_all(void)
{
	unsigned n = 0;
	for (const struct fg_pin_layout *from = pins.file.first; from; from = from->next)
		n++;
	pins.layouts = calloc(n, sizeof *pins.layouts);
	for (const struct fg_pin_layout *from = pins.file.first; pins.layouts && from; from = from->next, pins.n++) {
		if (!make(&pins.layouts[pins.n], from))
			return false;
		pins.has_size[from->size] = true;
	}
	for (unsigned i = 0; i < pins.n; i++)
		for (unsigned k = 0; k < pins.n; k++)
			if (!pins.layouts[k].from->name[0] && pins.layouts[k].from->size == pins.layouts[i].from->size)
				pins.layouts[i].rest = &pins.layouts[k];
	return pins.layouts;
}

/* The file is of this machine, and of this mask. */
static bool
fits(void)
{
	struct fg_machine *machine = fg_machine_load(fg_options.topology, &fg_exec_options.cpus);
	bool right = machine && fg_pin_digest(machine) == pins.file.digest;
	if (machine)
		fg_machine_free(machine);
	return right;
}

void
fg_pins_start(const char *path)
{
	struct fg_file_view view;
	char why[160];
	pins.path = path;
	if (!fg_file_view_open(path, &view)) {
		refuse(strerror(errno));
		return;
	}
	char *text = view.bytes ? malloc(view.size + 1) : NULL;
	if (text) {
		memcpy(text, view.bytes, view.size);
		text[view.size] = '\0';
	}
	fg_file_view_close(&view);
	if (!text)
		refuse("it is empty, or there is no memory");
	else if (strlen(text) != view.size || !fg_pin_read(text, &pins.file, why, sizeof why))
		refuse(strlen(text) != view.size ? "it is no text" : why);
	else if (pins.file.pus != fg_exec_options.n_pus)
		refuse("it is of a machine, or a mask, with another number of PUs");
	else if (!fits())
		refuse("it is of another machine");
	else if (!make_all())
		refuse("there is no memory");
	else
		fg_pins_on = true;
	free(text);
}

/* Returns the number of the layout + 1, or NONE. The region's name is read outside of the runtime. */
static uint32_t
look_up(struct fg_identity *self, const void *region, unsigned size)
{
	char name[FG_PIN_NAME] = "";
	fg_leave(self);
	bool known = fg_code_name((uintptr_t)region, name, sizeof name);
	fg_enter(self);
	const struct fg_pin_layout *from = fg_pin_find(&pins.file, size, known ? name : "");
	for (uint32_t i = 0; from && i < pins.n; i++)
		if (pins.layouts[i].from == from)
			return i + 1;
	return NONE;
}

/* NULL: the table is full. */
static struct place *
place_of(uint64_t key)
{
	uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	for (unsigned tries = 0; tries < PLACES; tries++, at++) {
		struct place *place = &pins.place[at % PLACES];
		uint64_t found = fg_load_relaxed(&place->region);
		if (found == key || (!found && (fg_cas_relaxed(&place->region, &found, key) || found == key)))
			return place;
	}
	return NULL;
}

/* The anchor comes no more: it was a region that sets up data. The next one that comes again takes its place. */
static void
begin_anew(void)
{
	for (unsigned i = 0; i < PLACES; i++)
		pins.place[i].met = false;
	pins.guard = (struct fg_guard){.own = true};
	pins.anchor = NULL;
	pins.begun = 0;
	pins.since = 0;
	fg_store_relaxed(&pins.by_default, 0);
}

void
fg_pins_forget(const struct fg_root *root)
{
	if (!fg_pins_on || fg_load_relaxed(&pins.guarded) != root || pins.guard.over)
		return;
	begin_anew();
	fg_store_release(&pins.guarded, NULL);
}

/* A region with a layout of its own is met. True: it has the default now. The first that comes again is the anchor. */
static bool
guard(const struct fg_identity *self, struct place *place)
{
	void *nobody = NULL;
	const void *root = fg_load_relaxed(&pins.guarded);
	if (!root && fg_cas_acquire(&pins.guarded, &nobody, (void *)self->root)) {
		root = self->root;
		pins.guard.own = true;
	}
	if (root != self->root || !place || pins.guard.over)
		return fg_load_relaxed(&pins.by_default);
	if (!pins.anchor && place->met)
		pins.anchor = place;
	place->met = true;
	if (pins.anchor && place != pins.anchor && ++pins.since > SINCE_LEAST + SINCE_TIMES * pins.longest)
		begin_anew();
	if (place == pins.anchor) {
		pins.longest = pins.since > pins.longest ? pins.since : pins.longest;
		pins.since = 0;
		uint64_t now = fg_carrier->now();
		if (pins.begun)
			fg_guard_pass(&pins.guard, now - pins.begun);
		pins.begun = now;
		fg_store_relaxed(&pins.by_default, !pins.guard.own);
	}
	return fg_load_relaxed(&pins.by_default);
}

bool
fg_pins_seats(struct fg_identity *self, const void *region, unsigned size, struct fg_pin_seats *seats)
{
	if (size > FG_PIN_PUS || !pins.has_size[size])
		return false;
	struct place *place = place_of((uint64_t)size << 48 ^ (uint64_t)(uintptr_t)region);
	uint32_t known = place ? fg_load_acquire(&place->known) : 0;
	if (__builtin_expect(known == 0, 0)) {
		/* Where the table is full it is looked up each time: all teams of a size must have the same threads. */
		known = look_up(self, region, size);
		if (place)
			fg_store_release(&place->known, known);
	}
	if (known == NONE)
		return false;
	const struct layout *layout = &pins.layouts[known - 1];
	if (__builtin_expect(fg_options.pin_guard, 0) && layout->rest && layout->rest != layout && guard(self, place))
		layout = layout->rest;
	*seats = (struct fg_pin_seats){layout->slot_of, layout->pus};
	return true;
}
