/* Tokens (floor: share): see tokens.h. */
#include "share/tokens.h"

#include "base/carrier.h"
#include "base/log.h"
#include "share/board.h"
#include "share/jobserver.h"

#define ENDED (~0u)
#define NAP_NS 50000
#define NAPS 400 /* the looker may have lost its PU */

struct fg_tokens fg_tokens;

static struct {
	bool asked;		   /* FGOMP_JOBSERVER is on, and the process has not joined */
	struct fg_atomic_u32 held; /* ENDED: the process ends */
	struct fg_atomic_u32 moving;
	struct fg_atomic_u32 most; /* held at a time */
	char token[FG_BOARD_PUS];
} own;

void
fg_tokens_start(const char *makeflags)
{
	own.asked = true;
	fg_jobserver_find(makeflags);
}

void
fg_tokens_join(void)
{
	if (!own.asked)
		return;
	own.asked = false;
	fg_store_relaxed(&fg_tokens.on, fg_jobserver_open());
}

static bool
move_begins(void)
{
	fg_store_relaxed(&own.moving, 1);
	fg_fence_seq_cst();
	return fg_load_relaxed(&own.held) != ENDED;
}

static void
move_ends(void)
{
	fg_store_release(&own.moving, 0);
}

static bool
take(unsigned held)
{
	char token;
	bool taken = move_begins() && fg_jobserver_take(&token);
	if (!taken && !fg_jobserver_is_open()) /* the program has closed it */
		fg_store_relaxed(&fg_tokens.on, 0);
	if (taken) {
		own.token[held] = token;
		uint32_t seen = held;
		taken = fg_cas_release(&own.held, &seen, held + 1);
		if (!taken)
			fg_jobserver_give(token);
	}
	move_ends();
	return taken;
}

static bool
give(unsigned held)
{
	uint32_t seen = held;
	bool given = move_begins() && fg_cas_relaxed(&own.held, &seen, held - 1);
	if (given)
		fg_jobserver_give(own.token[held - 1]);
	move_ends();
	return given;
}

unsigned
fg_tokens_hold(unsigned pus)
{
	uint32_t held = fg_load_relaxed(&own.held);
	if (!fg_tokens_on() || held == ENDED)
		return pus;
	while (held + 1 > pus && give(held))
		held--;
	while (held + 1 < pus && held < FG_BOARD_PUS && take(held))
		held++;
	if (held > fg_load_relaxed(&own.most))
		fg_store_relaxed(&own.most, held);
	return held + 1 < pus ? held + 1 : pus;
}

void
fg_tokens_return(void)
{
	for (uint32_t held = fg_load_relaxed(&own.held); held && held != ENDED && give(held); held--)
		;
}

unsigned
fg_tokens_next(void)
{
	uint32_t held = fg_load_relaxed(&own.held);
	return !fg_tokens_on() || held == ENDED ? FG_BOARD_PUS : held + 2;
}

bool
fg_tokens_end(void)
{
	struct fg_atomic_u32 nap = {0};
	bool back = false;
	if (!fg_tokens_on())
		return true;
	uint32_t held = fg_exchange_acq_rel(&own.held, ENDED);
	for (uint32_t i = 0; held != ENDED && i < held; i++)
		fg_jobserver_give(own.token[i]);
	fg_fence_seq_cst();
	for (unsigned i = 0; i < NAPS && !(back = !fg_load_acquire(&own.moving)); i++)
		fg_carrier->wait(&nap, 0, NAP_NS);
	fg_note("held up to %u tokens of make", fg_load_relaxed(&own.most));
	return back;
}

void
fg_tokens_after_fork(void)
{
	fg_store_relaxed(&own.held, 0);
	fg_store_relaxed(&own.moving, 0);
	fg_store_relaxed(&own.most, 0);
}
