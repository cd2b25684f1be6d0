/* The kernel's fence for all threads of the process (floor: platform).
 *
 * It interrupts every PU that runs one of them, and the kernel lets one caller after the other do so: where a whole team goes to sleep
 * that would be as many interrupts as the square of its members. So those who come while one is under way share the next. They may:
 * who takes a number from `started` after its full fence, and returns when `done` has passed that number, has seen the whole of a fence of
 * the kernel that began after its own call. */
#define _GNU_SOURCE
#include "platform/membarrier.h"

#include <errno.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/carrier.h"

#define PAUSES 200 /* some microseconds: as long as it takes */

bool fg_membarrier_usable;

static struct fg_atomic_u32 started, done; /* started == done while nobody is busy */
static struct fg_atomic_u32 busy;
static struct fg_atomic_u32 turns, sleepers; /* times that busy was given up; whether somebody may sleep for the next */

void
fg_membarrier_start(void)
{
	int saved = errno;
	fg_membarrier_usable = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
	errno = saved;
}

void
fg_membarrier_after_fork(void)
{
	fg_store_relaxed(&done, fg_load_relaxed(&started));
	fg_store_relaxed(&busy, 0);
	fg_store_relaxed(&sleepers, 0);
}

/* The caller is the busy one. */
static void
fence_for_all(void)
{
	int saved = errno;
	uint32_t number = fg_add_acq_rel(&started, 1) + 1;
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	fg_store_release(&done, number);
	fg_store_release(&busy, 0);
	fg_add_release(&turns, 1);
	fg_fence_seq_cst();
	if (fg_load_relaxed(&sleepers) && fg_exchange_acq_rel(&sleepers, 0))
		fg_carrier->wake(&turns, INT_MAX);
	errno = saved;
}

void
fg_fence_heavy_slow(void)
{
	uint32_t needed = fg_load_relaxed(&started) + 1;
	for (unsigned pauses = 0;; pauses++) {
		/* Read first: whoever is found busy below adds to it later. */
		uint32_t turn = fg_load_acquire(&turns), free = 0;
		if ((int32_t)(fg_load_acquire(&done) - needed) >= 0)
			return;
		if (fg_load_acquire(&busy) == 0 && fg_cas_acquire(&busy, &free, 1)) {
			fence_for_all();
			return;
		}
		if (pauses < PAUSES) {
			fg_carrier->pause();
			continue;
		}
		/* Dekker's protocol: the kernel sees the new turn, or who is busy sees a sleeper. */
		fg_store_relaxed(&sleepers, 1);
		fg_fence_seq_cst();
		fg_carrier->wait(&turns, turn, 0);
	}
}
