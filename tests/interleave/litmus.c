/* Litmus tests: does the checker's memory behave as C11 says? Those with `finds` show an outcome that C11 permits. */
#include "model.h"

static struct fg_atomic_u32 x, y, flag;
static uint32_t r[6];
static uint32_t data;

/* Store buffering: both may read 0, unless seq_cst fences lie between. */
static void sb0(void) { fg_store_release(&x, 1); r[0] = fg_load_acquire(&y); }
static void sb1(void) { fg_store_release(&y, 1); r[1] = fg_load_acquire(&x); }
static void sb_check(void) { model_assert(r[0] || r[1]); }
MODEL_SCENARIO(store_buffering, .thread = {sb0, sb1}, .check = sb_check, .finds = "is false");

static void sbf0(void) { fg_store_relaxed(&x, 1); fg_fence_seq_cst(); r[0] = fg_load_relaxed(&y); }
static void sbf1(void) { fg_store_relaxed(&y, 1); fg_fence_seq_cst(); r[1] = fg_load_relaxed(&x); }
MODEL_SCENARIO(store_buffering_fences, .thread = {sbf0, sbf1}, .check = sb_check,
	.broken = MODEL_BROKEN("weaken sbf0:fence_seq_cst", "weaken sbf1:fence_seq_cst"));

static void sbs0(void) { fg_store_seq_cst(&x, 1); r[0] = fg_load_seq_cst(&y); }
static void sbs1(void) { fg_store_seq_cst(&y, 1); r[1] = fg_load_seq_cst(&x); }
MODEL_SCENARIO(store_buffering_seq_cst, .thread = {sbs0, sbs1}, .check = sb_check,
	.broken = MODEL_BROKEN("weaken sbs0:store_seq_cst", "weaken sbs1:load_seq_cst"));

/* A fence on one side and seq_cst operations on the other: forbidden, too. */
MODEL_SCENARIO(store_buffering_mixed, .thread = {sbf0, sbs1}, .check = sb_check,
	.broken = MODEL_BROKEN("weaken sbf0:fence_seq_cst", "weaken sbs1:load_seq_cst"));

/* An exchange that releases and acquires is no fence, so both may read 0. */
static void sbx0(void) { (void)fg_exchange_acq_rel(&x, 1); r[0] = fg_load_acquire(&y); }
static void sbx1(void) { (void)fg_exchange_acq_rel(&y, 1); r[1] = fg_load_acquire(&x); }
MODEL_SCENARIO(store_buffering_exchange, .thread = {sbx0, sbx1}, .check = sb_check,
	.finds = "is false");

/* Message passing, with plain data. */
static void mp0(void) { data = 42; fg_store_release(&flag, 1); }
static void mp1(void) { if (fg_load_acquire(&flag)) model_assert(data == 42); }
MODEL_SCENARIO(message_passing, .thread = {mp0, mp1},
	.broken = MODEL_BROKEN("weaken mp0:store_release", "weaken mp1:load_acquire"));

static void mpf0(void) { data = 42; fg_fence_release(); fg_store_relaxed(&flag, 1); }
static void mpf1(void) { if (fg_load_relaxed(&flag)) { fg_fence_acquire(); model_assert(data == 42); } }
MODEL_SCENARIO(message_passing_fences, .thread = {mpf0, mpf1},
	.broken = MODEL_BROKEN("weaken mpf0:fence_release", "weaken mpf1:fence_acquire"));

/* The release sequence goes on through a read-modify-write of a third thread, but not through its plain store. */
static void rs1(void) { if (fg_add_relaxed(&flag, 1) == 2) model_fail("impossible"); }
static void rs2(void) { if (fg_load_acquire(&flag) == 2) model_assert(data == 42); }
MODEL_SCENARIO(release_sequence, .thread = {mp0, rs1, rs2},
	.broken = MODEL_BROKEN("weaken mp0:store_release", "weaken rs2:load_acquire"));
static void rss1(void) { if (fg_load_relaxed(&flag) == 1) fg_store_relaxed(&flag, 2); }
MODEL_SCENARIO(release_sequence_store, .thread = {mp0, rss1, rs2}, .finds = "data race");

/* Independent reads of independent writes: the readers may disagree unless all accesses are seq_cst. */
static void iriw0(void) { fg_store_seq_cst(&x, 1); }
static void iriw1(void) { fg_store_seq_cst(&y, 1); }
static void iriw2(void) { r[0] = fg_load_seq_cst(&x); r[1] = fg_load_seq_cst(&y); }
static void iriw3(void) { r[2] = fg_load_seq_cst(&y); r[3] = fg_load_seq_cst(&x); }
static void iriw_check(void) { model_assert(!(r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0)); }
MODEL_SCENARIO(iriw, .thread = {iriw0, iriw1, iriw2, iriw3}, .check = iriw_check,
	.broken = MODEL_BROKEN("weaken iriw2:load_seq_cst", "weaken iriw3:load_seq_cst"));

static void iriwf0(void) { fg_store_relaxed(&x, 1); }
static void iriwf1(void) { fg_store_relaxed(&y, 1); }
static void iriwf2(void) { r[0] = fg_load_relaxed(&x); fg_fence_seq_cst(); r[1] = fg_load_relaxed(&y); }
static void iriwf3(void) { r[2] = fg_load_relaxed(&y); fg_fence_seq_cst(); r[3] = fg_load_relaxed(&x); }
MODEL_SCENARIO(iriw_fences, .thread = {iriwf0, iriwf1, iriwf2, iriwf3}, .check = iriw_check,
	.broken = MODEL_BROKEN("weaken iriwf2:fence_seq_cst", "drop iriwf3:fence_seq_cst"));

/* Coherence: no thread sees one location go back. */
static void co0(void) { fg_store_relaxed(&x, 1); fg_store_relaxed(&x, 2); }
static void co1(void) { r[0] = fg_load_relaxed(&x); r[1] = fg_load_relaxed(&x); model_assert(r[0] <= r[1]); }
static void co2(void)
{
	r[2] = fg_load_relaxed(&x);
	fg_store_release(&y, 1 + r[2]);
}
static void co3(void)
{
	uint32_t told = fg_load_acquire(&y);
	if (told)
		model_assert(fg_load_relaxed(&x) >= told - 1); /* a read that happens before */
}
MODEL_SCENARIO(coherence, .thread = {co0, co1, co2, co3},
	.broken = MODEL_BROKEN("weaken co3:load_acquire", "weaken co2:store_release"));
static void
stale1(void)
{
	r[0] = fg_load_relaxed(&y);
	r[1] = fg_load_relaxed(&x);
	model_assert(!(r[0] == 1 && r[1] == 0));
}
static void stale0(void) { fg_store_relaxed(&x, 1); fg_store_relaxed(&y, 1); }
MODEL_SCENARIO(stale_read, .thread = {stale0, stale1}, .finds = "is false");

/* Dekker's entry: at most one thread enters. */
static void dekker0(void) { fg_store_relaxed(&x, 1); fg_fence_seq_cst(); if (!fg_load_relaxed(&y)) { data++; } }
static void dekker1(void) { fg_store_relaxed(&y, 1); fg_fence_seq_cst(); if (!fg_load_relaxed(&x)) { data++; } }
MODEL_SCENARIO(dekker, .thread = {dekker0, dekker1},
	.broken = MODEL_BROKEN("weaken dekker0:fence_seq_cst", "drop dekker1:fence_seq_cst"));

/* The sleeper of a worker announces, looks again and sleeps. The waker gives work, makes a fence and looks at the
 * announcement. */
static struct fg_atomic_u32 epoch, asleep;
static void sleeper(void)
{
	fg_store_relaxed(&asleep, 1);
	fg_fence_seq_cst();
	if (fg_load_relaxed(&epoch) == 0)
		while (fg_load_relaxed(&asleep))
			fg_carrier->wait(&asleep, 1, 0);
	fg_store_relaxed(&asleep, 0);
}
static void waker(void)
{
	fg_store_release(&epoch, 1);
	fg_fence_seq_cst();
	if (fg_load_relaxed(&asleep)) {
		fg_store_relaxed(&asleep, 0);
		fg_carrier->wake(&asleep, 1);
	}
}
MODEL_SCENARIO(lost_wakeup, .thread = {sleeper, waker},
	       .broken = MODEL_BROKEN("weaken waker:fence_seq_cst", "weaken sleeper:fence_seq_cst", "drop wake",
				      "drop waker:store_relaxed"));

/* Spinning ends when the flag comes. A value that never comes is a livelock. */
static void spin0(void) { while (!fg_load_acquire(&flag)) fg_carrier->pause(); model_assert(data == 42); }
MODEL_SCENARIO(spin, .thread = {spin0, mp0, spin0},
	.broken = MODEL_BROKEN("drop mp0:store_release", "weaken spin0:load_acquire"));
/* Two threads that take turns in writing do not starve the third. */
static void rude(void) { while (fg_exchange_acq_rel(&x, 1) != 0) fg_carrier->pause(); fg_store_release(&x, 0); }
static void rude_setup(void) { fg_store_relaxed(&x, 1); }
static void polite(void) { fg_store_release(&x, 0); }
MODEL_SCENARIO(fairness, .setup = rude_setup, .thread = {rude, rude, polite},
	.broken = MODEL_BROKEN("drop polite:store_release"));

/* Plain memory. */
static void race0(void) { data++; }
MODEL_SCENARIO(data_race, .thread = {race0, race0}, .finds = "data race");
