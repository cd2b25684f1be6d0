/* The ring of samples: writers that never wait, and one reader.
 *
 * Sources: samples/ring.c
 * Constants: samples/ring.c SLOTS=2
 */
#include "samples/ring.h"

#include "interleave/model.h"
#include "platform/map.h"

enum { EACH = 3, WRITERS = 2, AGAIN = 10 };

static unsigned written[WRITERS], left_out[WRITERS];
static unsigned times[WRITERS][EACH], again; /* how often the reader met each sample; and the check's own */

void *
fg_map(size_t size)
{
	return model_alloc(size);
}

static void
setup(void)
{
	model_assert(fg_ring_make());
}

static bool
put(unsigned writer, unsigned number)
{
	struct fg_sample *sample = fg_ring_write();
	if (!sample)
		return false;
	sample->member = writer;
	sample->node = number;
	sample->registers.ip = writer + number;
	fg_ring_written(sample);
	return true;
}

static void
write_all(unsigned writer, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (put(writer, i))
			written[writer]++;
		else
			left_out[writer]++;
}

static bool
take(void)
{
	const struct fg_sample *sample = fg_ring_read();
	if (!sample)
		return false;
	model_assert(sample->registers.ip == sample->member + sample->node);
	if (sample->node == AGAIN)
		again++;
	else
		model_assert(sample->member < WRITERS && sample->node < EACH && !times[sample->member][sample->node]++);
	fg_ring_taken(sample);
	return true;
}

/* Three samples go round a ring of two slots, and meet the other writer's. */
static void
first(void)
{
	write_all(0, EACH);
}

static void
second(void)
{
	write_all(1, 2);
}

static void
reader(void)
{
	for (unsigned i = 0; i < 3; i++)
		take();
}

/* Each sample was either written and is read once, or it was lost. A sample that the reader has passed by, because its
 * writer was late, is found the next time round. */
static void
all_read(void)
{
	unsigned sum = 0, put_again = 0;
	while (take())
		;
	for (unsigned i = 0; i < 2; i++)
		put_again += put(0, AGAIN);
	while (take())
		;
	for (unsigned writer = 0; writer < WRITERS; writer++)
		for (unsigned i = 0; i < EACH; i++)
			sum += times[writer][i];
	model_assert(sum == written[0] + written[1] && again == put_again);
	model_assert(fg_ring_lost() == left_out[0] + left_out[1] + 2 - put_again && fg_ring_lost() == 0);
	model_assert(put(0, AGAIN) && take() && !take());
}
MODEL_SCENARIO(ring, .setup = setup, .thread = {first, second, reader}, .check = all_read,
	       .broken = MODEL_BROKEN("weaken fg_ring_write:cas_acq_rel", "weaken fg_ring_written:store_release",
				      "weaken fg_ring_read:load_acquire", "weaken fg_ring_taken:store_release",
				      "drop fg_ring_write:cas_acq_rel", "drop fg_ring_written:store_release",
				      "drop fg_ring_taken:store_release", "drop fg_ring_write:add_relaxed"));

/* One writer sleeps between its two steps, and the other goes all round: it leaves that slot alone. */
static struct fg_sample *held;

static void
holds(void)
{
	held = fg_ring_write();
	model_assert(held);
	held->member = 1;
	held->registers.ip = 1;
}

static void
goes_round(void)
{
	setup();
	holds();
	write_all(0, EACH);
	model_assert(written[0] == 1 && left_out[0] == 2);
	model_assert(take() && !take());
	model_assert(held->member == 1 && held->node == 0);
	fg_ring_written(held);
	written[1]++;
}

/* In the child of a fork, the parent's samples are no more, and neither is its writer. */
static void
forks(void)
{
	setup();
	holds();
	model_assert(put(0, 1));
	fg_ring_after_fork();
	model_assert(!take());
	for (unsigned i = 0; i < 2; i++)
		model_assert(put(0, AGAIN));
	model_assert(take() && take() && !take());
}
MODEL_SCENARIO(ring_round, .thread = {goes_round}, .check = all_read,
	       .broken = MODEL_BROKEN("drop fg_ring_write:cas_acq_rel"));
MODEL_SCENARIO(ring_fork, .thread = {forks}, .broken = MODEL_BROKEN("drop fg_ring_after_fork:store_relaxed"));
