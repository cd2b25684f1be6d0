/* Share (floor: share): see share.h. */
#include "share/share.h"

#include <string.h>

#include "base/log.h"
#include "platform/clock.h"
#include "platform/float.h"
#include "platform/private_file.h"
#include "platform/process.h"
#include "platform/sandbox.h"
#include "share/fair.h"
#include "share/entry.h"
#include "share/learnt.h"
#include "share/own_set.h"
#include "share/served.h"
#include "share/tokens.h"

#define LEFT_NS 4000000	     /* two looks: a program that was in no region for so long says that it is not active */
#define COMPANY_NS 100000000 /* others that were active, or may be, are looked for so long */

struct fg_sharing fg_sharing;

/* The look alone writes these, and the join before there are looks. */
static struct {
	char folder[FG_BOARD_FOLDER];
	uint64_t word; /* in `taken` of our entry */
	unsigned entry;
	uint64_t stamped; /* our last stamp */
	bool rests;	  /* it was active until a wait outside of regions */
	uint64_t looked;
	uint64_t company;		 /* when another program was last active, or may have been */
	struct fg_atomic_u64 restrained; /* ns */
	unsigned granted;		 /* at the last look */
	unsigned most;			 /* PUs, by `forestgomp limit`; 0: any number */
	uint64_t used, lost;		 /* ns of PUs, for people */
	bool has_company;		 /* other programs were active at the last look */
	bool crowded;			 /* they need the PUs that this program has, too */
	unsigned uses;			 /* its set leaves the rest of the share to others; 0: no such set */
	unsigned share;			 /* at the last look, whatever it uses of that */
	unsigned asks;			 /* by what its regions have shown (learnt.h); 0: for all */
	struct fg_fair_entry told;
	struct fg_fair_entry entries[FG_BOARD_ENTRIES]; /* room for a look */
} own = {.entry = FG_ENTRY_NONE, .told.weight = FG_FAIR_WEIGHT};

void
fg_share_start(const char *runtime_folder)
{
	size_t length = runtime_folder ? strlen(runtime_folder) : 0;
	if (length < sizeof own.folder)
		memcpy(own.folder, runtime_folder ? runtime_folder : "", length + 1);
	fg_sharing.on = fg_own_set.on = true;
}

static bool
take(struct fg_board *board, uint64_t now)
{
	bool others;
	own.word = fg_entry_word(fg_process_id(), now);
	own.entry = fg_entry_take(board, own.word, now, fg_entry_pack(&own.told), &others);
	if (others)
		own.company = now;
	return others;
}

/* The others must see that this program is active. Returns the number of changes. */
static uint32_t
announce(struct fg_board *board)
{
	return fg_add_release(&board->changes, 1) + 1;
}

static struct fg_board *
open_board(const char **why)
{
	if (fg_sandbox_allows(FG_SANDBOX_FILES) && fg_sandbox_allows(FG_SANDBOX_BOARD))
		return fg_board_open(own.folder, why);
	*why = "a sandbox may forbid it";
	return NULL;
}

static void
show(struct fg_board *board, const struct fg_share_state *state)
{
	struct fg_entry_look look = {own.granted, state->busy, state->pus, state->bound, fg_served_pus() != 0};
	if (state->in_region && own.entry != FG_ENTRY_NONE)
		fg_entry_show(board, own.entry, &look, own.used, own.lost);
}

bool
fg_share_join(unsigned pus, bool bound, const struct fg_cpuset *cpus)
{
	const char *why;
	if (!fg_sharing.on || fg_load_relaxed(&fg_sharing.asked) || fg_exchange_acq_rel(&fg_sharing.asked, 1))
		return false;
	struct fg_board *board = open_board(&why);
	if (!board) {
		fg_note("this program shares its PUs with no other: %s", why);
		return false;
	}
	uint64_t now = fg_clock_ns(CLOCK_MONOTONIC);
	own.told = (struct fg_fair_entry){pus * 1000, fg_fair_weight(fg_private_nice())};
	own.looked = own.stamped = now;
	own.granted = pus;
	bool others = take(board, now);
	if (own.entry == FG_ENTRY_NONE) {
		fg_note("this program shares its PUs with no other: %u programs are there already", FG_BOARD_ENTRIES);
		fg_board_close(board);
		return false;
	}
	fg_entry_tell(board, own.entry, now, &own.told, cpus);
	show(board, &(struct fg_share_state){.in_region = true, .bound = bound, .busy = pus, .pus = pus});
	fg_store_relaxed(&fg_sharing.seen, announce(board));
	fg_own_set_join(others);
	fg_tokens_join();
	others |= fg_serving.on || fg_tokens_on();
	fg_store_relaxed(&fg_sharing.company, others ? FG_COMPANY_NEXT : FG_COMPANY_NONE);
	fg_store_release(&fg_sharing.board, board);
	return others;
}

/* A limit by `forestgomp limit` may have come. */
static void
hear(struct fg_board *board, const struct fg_share_state *state)
{
	if (!state->bound && own.entry != FG_ENTRY_NONE)
		own.most = fg_entry_limit_of(board, own.entry, own.word, own.most);
}

/* Nobody else need leave PUs to it that it may not use, or does not ask for. */
static struct fg_fair_entry
claim(void)
{
	struct fg_fair_entry told = own.told;
	unsigned next = fg_tokens_next(), most = own.most && own.most < next ? own.most : next;
	if (own.asks && own.asks < most)
		most = own.asks;
	if (told.demand > most * 1000)
		told.demand = most * 1000;
	return told;
}

/* How many PUs do the regions make use of? A program that is alone, or bound, does not ask. */
static void
ask(uint64_t now, const struct fg_share_state *state)
{
	own.asks = 0;
	if (own.has_company && !state->bound)
		own.asks = fg_learnt_look(now, state->in_region, state->pus, own.granted, own.share);
	else
		fg_learnt_alone();
}

static void
replace(struct fg_board *board, uint64_t now, const struct fg_share_state *state)
{
	hear(board, state);
	take(board, now);
	if (own.most && own.entry != FG_ENTRY_NONE)
		fg_entry_limit(board, own.entry, own.word, own.most);
}

/* The process is in a region. An entry that was lost while the process was stopped, or alone for long, is replaced. */
static void
tell(struct fg_board *board, uint64_t now, const struct fg_share_state *state, const struct fg_cpuset *cpus)
{
	bool was_active = now - own.stamped < FG_ENTRY_YOUNG_NS;
	own.stamped = now;
	own.rests = false;
	if (own.entry == FG_ENTRY_NONE || !fg_entry_is_own(board, own.entry, own.word)) {
		replace(board, now, state);
		was_active = false;
	}
	struct fg_fair_entry told = claim();
	fg_served_tell(fg_entry_pack(&told), state->outside);
	if (own.uses && told.demand > own.uses * 1000)
		told.demand = own.uses * 1000;
	if (own.entry != FG_ENTRY_NONE)
		fg_entry_tell(board, own.entry, now, &told, cpus);
	if (!was_active) {
		own.company = now; /* others that are active may not know it yet, and not stamp */
		announce(board);
	}
}

/* The share among the active programs; `pus`: there is none but this one. *others: there are other entries. */
static unsigned
share(struct fg_board *board, uint64_t now, const struct fg_share_state *state, const struct fg_cpuset *cpus,
      bool *others)
{
	unsigned place, n = fg_entry_read(board, own.entry, now, cpus, own.entries, &place, others);
	own.has_company = n != 0;
	own.crowded = n >= state->pus || state->outside;
	fg_store_relaxed(&fg_sharing.crowd, (n + 1) / state->pus);
	if (n == 0 && !state->outside)
		return state->pus;
	if (n)
		own.company = now;
	memmove(own.entries + place + 1, own.entries + place, (n - place) * sizeof *own.entries);
	own.entries[place] = claim();
	return fg_fair_share(state->pus, state->outside, own.entries, n + 1, place);
}

/* Adds up the time since the last look. Before a late one the process was outside of regions, or alone. */
static void
count(uint64_t passed, const struct fg_share_state *state)
{
	unsigned wanted = state->busy, used = wanted < own.granted ? wanted : own.granted;
	if (!state->in_region || passed >= FG_ENTRY_YOUNG_NS)
		return;
	if (fg_load_relaxed(&fg_sharing.limit))
		fg_store_relaxed(&own.restrained, fg_load_relaxed(&own.restrained) + passed);
	own.used += passed * used;
	own.lost += passed * (wanted - used);
}

/* Which of the granted PUs it uses, and how many. After a region the set stays as long as the stamp. */
static unsigned
choose_set(struct fg_board *board, uint64_t now, const struct fg_share_state *state, const struct fg_cpuset *cpus,
	   unsigned granted)
{
	if (!state->in_region)
		return granted;
	own.uses = 0;
	if (own.entry == FG_ENTRY_NONE || now - own.company >= COMPANY_NS) {
		fg_own_set_forget(board, own.entry);
		return granted;
	}
	if (!own.has_company || granted >= state->pus) {
		fg_own_set_pause();
		return granted;
	}
	struct fg_own_request request = {granted, state->root, cpus};
	unsigned uses = fg_own_set_look(board, own.entry, now, &request);
	own.uses = uses < granted ? uses : 0;
	return uses;
}

/* The server knows of all programs but those on the board that have none. Beside these the smaller number counts. */
static unsigned
serve(struct fg_board *board, uint64_t now, const struct fg_share_state *state, const struct fg_cpuset *cpus,
      unsigned granted)
{
	unsigned served = fg_served_pus();
	if (!served)
		return granted;
	if (fg_entry_is_unserved(board, own.entry, now, cpus))
		return served < granted ? served : granted;
	return served < state->pus ? served : state->pus;
}

/* Tokens are for PUs that the program keeps busy, and one more: make's other jobs may use the rest. */
static unsigned
needs(unsigned granted, unsigned busy)
{
	unsigned need = own.told.demand > 1000 ? (own.told.demand + 999) / 1000 : 1;
	if (need > busy + 1)
		need = busy + 1;
	return need < granted ? need : granted;
}

/* The PUs by the other entries or the server, and by `forestgomp limit`. */
static unsigned
grant(struct fg_board *board, uint64_t now, const struct fg_share_state *state, const struct fg_cpuset *cpus,
      bool *others)
{
	unsigned granted = serve(board, now, state, cpus, share(board, now, state, cpus, others));
	if (state->bound)
		return state->pus;
	granted = own.most && own.most < granted ? own.most : granted;
	own.share = granted;
	granted = fg_learnt_bound(granted);
	if (state->in_region && fg_tokens_on())
		granted = fg_tokens_hold(needs(granted, state->busy));
	return choose_set(board, now, state, cpus, granted);
}

/* The stamp is no longer young, and not old either, so the entry stays this program's. Others look at once, and this
 * program at its next region. */
static void
stamp(struct fg_board *board, uint64_t time)
{
	own.stamped = time;
	if (fg_entry_is_own(board, own.entry, own.word))
		fg_entry_stamp(board, own.entry, time);
	announce(board);
	fg_store_relaxed(&fg_sharing.company, FG_COMPANY_NEXT);
}

/* Others may have the PUs at once. Returns whether the program was active. The set goes in any case: this look may be
 * late, and no other may come before the next region. */
static bool
rest(struct fg_board *board, uint64_t now)
{
	bool has_entry = own.entry != FG_ENTRY_NONE && fg_entry_is_own(board, own.entry, own.word);
	fg_served_tell(0, 0);
	fg_tokens_return();
	own.uses = 0;
	fg_own_set_forget(board, has_entry ? own.entry : FG_ENTRY_NONE);
	if (own.entry == FG_ENTRY_NONE || now - own.stamped >= FG_ENTRY_YOUNG_NS)
		return false;
	stamp(board, now - FG_ENTRY_YOUNG_NS);
	return true;
}

static bool
is_gone(int process)
{
	return fg_sandbox_allows(FG_SANDBOX_BOARD) && !fg_process_is_there(process);
}

/* Not inlined: its arithmetic must stay where the flags of the program are put aside. */
static __attribute__((noinline)) unsigned
look(uint64_t now, const struct fg_share_state *state, const struct fg_cpuset *cpus)
{
	struct fg_board *board = fg_load_acquire(&fg_sharing.board);
	if (!board)
		return state->pus;
	if (now < own.looked) /* the caller read the clock before another look */
		now = own.looked;
	uint64_t passed = now - own.looked;
	count(passed, state);
	own.told.demand = fg_fair_demand(own.told.demand, state->busy * 1000, passed);
	own.looked = now;
	ask(now, state);
	if (state->in_region)
		tell(board, now, state, cpus);
	else if (now - own.stamped >= LEFT_NS)
		rest(board, now);
	fg_store_relaxed(&fg_sharing.seen, fg_load_acquire(&board->changes));
	hear(board, state);
	bool others;
	own.granted = grant(board, now, state, cpus, &others);
	fg_learnt_has(now, own.granted, own.crowded);
	bool less = own.granted < state->pus;
	fg_store_relaxed(&fg_sharing.limit, less ? own.granted : 0);
	show(board, state);
	bool hears = fg_serving.on || fg_tokens_on(); /* of a server or of make, neither of which changes the board */
	bool goes_on = state->in_region && (hears || now - own.company < COMPANY_NS);
	bool next =
		less || hears || (!state->in_region && others && fg_entry_free_gone(board, own.entry, now, is_gone));
	fg_store_relaxed(&fg_sharing.company, goes_on ? FG_COMPANY_NOW : next ? FG_COMPANY_NEXT : FG_COMPANY_NONE);
	return own.granted;
}

/* A thread of the program may look. */
unsigned
fg_share_look(uint64_t now, const struct fg_share_state *state, const struct fg_cpuset *cpus)
{
	struct fg_float program = fg_float_put_aside();
	unsigned pus = look(now, state, cpus);
	fg_float_take_back(program);
	return pus;
}

void
fg_share_rest(uint64_t now)
{
	struct fg_board *board = fg_load_acquire(&fg_sharing.board);
	if (board && rest(board, now))
		own.rests = true;
}

void
fg_share_return(uint64_t now)
{
	struct fg_board *board = fg_load_acquire(&fg_sharing.board);
	if (!board || !own.rests)
		return;
	own.rests = false;
	own.company = now;
	struct fg_fair_entry told = claim();
	fg_served_tell(fg_entry_pack(&told), 0);
	stamp(board, now);
}

void
fg_share_pause(uint64_t now)
{
	struct fg_board *board = fg_load_acquire(&fg_sharing.board);
	if (board)
		rest(board, now);
	own.rests = false;
}

uint64_t
fg_share_time(void)
{
	return fg_load_relaxed(&own.restrained);
}

/* The monitor may be looking. An entry that it takes meanwhile is old soon. */
void
fg_share_end(void)
{
	fg_tokens_end();
	struct fg_board *board = fg_exchange_acq_rel(&fg_sharing.board, NULL);
	if (board && own.entry != FG_ENTRY_NONE)
		fg_entry_leave(board, own.entry, own.word);
}

/* The entry is the parent's. The child joins at a region of its own. */
void
fg_share_after_fork(void)
{
	struct fg_board *board = fg_load_relaxed(&fg_sharing.board);
	fg_store_relaxed(&fg_sharing.board, NULL);
	fg_store_relaxed(&fg_sharing.asked, 0);
	fg_store_relaxed(&fg_sharing.limit, 0);
	fg_store_relaxed(&fg_sharing.company, FG_COMPANY_NONE);
	fg_store_relaxed(&fg_sharing.crowd, 0);
	fg_store_relaxed(&own.restrained, 0);
	fg_served_after_fork();
	fg_tokens_after_fork();
	own.most = 0;
	own.used = own.lost = 0;
	own.rests = own.has_company = false;
	own.uses = 0;
	fg_own_set_after_fork();
	fg_learnt_after_fork();
	if (board)
		fg_board_close(board);
}
