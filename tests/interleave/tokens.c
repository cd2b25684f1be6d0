/* Tokens of make (share/tokens.h): the process ends at each step of a look that takes tokens and gives them back.
 *
 * Sources: share/tokens.c
 * Constants: share/tokens.c NAPS=2
 */
#include "base/log.h"
#include "interleave/model.h"
#include "share/jobserver.h"
#include "share/tokens.h"

#define ALL 3 /* a bit for each token */

static struct fg_atomic_u32 pipe_bits; /* those that lie in the pipe */

void
fg_note(const char *format, ...)
{
	(void)format;
}

void
fg_jobserver_find(const char *makeflags)
{
	(void)makeflags;
}

bool
fg_jobserver_open(void)
{
	return true;
}

bool
fg_jobserver_take(char *token)
{
	model_atomically(true);
	uint32_t bits = fg_or_acq_rel(&pipe_bits, 0), lowest = bits & -bits;
	fg_and_acq_rel(&pipe_bits, ~lowest);
	model_atomically(false);
	*token = (char)lowest;
	return bits != 0;
}

/* No token is put back twice. */
bool
fg_jobserver_is_open(void)
{
	return true;
}

bool
fg_jobserver_give(char token)
{
	model_assert(!(fg_or_acq_rel(&pipe_bits, (uint32_t)token) & (uint32_t)token));
	return true;
}

static void
tokens_setup(void)
{
	fg_store_relaxed(&pipe_bits, ALL);
	fg_tokens_start("");
	fg_tokens_join();
	model_assert(fg_tokens_hold(2) == 2);
}

static void
tokens_looks(void)
{
	unsigned pus = fg_tokens_hold(3);
	model_assert(pus >= 1 && pus <= 3);
	model_assert(fg_tokens_hold(1) == 1);
	fg_tokens_hold(2);
	fg_tokens_return();
}

static void
tokens_ends(void)
{
	if (fg_tokens_end())
		model_assert(fg_load_relaxed(&pipe_bits) == ALL);
}

static void
tokens_check(void)
{
	model_assert(fg_load_relaxed(&pipe_bits) == ALL);
	model_assert(fg_tokens_hold(1) == 1 && fg_load_relaxed(&pipe_bits) == ALL);
}
MODEL_SCENARIO(tokens, .setup = tokens_setup, .thread = {tokens_looks, tokens_ends}, .check = tokens_check,
	       .timeouts = true,
	       .broken = MODEL_BROKEN("drop move_begins:store_relaxed", "drop move_begins:fence_seq_cst",
				      "drop fg_tokens_end:fence_seq_cst", "weaken take:cas_release",
				      "weaken fg_tokens_end:exchange_acq_rel", "weaken move_ends:store_release"));
