/* The kernel's fence for all threads of the process (floor: platform).
 *
 * It interrupts every PU that runs one of them, and the kernel lets one caller after the other do so. Where a whole
 * team goes to sleep, that would be as many interrupts as the square of its members. So threads that come while a fence
 * is under way share the next one.
 *
 * Proof: a thread makes its full fence, then reads `started` and needs the next number. It returns when `done` has
 * reached that number. So it has seen the whole of a fence of the kernel that began after its own call. A thread that
 * finds the fence refused stores `usable` before it passes on, so all that come later wait for themselves. */
#define _GNU_SOURCE
#include "platform/membarrier.h"

#include <errno.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/carrier.h"
#include "platform/sandbox.h"

#define PAUSES 200 /* some microseconds: as long as it takes */

#define SEEN_NS 1000000	      /* by then all see earlier stores */
#define RELIANCE_NS 100000000 /* by then a light side that found it usable has passed some fence */

bool fg_membarrier_usable;

static struct {
	bool usable_at_start;
	struct fg_atomic_u64 refused_at;    /* 0: not yet */
	struct fg_atomic_u32 started, done; /* started == done while no thread is busy */
	struct fg_atomic_u32 busy;
	struct fg_atomic_u32 turns, sleepers; /* times that busy was given up; threads that may sleep for the next */
} fences;

static bool
registered(void)
{
	return fg_sandbox_allows(FG_SANDBOX_MEMBARRIER) &&
	       syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void
fg_membarrier_start(void)
{
	int saved = errno;
	fences.usable_at_start = fg_membarrier_usable = registered();
	errno = saved;
}

static bool
made(void)
{
	return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static bool
fence_by_kernel(void)
{
	int saved = errno;
	bool fenced = fg_sandbox_allows(FG_SANDBOX_MEMBARRIER) && (made() || (registered() && made()));
	errno = saved;
	return fenced;
}

static void
wait_until_seen(void)
{
	struct fg_atomic_u32 nobody = {0};
	uint64_t now = fg_carrier->now(), until = now + SEEN_NS;
	for (; now < until; now = fg_carrier->now())
		fg_carrier->wait(&nobody, 0, until - now);
	fg_fence_seq_cst();
}

/* From now on the light side makes fences of its own. */
static void
refuse(void)
{
	uint64_t never = 0;
	if (!fg_membarrier_usable)
		return;
	fg_cas_acq_rel(&fences.refused_at, &never, fg_carrier->now());
	fg_membarrier_usable = false;
	fg_fence_seq_cst();
}

/* Returns at once if no light side relies on the kernel's fence any more; else it waits. refused_at may not be visible
 * here yet, and is 0 then. */
static void
fence_refused(void)
{
	uint64_t at = fg_load_relaxed(&fences.refused_at);
	if (fences.usable_at_start && (!at || fg_carrier->now() - at < RELIANCE_NS))
		wait_until_seen();
}

void
fg_fence_all_threads(void)
{
	if (fg_membarrier_usable && fence_by_kernel())
		return;
	refuse();
	wait_until_seen();
}

void
fg_membarrier_after_fork(void)
{
	fg_store_relaxed(&fences.done, fg_load_relaxed(&fences.started));
	fg_store_relaxed(&fences.busy, 0);
	fg_store_relaxed(&fences.sleepers, 0);
}

/* The caller is the busy one. */
static void
fence_for_all(void)
{
	uint32_t number = fg_add_acq_rel(&fences.started, 1) + 1;
	if (!fence_by_kernel())
		refuse();
	fg_store_release(&fences.done, number);
	fg_store_release(&fences.busy, 0);
	fg_add_release(&fences.turns, 1);
	fg_fence_seq_cst();
	if (fg_load_relaxed(&fences.sleepers))
		fg_carrier->wake(&fences.turns, INT_MAX);
}

static void
share_fence(void)
{
	uint32_t needed = fg_load_relaxed(&fences.started) + 1;
	for (unsigned pauses = 0;; pauses++) {
		/* The turn is read first. A thread that is found busy below adds to it later. */
		uint32_t turn = fg_load_acquire(&fences.turns), free = 0;
		if ((int32_t)(fg_load_acquire(&fences.done) - needed) >= 0)
			return;
		if (fg_load_acquire(&fences.busy) == 0 && fg_cas_acquire(&fences.busy, &free, 1)) {
			fence_for_all();
			return;
		}
		if (pauses < PAUSES) {
			fg_carrier->pause();
			continue;
		}
		/* Dekker's protocol: the kernel sees the new turn, or the busy thread sees a sleeper. Each sleeper
		 * counts itself out. A waker that did it could be late, and take the next one's sleepers for its
		 * own. */
		fg_add_relaxed(&fences.sleepers, 1);
		fg_fence_seq_cst();
		fg_carrier->wait(&fences.turns, turn, 0);
		fg_sub_acq_rel(&fences.sleepers, 1);
	}
}

void
fg_fence_heavy_slow(void)
{
	if (fg_membarrier_usable)
		share_fence();
	if (__builtin_expect(!fg_membarrier_usable, 0))
		fence_refused();
}
