/* Regions begin and end while a policy looks at the live tree (forest/live.c, forest/biased_lock.c).
 *
 * Sources: forest/check.c
 * With: floor
 */
#include "forest/live.h"
#include "forestgomp/sched.h"
#include "interleave/policies.h"

#define REGIONS 2

static struct fg_biased_side side[2];
static struct fg_live_thread notes[2]; /* of the thread that meets regions; of a member */
static struct fg_entity met_by, member;
static unsigned alive; /* plain: the region's own thread writes it where no policy may look */
static unsigned ordered, obeyed;

static void
setup_live(void)
{
	fg_membarrier_usable = false;
	setup();
	for (unsigned i = 0; i < 2; i++)
		fg_live_add(&side[i]);
	fg_live_list(&notes[0], &met_by);
	fg_live_list(&notes[1], &member);
}

static void
meets(void)
{
	for (unsigned i = 0; i < REGIONS; i++) {
		fg_bubble_init(&bubble, 2);
		bubble.entity.bubble = NULL;
		alive = 1;
		fg_live_begin(&notes[0], &met_by, &side[0], &bubble, 0);
		fg_live_end(&notes[0], &side[0], &bubble);
		obeyed = ordered; /* what a policy has written in a look before */
		alive = 0;
	}
}

/* It looks at a bubble as long as it has the lock. */
static void
looks(void)
{
	fg_live_lock();
	for (struct fg_bubble *one = fg_live_first_locked(NULL); one; one = fg_live_next_locked(one)) {
		model_assert(one == &bubble && alive == 1);
		ordered++;
		model_assert(fg_live_thread_locked(one, 0) == &met_by);
	}
	fg_live_unlock();
}

static void
check_live(void)
{
	model_assert(!notes[0].met && alive == 0);
}
MODEL_SCENARIO(live_ends, .setup = setup_live, .thread = {meets, looks}, .check = check_live,
	       .broken = MODEL_BROKEN("drop fg_fence_heavy:fence_seq_cst", "drop fg_biased_enter:store_relaxed",
				      "drop fg_biased_lock:store_relaxed", "weaken fg_biased_leave:store_release",
				      "weaken wait_for:load_acquire", "weaken fg_biased_unlock:store_release",
				      "weaken fg_biased_enter:load_acquire"));

/* The lock is even, because it was locked twice just now. A light fence orders the compiler alone, as where the kernel
 * makes the heavy ones. An even lock asks for none. */
static void
setup_even(void)
{
	setup_live();
	for (unsigned i = 0; i < 2; i++) {
		fg_live_lock();
		fg_live_unlock();
	}
	fg_membarrier_usable = true;
}

static void
check_even(void)
{
	fg_membarrier_usable = false;
	check_live();
}
MODEL_SCENARIO(live_even, .setup = setup_even, .thread = {meets, looks}, .check = check_even,
	       .broken = MODEL_BROKEN("drop fg_biased_lock:fence_seq_cst", "drop fg_biased_enter_slow:fence_seq_cst",
				      "drop fg_biased_enter:store_relaxed", "drop fg_biased_lock:store_relaxed",
				      "weaken fg_biased_leave:store_release", "weaken wait_for:load_acquire",
				      "weaken fg_biased_unlock:store_release"));

/* It becomes even at the first look. */
static void
setup_becomes_even(void)
{
	setup_live();
	fg_live_lock();
	fg_live_unlock();
}

static void
looks_twice(void)
{
	looks();
	looks();
}
MODEL_SCENARIO(live_becomes_even, .setup = setup_becomes_even, .thread = {meets, looks_twice}, .check = check_live,
	       .broken = MODEL_BROKEN("drop fg_fence_heavy:fence_seq_cst", "drop fg_biased_lock:fence_seq_cst"));

/* It was even and has not been locked for long, so the next entry makes it biased. A look may come before, meanwhile or
 * afterwards. Fences are full ones here, as where the kernel makes none. */
static uint64_t
long_after(void)
{
	return UINT64_C(1000000000);
}

static void
setup_becomes_biased(void)
{
	static struct fg_carrier carrier;
	setup_even();
	fg_membarrier_usable = false;
	side[0].turns = UINT16_MAX; /* it looks at the time at once */
	carrier = model_carrier;
	carrier.now = long_after;
	fg_carrier = &carrier;
}
MODEL_SCENARIO(live_becomes_biased, .setup = setup_becomes_biased, .thread = {meets, looks_twice}, .check = check_live,
	       .broken = MODEL_BROKEN("drop fg_fence_heavy:fence_seq_cst", "drop fg_spinlock_trylock:cas_acquire"));

/* A member begins and ends. The thread that has met the region waits for its reference to be dropped, then ends the
 * region. */
static void
meets_one(void)
{
	fg_bubble_init(&bubble, 2);
	bubble.entity.bubble = NULL;
	alive = 1;
	fg_live_begin(&notes[0], &met_by, &side[0], &bubble, 0);
	fg_store_release(&over, 1);
	while (fg_load_acquire(&bubble.unfinished) != 1)
		fg_carrier->pause();
	fg_live_end(&notes[0], &side[0], &bubble);
	alive = 0;
}

static void
is_member(void)
{
	while (!fg_load_acquire(&over))
		fg_carrier->pause();
	fg_live_member_begin(&notes[1], &member, &bubble, 1);
	if (model_broken("late note"))
		fg_sub_acq_rel(&bubble.unfinished, 1);
	fg_live_member_end(&notes[1], &member);
	if (!model_broken("late note"))
		fg_sub_acq_rel(&bubble.unfinished, 1);
}

/* A bubble that a member notes exists, although it may not be in this tree. */
static void
looks_for_members(void)
{
	fg_live_lock();
	struct fg_bubble *in = fg_load_acquire(&notes[1].in);
	model_assert(!in || alive == 1);
	fg_live_unlock();
}
MODEL_SCENARIO(live_members, .setup = setup_live, .thread = {meets_one, is_member, looks_for_members},
	       .check = check_live, .broken = MODEL_BROKEN("fault late note"));
