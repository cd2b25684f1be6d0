/* The watcher of FGOMP_STUCK (floor: stuck), and the table that the library gets.
 *
 * The watcher starts when the runtime makes its first thread, and a child of fork gets a watcher of its own. It has
 * all signals blocked. It allocates nothing and takes no lock of the C library, because a thread that is stuck may
 * hold it. Donors do not end while it looks. */
#include "base/carrier.h"
#include "base/export.h"
#include "exec/thread/whole_worker.h"
#include "stuck/library.h"
#include "stuck/look.h"
#include "stuck/stand.h"

#define LOOKS 8 /* looks within the time after which it reports */
#define PERIOD_MAX_NS 2000000000

enum { NONE, RUNS, OVER };

static struct {
	struct fg_atomic_u32 state;
	struct fg_spinlock looking;
	uint64_t after;
	uint64_t looked, watched; /* the last look; the watcher's own time then */
} watcher = {.looking = FG_SPINLOCK_INIT(FG_RANK_MACHINE)};

/* By this clock the watcher finds what has not moved. It stands while the whole process is stopped. */
static uint64_t
watched(uint64_t most)
{
	uint64_t now = fg_library->carrier->now(), passed = now - watcher.looked;
	watcher.looked = now;
	return watcher.watched += passed < most ? passed : most;
}

static void
watcher_main(void *arg)
{
	(void)arg;
	uint64_t period = watcher.after / LOOKS < PERIOD_MAX_NS ? watcher.after / LOOKS : PERIOD_MAX_NS;
	while (fg_load_acquire(&watcher.state) == RUNS) {
		fg_library->carrier->wait(&watcher.state, RUNS, period);
		bool inside = fg_library->lock(&watcher.looking);
		uint64_t now = watched(2 * period);
		fg_stand_count(now, watcher.after / 2);
		if (fg_stuck_look(now, watcher.after))
			fg_store_release(&watcher.state, OVER);
		fg_library->unlock(&watcher.looking, inside);
	}
}

static void
watcher_start(void)
{
	uint32_t none = NONE;
	if (fg_load_relaxed(&watcher.state) != NONE || !fg_cas_acq_rel(&watcher.state, &none, RUNS))
		return;
	if (!fg_library->start(watcher_main))
		fg_store_release(&watcher.state, NONE); /* the next thread that is made tries again */
}

static void
made(struct fg_identity *donor)
{
	if (donor)
		fg_stand_made(donor);
	watcher_start();
}

static void
gone(struct fg_identity *identity)
{
	bool inside = fg_library->lock(&watcher.looking);
	fg_stand_gone(identity);
	fg_library->unlock(&watcher.looking, inside);
}

static void
begin(const struct fg_stuck_library *library, uint64_t after_ns)
{
	fg_library = library;
	watcher.after = after_ns;
}

static void
after_fork(void)
{
	fg_stand_after_fork();
	fg_spinlock_init(&watcher.looking, FG_RANK_MACHINE);
	if (fg_load_relaxed(&watcher.state) == RUNS)
		fg_store_relaxed(&watcher.state, NONE);
}

FG_EXPORT const struct fg_stuck_object fg_stuck_object = {
	.layout = FG_STUCK_LAYOUT(sizeof(struct fg_whole_worker)),
	.version = FG_VERSION,
	.begin = begin,
	.made = made,
	.gone = gone,
	.answer = fg_stand_answer,
	.after_fork = after_fork,
};
