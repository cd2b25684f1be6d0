/* Riders: workers that lose their PUs in the midst of a region, ride with another worker, and get kernel threads of
 * their own again (exec/grant/ride.c, exec/relief/board.c, exec/grant/boarding.c).
 *
 * Sources: exec/grant/grant.c exec/grant/boarding.c exec/grant/record.c
 * Constants: exec/grant/boarding.c PATIENCE=1 REST=0
 * With: floor
 */
#include "exec/grant/grant.h"
#include "exec/grant/ride.h"
#include "exec/ground/options.h"
#include "exec/relief/spare.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "interleave/regions.h"
#include "exec/thread/worker_parts.h"
#include "machine/quota.h"
#include "share/share.h"
#include "share/fair.h"
#include "share/entry.h"

unsigned long
fg_cpu_quota_milli(void)
{
	return 0;
}

static struct fg_atomic_u32 begun, over;
static unsigned regions, barriers, takes, gives, arrived[4][4];

/* The monitor reads these words as hints. */
static void
let_monitor_look(void)
{
	struct fg_worker *worker = fg_load_acquire(&fg_all_workers.first);
	for (; worker; worker = worker->all_next) {
		model_racy(&worker->carries, sizeof worker->carries);
		model_racy(&worker->slot, sizeof worker->slot);
		model_racy(&worker->tid, sizeof worker->tid);
		model_racy(&fg_parts(worker)->ride.taken_in, sizeof fg_parts(worker)->ride.taken_in);
	}
	fg_store_release(&begun, 1);
}

static void
meets_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (!member && !fg_load_relaxed(&begun))
		let_monitor_look();
	for (unsigned i = 0; i < barriers; i++) {
		arrived[i][member]++;
		fg_dock_barrier(fg_self());
		model_assert(fg_self()->member == member);
		for (unsigned k = 0; k < 2; k++)
			model_assert(arrived[i][k] == arrived[i][member]);
	}
}

static void
primary(void)
{
	root = floor_root(false);
	for (unsigned i = 0; i < regions; i++)
		flat_region(2, meets_body);
	fg_store_release(&over, 1);
}

/* Not the mask changes, but another program comes and goes, which wants both PUs. */
static struct fg_board board;
static bool shares;

static void
look(unsigned pus)
{
	if (shares)
		fg_store_relaxed(&board.entry[1].taken, pus == 1);
	else
		fg_store_relaxed(&floor_cpus, pus == 1 ? 1 : 3);
	fg_grant_look(0);
	fg_spare_make(); /* as the spawner would */
	fg_carrier->pause();
}

/* The monitor sees a PU go, and come back. */
static void
controller(void)
{
	while (!fg_load_acquire(&begun))
		fg_carrier->pause();
	for (unsigned i = 0; i < takes && !fg_load_acquire(&over); i++)
		look(1);
	for (unsigned i = 0; i < gives && !fg_load_acquire(&over); i++)
		look(2);
}

static void
setup_ride(void)
{
	floor_setup();
	fg_exec_options.cpus = (struct fg_cpuset){{3}};
	regions = 1;
	barriers = 2;
	takes = 3;
}
MODEL_SCENARIO(ride_boards, .setup = setup_ride, .thread = {primary, controller},
	       .broken = MODEL_BROKEN("drop wake", "weaken fg_ride_look:exchange_acquire"));

static void
setup_ride_home(void)
{
	setup_ride();
	takes = 2;
	gives = 3;
}
MODEL_SCENARIO(ride_home, .setup = setup_ride_home, .thread = {primary, controller},
	       .broken = MODEL_BROKEN("weaken fg_spare_resume:store_release"));

/* The root leaves its region, and its riders wait for the next. */
static void
setup_ride_regions(void)
{
	setup_ride();
	regions = 2;
	barriers = 0;
	takes = 2;
	gives = 1;
}
MODEL_SCENARIO(ride_regions, .setup = setup_ride_regions, .thread = {primary, controller},
	       .broken = MODEL_BROKEN("drop wake"));

/* The workers are about to end. A worker that has an order may see it only then, and must not board. */
static void
primary_ends(void)
{
	root = floor_root(false);
	flat_region(2, meets_body);
	fg_store_release(&over, 1);
	model_assert(fg_grant_end());
	flat_region(2, tell_body);
	FG_EACH_WORKER (worker)
		model_assert(fg_load_relaxed(&worker->head) == NULL);
}

static void
setup_ride_ends(void)
{
	setup_ride();
	barriers = 0;
	takes = 2;
	gives = 0;
}
MODEL_SCENARIO(ride_ends, .timeouts = true, .setup = setup_ride_ends, .thread = {primary_ends, controller},
	       .broken = MODEL_BROKEN("drop fg_board:fence_seq_cst", "drop fg_board:add_acq_rel"));

static void
setup_ride_shares(void)
{
	struct fg_fair_entry full = {2000, FG_FAIR_WEIGHT};
	setup_ride_home();
	shares = true;
	fg_entry_tell(&board, 1, 0, &full, &fg_exec_options.cpus);
	fg_store_relaxed(&board.used, 2);
	fg_store_relaxed(&fg_sharing.board, &board);
}
MODEL_SCENARIO(ride_shares, .setup = setup_ride_shares, .thread = {primary, controller},
	       .broken = MODEL_BROKEN("weaken fg_spare_resume:store_release"));
