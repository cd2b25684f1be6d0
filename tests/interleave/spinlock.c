/* The spin lock: mutual exclusion and no lost wake-up between its spinning, sleeping and waking.
 *
 * Sources: base/lock_order.c base/spinlock.c
 * Constants: base/spinlock.c SPIN_TURNS=2
 */
#include "base/spinlock.h"
#include "interleave/model.h"

static struct fg_spinlock lock = FG_SPINLOCK_INIT(FG_RANK_POOL);
static unsigned counter;

static void
twice(void)
{
	for (unsigned i = 0; i < 2; i++) {
		fg_spinlock_lock(&lock);
		counter++;
		fg_spinlock_unlock(&lock);
	}
}

static void
once(void)
{
	fg_spinlock_lock(&lock);
	counter++;
	fg_spinlock_unlock(&lock);
}

static void
try(void)
{
	if (fg_spinlock_trylock(&lock)) {
		counter++;
		fg_spinlock_unlock(&lock);
	}
}

static void
check_counter(void)
{
	model_assert(counter == 4);
	model_assert(fg_load_relaxed(&lock.state) == 0);
}

static void
check_free(void)
{
	model_assert(fg_load_relaxed(&lock.state) == 0);
}

#define BROKEN                                                                                                         \
	"weaken fg_spinlock_lock:cas_acquire", "weaken fg_spinlock_unlock:exchange_acq_rel", "drop wake",              \
		"weaken fg_spinlock_lock_slow:exchange_acquire", "drop fg_spinlock_lock_slow:exchange_acquire"

MODEL_SCENARIO(spinlock_two, .thread = {twice, twice}, .check = check_counter, .broken = MODEL_BROKEN(BROKEN));
MODEL_SCENARIO(spinlock_three, .thread = {once, once, once}, .check = check_free,
	       .broken = MODEL_BROKEN(BROKEN, "weaken fg_spinlock_lock_slow:cas_acquire"));
MODEL_SCENARIO(spinlock_try, .thread = {once, try, once}, .check = check_free,
	       .broken = MODEL_BROKEN("weaken fg_spinlock_trylock:cas_acquire"));
