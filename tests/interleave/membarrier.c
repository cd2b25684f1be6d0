/* The fence with all its cost on one side, where several threads pay at once and share the fence. It tests Dekker's
 * protocol between each of them and a light side. It also tests that no thread that waits for the next fence misses
 * its wake-up.
 *
 * Sources: platform/membarrier.c
 * Constants: platform/membarrier.c PAUSES=1
 * Wraps: syscall
 */
#include "platform/membarrier.h"
#include "interleave/model.h"
#include "platform/sandbox.h"

static struct fg_atomic_u32 heavy_flag[3], light_flag[2];
static uint32_t heavy_saw[3][2], light_saw[2][3];

static bool refused;

long __wrap_syscall(long number, ...);
long
__wrap_syscall(long number, ...)
{
	(void)number;
	if (refused)
		return -1;
	if (!model_broken("no interrupts"))
		model_fence_all();
	model_point("membarrier");
	return 0;
}

bool
fg_sandbox_allows(enum fg_sandbox_call call)
{
	(void)call;
	return true;
}

static void
heavy(unsigned me)
{
	fg_store_relaxed(&heavy_flag[me], 1);
	fg_fence_heavy();
	for (unsigned i = 0; i < 2; i++)
		heavy_saw[me][i] = fg_load_relaxed(&light_flag[i]);
}

static void
light(unsigned me)
{
	fg_store_relaxed(&light_flag[me], 1);
	fg_fence_light();
	for (unsigned i = 0; i < 3; i++)
		light_saw[me][i] = fg_load_relaxed(&heavy_flag[i]);
}

static void
heavy_0(void)
{
	heavy(0);
}

static void
heavy_1(void)
{
	heavy(1);
}

static void
heavy_2(void)
{
	heavy(2);
}

static void
light_0(void)
{
	light(0);
}

static void
light_1(void)
{
	light(1);
}

static void
check_pairs(unsigned n_heavy, unsigned n_light)
{
	for (unsigned i = 0; i < n_heavy; i++)
		for (unsigned j = 0; j < n_light; j++)
			model_assert(heavy_saw[i][j] || light_saw[j][i]);
}

static void
check_two(void)
{
	check_pairs(2, 1);
}

static void
check_three(void)
{
	check_pairs(3, 1);
}

static void
check_two_light(void)
{
	check_pairs(2, 2);
}

#define BROKEN                                                                                                         \
	"fault no interrupts", "drop fence_for_all:add_release", "weaken fence_for_all:fence_seq_cst",                 \
		"weaken share_fence:fence_seq_cst", "weaken share_fence:load_acquire", "drop wake"

MODEL_SCENARIO(membarrier_two, .setup = fg_membarrier_start, .thread = {heavy_0, heavy_1, light_0}, .check = check_two,
	       .broken = MODEL_BROKEN(BROKEN));
MODEL_SCENARIO(membarrier_three, .setup = fg_membarrier_start, .thread = {heavy_0, heavy_1, heavy_2, light_0},
	       .check = check_three);
MODEL_SCENARIO(membarrier_light, .setup = fg_membarrier_start, .thread = {heavy_0, light_0, heavy_1, light_1},
	       .check = check_two_light);

/* The kernel refuses the fence from some moment on. Until then light sides have made no fence. After a millisecond
 * all their stores are visible. */
static struct fg_atomic_u64 time_ns;

static uint64_t
later_now(void)
{
	return fg_load_relaxed(&time_ns) + 1;
}

static void
later_wait(struct fg_atomic_u32 *word, uint32_t value, uint64_t timeout_ns)
{
	if (!timeout_ns) {
		model_carrier.wait(word, value, timeout_ns);
		return;
	}
	fg_add_relaxed(&time_ns, timeout_ns);
	if (!model_broken("no settling"))
		model_fence_all();
	model_point("a millisecond");
}

static void
later_setup(void)
{
	static struct fg_carrier carrier;
	carrier = model_carrier;
	carrier.now = later_now;
	carrier.wait = later_wait;
	fg_carrier = &carrier;
	fg_membarrier_start();
	/* It is written once, and this test is about old values of it. */
	model_racy(&fg_membarrier_usable, sizeof fg_membarrier_usable);
	refused = true;
}

static void
all_threads_0(void)
{
	fg_store_relaxed(&heavy_flag[0], 1);
	fg_fence_all_threads();
	for (unsigned i = 0; i < 2; i++)
		heavy_saw[0][i] = fg_load_relaxed(&light_flag[i]);
}

static void
check_one(void)
{
	check_pairs(1, 2);
}

MODEL_SCENARIO(membarrier_refused, .setup = later_setup, .thread = {heavy_0, light_0, heavy_1}, .check = check_two,
	       .broken = MODEL_BROKEN("fault no settling"));
MODEL_SCENARIO(membarrier_refused_all, .setup = later_setup, .thread = {all_threads_0, light_0, light_1},
	       .check = check_one, .broken = MODEL_BROKEN("fault no settling"));
