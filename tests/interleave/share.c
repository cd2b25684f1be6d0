/* Programs on a board (share/entry.h): entries that are taken, lost after a stop and left, and looks of one program
 * while another one comes. `forestgomp limit` at each step of a look, and of an entry's change of owner.
 *
 * With: no_board
 * Sources: machine/cpuset.c share/choice.c share/distance.c share/entry.c share/fair.c share/message.c share/own_set.c
 * Sources: share/served.c share/set.c share/share.c share/curve.c share/learnt.c share/lesson.c share/want.c
 * Sources: share/tokens.c
 */
#include "interleave/model.h"
#include "interleave/caches.h"
#include "share/entry.h"
#include "share/own_set.h"
#include "share/share.h"

#define S UINT64_C(1000000000)
#define PUS 2

static struct fg_board board;
static struct fg_cpuset cpus = {{3}};
static const struct fg_fair_entry full = {PUS * 1000, FG_FAIR_WEIGHT};
static const struct fg_share_state active = {.in_region = true, .busy = PUS, .pus = PUS};
static uint64_t word[3], start;
static unsigned at[3];

static void
take(unsigned program, uint64_t now)
{
	bool others;
	word[program] = fg_entry_word((int)program + 1, now);
	at[program] = fg_entry_take(&board, word[program], now, fg_entry_pack(&full), &others);
	model_assert(at[program] != FG_ENTRY_NONE);
}

/* A look of a program in its region. */
static void
tell(unsigned program, uint64_t now)
{
	if (!model_broken("no look") && !fg_entry_is_own(&board, at[program], word[program]))
		take(program, now);
	fg_entry_tell(&board, at[program], now, &full, &cpus);
}

static void
newcomer(unsigned program)
{
	take(program, start);
	tell(program, start);
}

static void
first(void)
{
	newcomer(0);
}

static void
second(void)
{
	newcomer(1);
}

static void
third(void)
{
	newcomer(2);
}

/* Nobody has lost a young entry. */
static void
check_own(void)
{
	for (unsigned i = 0; i < 3; i++)
		model_assert(!word[i] || fg_entry_is_own(&board, at[i], word[i]));
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < i; k++)
			model_assert(!word[i] || !word[k] || at[i] != at[k]);
}

static void
setup_empty(void)
{
	start = 100 * S;
}

MODEL_SCENARIO(share_two, .setup = setup_empty, .thread = {first, second}, .check = check_own,
	       .broken = MODEL_BROKEN("drop take:cas_release", "weaken take:cas_release",
				      "weaken becomes_free:load_acquire"));
MODEL_SCENARIO(share_three, .setup = setup_empty, .thread = {first, second, third}, .check = check_own,
	       .broken = MODEL_BROKEN("drop take:cas_release"));

/* The first program was stopped for eleven seconds. Its entry is old, so a newcomer may have it. */
static void
setup_stopped(void)
{
	start = 100 * S;
	newcomer(0);
	start += 11 * S;
}

static void
goes_on(void)
{
	tell(0, start);
}

/* It looks again, and has an entry that is nobody else's. */
static void
check_resumed(void)
{
	tell(0, start + 1);
	check_own();
}

MODEL_SCENARIO(share_stopped, .setup = setup_stopped, .thread = {goes_on, second}, .check = check_resumed,
	       .broken = MODEL_BROKEN("fault no look", "drop take:cas_release"));
MODEL_SCENARIO(share_stopped_three, .setup = setup_stopped, .thread = {goes_on, second, third}, .check = check_resumed,
	       .broken = MODEL_BROKEN("fault no look"));

/* It goes on: it looks, and then it ends. */
static void
ends(void)
{
	tell(0, start);
	if (model_broken("frees blindly"))
		fg_store_relaxed(&board.entry[at[0]].taken, 0);
	else
		fg_entry_leave(&board, at[0], word[0]);
}

static void
check_left(void)
{
	for (unsigned i = 0; i < 4; i++)
		model_assert(!fg_entry_is_own(&board, i, word[0])); /* it has left nothing behind */
	model_assert(fg_entry_is_own(&board, at[1], word[1]));
}

MODEL_SCENARIO(share_left, .setup = setup_stopped, .thread = {ends, second}, .check = check_left,
	       .broken = MODEL_BROKEN("drop fg_entry_leave:cas_relaxed", "fault frees blindly"));

/* The first program is this process. It looks while another one takes the entry of a third, which was killed. */
static void
setup_looks(void)
{
	struct fg_fair_entry killed = {1, 1};
	start = 50 * S;
	newcomer(2);
	fg_entry_tell(&board, at[2], start, &killed, &cpus);
	fg_store_relaxed(&fg_sharing.board, &board);
	fg_share_look(start + S, &active, &cpus); /* it takes an entry of its own */
	start = 100 * S;
	fg_share_look(start, &active, &cpus);
	model_assert(at[2] == 0 && fg_load_relaxed(&fg_sharing.limit) == 0);
}

static void
comes(void)
{
	newcomer(1);
	fg_add_release(&board.changes, 1);
}

/* A look that has seen the change has seen the entry, and what its new owner tells. */
static void
looks(void)
{
	uint32_t before = fg_load_relaxed(&fg_sharing.seen);
	for (unsigned i = 0; i < 2; i++) {
		unsigned limit = fg_share_look(start, &active, &cpus);
		model_assert(limit == 1 || limit == PUS);
		if (fg_load_relaxed(&fg_sharing.seen) != before)
			model_assert(limit == 1 && fg_load_relaxed(&fg_sharing.limit) == 1);
	}
	model_assert(fg_load_relaxed(&fg_sharing.company) == FG_COMPANY_NOW);
}

/* Whoever finds the stamp young finds the words of the entry's new owner, not those of the killed one. */
static void
reads(void)
{
	static struct fg_fair_entry entries[FG_BOARD_ENTRIES];
	unsigned place;
	bool others;
	unsigned n = fg_entry_read(&board, 1, start, &cpus, entries, &place, &others);
	for (unsigned i = 0; i < n; i++)
		model_assert(entries[i].demand == full.demand && entries[i].weight == full.weight);
}

/* This program waits outside of regions, and comes back. */
static void
rests(void)
{
	fg_share_rest(start);
	fg_share_return(start + 1);
}

static bool
is_active(uint64_t now)
{
	static struct fg_fair_entry entries[FG_BOARD_ENTRIES];
	unsigned place;
	bool others;
	return fg_entry_read(&board, FG_ENTRY_NONE, now, &cpus, entries, &place, &others) != 0;
}

/* A program that sees the first change finds that this one is not active, and active again after the second one. Its
 * entry is never old, so nobody may have it. */
static void
sees(void)
{
	uint32_t before = 2; /* this program has become active twice */
	uint32_t changes = fg_load_acquire(&board.changes);
	bool active = is_active(start + 1);
	if (changes == before + 1 && fg_load_relaxed(&board.changes) == changes)
		model_assert(!active || fg_load_acquire(&board.entry[1].stamp) == start + 1);
	if (changes == before + 2)
		model_assert(active);
	model_assert(start - fg_load_relaxed(&board.entry[1].stamp) + 1 < FG_ENTRY_OLD_NS);
}

static void
check_returned(void)
{
	model_assert(is_active(start + 1) && fg_load_relaxed(&board.changes) == 4);
}

MODEL_SCENARIO(share_rests, .setup = setup_looks, .thread = {rests, sees}, .check = check_returned,
	       .broken = MODEL_BROKEN("weaken announce:add_release", "weaken sees:load_acquire"));
MODEL_SCENARIO(share_looks, .setup = setup_looks, .thread = {looks, comes},
	       .broken = MODEL_BROKEN("weaken look:load_acquire", "weaken comes:add_release"));
MODEL_SCENARIO(share_read, .setup = setup_looks, .thread = {reads, comes},
	       .broken = MODEL_BROKEN("weaken take:store_release", "weaken fg_entry_tell:store_release",
				      "weaken fg_entry_read:load_acquire"));

static void
remember(unsigned entry)
{
	at[0] = entry;
	word[0] = fg_load_relaxed(&board.entry[entry].taken);
	model_assert(word[0] != 0);
}

/* The process is alone on the board, and has looked once. */
static void
setup_alone(void)
{
	fg_store_relaxed(&fg_sharing.board, &board);
	start = 100 * S;
	model_assert(fg_share_look(start, &active, &cpus) == PUS);
	remember(0);
}

static void
limits(void)
{
	fg_entry_limit(&board, at[0], word[0], 1);
}

/* A look that has seen the change has heard the limit. */
static void
looks_limited(void)
{
	uint32_t before = fg_load_relaxed(&fg_sharing.seen);
	for (unsigned i = 0; i < 2; i++) {
		unsigned granted = fg_share_look(start, &active, &cpus);
		model_assert(granted == (fg_load_relaxed(&fg_sharing.limit) ? 1 : PUS));
		if (fg_load_relaxed(&fg_sharing.seen) != before)
			model_assert(granted == 1 && fg_load_relaxed(&fg_sharing.company) != FG_COMPANY_NONE);
	}
}

/* It claims no more than it may use. */
static void
check_limited(void)
{
	model_assert(fg_share_look(start, &active, &cpus) == 1 && fg_share_look(start, &active, &cpus) == 1);
	model_assert(fg_entry_unpack(fg_load_relaxed(&board.entry[at[0]].told)).demand <= 1000);
}

MODEL_SCENARIO(share_limit, .setup = setup_alone, .thread = {looks_limited, limits}, .check = check_limited,
	       .broken = MODEL_BROKEN("weaken look:load_acquire", "weaken fg_entry_limit:add_release",
				      "drop fg_entry_limit:store_relaxed"));

/* The limit is set, changed and taken back while the process looks. */
static void
limits_and_ends(void)
{
	limits();
	fg_entry_limit(&board, at[0], word[0], 2);
	fg_entry_limit(&board, at[0], word[0], 0);
}

static void
looks_at_changes(void)
{
	uint32_t before = fg_load_relaxed(&fg_sharing.seen);
	for (unsigned i = 0; i < 3; i++) {
		unsigned granted = fg_share_look(start, &active, &cpus);
		model_assert(granted == 1 || granted == PUS);
		if (fg_load_relaxed(&fg_sharing.seen) >= before + 2)
			model_assert(granted == PUS);
	}
}

static void
check_free(void)
{
	model_assert(fg_share_look(start, &active, &cpus) == PUS && fg_load_relaxed(&fg_sharing.limit) == 0);
}

MODEL_SCENARIO(share_limit_changes, .setup = setup_alone, .thread = {looks_at_changes, limits_and_ends},
	       .check = check_free,
	       .broken = MODEL_BROKEN("weaken look:load_acquire", "weaken fg_entry_limit:add_release"));

/* The process was stopped for eleven seconds, and its entry is old. It is limited while another one takes the entry. */
static void
setup_limit_lost(void)
{
	setup_alone();
	start += 11 * S;
}

static void
goes_on_limited(void)
{
	unsigned granted = fg_share_look(start, &active, &cpus);
	model_assert(granted == 1 || granted == PUS);
}

/* The next owner of the entry is free. */
static void
check_next_owner(void)
{
	unsigned limit = model_broken("no name") ? (uint16_t)fg_load_relaxed(&board.entry[at[1]].limit)
						 : fg_entry_limit_of(&board, at[1], word[1], 0);
	model_assert(limit == 0);
}

MODEL_SCENARIO(share_limit_late, .setup = setup_limit_lost, .thread = {goes_on_limited, second, limits},
	       .check = check_next_owner, .broken = MODEL_BROKEN("fault no name"));

/* It was limited before the stop, and had not looked since. It brings its limit to its new entry. */
static void
setup_limit_kept(void)
{
	setup_alone();
	limits();
	start += 11 * S;
}

static void
check_kept(void)
{
	unsigned found = 0;
	fg_share_look(start, &active, &cpus);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t taken = fg_load_relaxed(&board.entry[i].taken);
		if (i == at[1] || !taken)
			continue;
		model_assert(fg_entry_limit_of(&board, i, taken, 0) == 1);
		found++;
	}
	model_assert(found == 1);
}

MODEL_SCENARIO(share_limit_kept, .setup = setup_limit_kept, .thread = {goes_on_limited, second}, .check = check_kept,
	       .broken = MODEL_BROKEN("drop fg_entry_limit:store_relaxed"));

/* ---- sets ---- */

/* The second program, which came first, moves from one cache to the other. A look of this one may see neither in use,
 * either, or both. Its set is on its PUs whatever it sees, and once more it looks it keeps clear of the other. */
static const struct fg_cpuset caches[2] = {{{3}}, {{12}}}, all = {{15}};

static void
setup_sets(void)
{
	start = 100 * S;
	take(1, start);
	take(0, start);
	model_assert(at[1] < at[0]);
	tell(1, start);
	fg_own_set.on = true;
	model_assert(fg_own_set_keep(caches_machine()));
	fg_store_relaxed(&board.entry[at[1]].set[0], caches[0].bits[0]);
}

static void
moves(void)
{
	fg_entry_tell_set(&board, at[1], model_broken("tells half") ? &all : &caches[1]);
}

static void
look_for_set(void)
{
	struct fg_own_request request = {2, 0, &all};
	struct fg_cpuset set = all;
	model_assert(fg_own_set_look(&board, at[0], start, &request) <= 2);
	fg_own_set_narrow(&set);
	model_assert(fg_cpuset_count(&set) >= 1 && fg_cpuset_count(&set) <= 2);
}

static void
settles(void)
{
	look_for_set();
	model_assert(fg_own_set_binds() && fg_own_set_has(0) && fg_own_set_has(1));
}

MODEL_SCENARIO(share_set_moves, .setup = setup_sets, .thread = {look_for_set, moves}, .check = settles,
	       .broken = MODEL_BROKEN("drop fg_entry_tell_set:store_relaxed", "fault tells half"));

/* An entry changes its owner. The next one has no set before it has told one. */
static void
setup_set_left(void)
{
	setup_stopped();
	fg_store_relaxed(&board.entry[at[0]].set[0], caches[0].bits[0]);
}

static void
check_set_left(void)
{
	struct fg_cpuset lower, others;
	fg_entry_read_sets(&board, FG_ENTRY_NONE, start, &lower, &others);
	model_assert(fg_cpuset_count(&others) == 0);
}

MODEL_SCENARIO(share_set_left, .setup = setup_set_left, .thread = {second, third}, .check = check_set_left,
	       .broken = MODEL_BROKEN("drop fg_entry_tell_set:store_relaxed"));
