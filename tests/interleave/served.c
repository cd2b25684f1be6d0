/* A program and its server (share/served.h). The monitor hears a server that answers, dies or is silent, while another
 * thread looks.
 *
 * With: no_board
 * Sources: machine/cpuset.c share/choice.c share/distance.c share/entry.c share/fair.c share/message.c share/own_set.c
 * Sources: share/served.c share/set.c share/share.c share/curve.c share/learnt.c share/lesson.c share/want.c
 * Sources: share/tokens.c
 */
#include "interleave/model.h"
#include "interleave/no_board.h"
#include "share/served.h"
#include "share/share.h"

#define MS UINT64_C(1000000)
#define PUS 2
#define line no_board_line

static struct fg_board board;
static struct fg_cpuset cpus = {{3}};
static const struct fg_share_state active = {.in_region = true, .busy = PUS, .pus = PUS};
static const uint64_t start = 100000 * MS;

/* The process is alone on its board, and the server has let it use one of two PUs. */
static void
setup_served(void)
{
	fg_serving.on = true;
	fg_store_relaxed(&fg_sharing.board, &board);
	model_assert(fg_share_look(start, &active, &cpus) == PUS);
	fg_served_ask(start, &cpus, PUS);
	model_assert(line.sent == 1);
	line.pus[line.replies++] = 1;
	fg_served_hear(start);
	model_assert(fg_share_look(start, &active, &cpus) == 1);
}

/* Each look applies a number that the server has said, or the board's. */
static void
looks_served(void)
{
	for (unsigned i = 0; i < 2; i++) {
		unsigned granted = fg_share_look(start, &active, &cpus);
		model_assert(granted == 1 || granted == PUS);
		model_assert(fg_load_relaxed(&fg_sharing.company) == FG_COMPANY_NOW);
	}
}

/* The server has more, then less, then it is killed. */
static void
hears(void)
{
	line.pus[line.replies++] = 2;
	fg_served_hear(start);
	line.pus[line.replies++] = 1;
	fg_served_hear(start);
	line.gone = true;
	fg_served_hear(start + 2 * MS);
	fg_served_ask(start + 2 * MS, &cpus, PUS);
}

/* Nothing that the server has said is left. */
static void
check_by_board(void)
{
	model_assert(fg_served_pus() == 0 && fg_share_look(start, &active, &cpus) == PUS);
}

MODEL_SCENARIO(share_served, .setup = setup_served, .thread = {looks_served, hears}, .check = check_by_board,
	       .broken = MODEL_BROKEN("drop lose:store_relaxed"));

/* The server is stopped: a request has no answer. It goes on, and its answer counts again. */
static void
silent(void)
{
	fg_served_ask(start + 11 * MS, &cpus, PUS);
	fg_served_hear(start + 13 * MS);
	fg_served_ask(start + 24 * MS, &cpus, PUS);
	model_assert(line.sent == 2 && fg_served_pus() == 1);
	fg_served_hear(start + 27 * MS);
	model_assert(fg_served_pus() == 0);
}

static void
check_again(void)
{
	check_by_board();
	line.pus[line.replies++] = 1;
	fg_served_hear(start + 40 * MS);
	model_assert(fg_share_look(start, &active, &cpus) == 1);
	fg_served_ask(start + 40 * MS, &cpus, PUS);
	model_assert(line.sent == 3);
}

MODEL_SCENARIO(share_server_stopped, .setup = setup_served, .thread = {looks_served, silent}, .check = check_again,
	       .broken = MODEL_BROKEN("drop fg_served_hear:store_relaxed"));

/* The program leaves its region while the monitor hears and asks. The server is told before the monitor sleeps, and a
 * number of the last region does not count in the next one. */
static void
leaves(void)
{
	struct fg_share_state outside = active;
	outside.in_region = false;
	fg_share_look(start + 6 * MS, &outside, &cpus);
}

static void
hears_and_asks(void)
{
	line.pus[line.replies++] = 1;
	fg_served_hear(start + 6 * MS);
	fg_served_ask(start + 6 * MS, &cpus, PUS);
}

static void
check_left_server(void)
{
	hears_and_asks();
	model_assert(line.left == 1 && fg_served_pus() == 0);
	fg_share_look(start + 8 * MS, &active, &cpus);
	fg_served_ask(start + 8 * MS, &cpus, PUS);
	model_assert(line.sent == 2 && fg_served_pus() == 0);
}

MODEL_SCENARIO(share_served_leaves, .setup = setup_served, .thread = {leaves, hears_and_asks},
	       .check = check_left_server,
	       .broken = MODEL_BROKEN("drop fg_served_tell:store_relaxed", "drop fg_served_ask:store_relaxed"));
