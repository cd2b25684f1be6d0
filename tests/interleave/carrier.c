/* The carrier as the code under test sees it: it starts virtual threads, and they wait and wake. */
#include "internal.h"

static int
carrier_start(void (*start)(void *), void *arg, const char *name)
{
	(void)name;
	if (model_run.inside)
		model_switch_point(&model_run, true);
	model_trace("starts thread %u", model_run.threads);
	model_spawn(NULL, start, arg);
	return 0;
}

static void
carrier_wait(struct fg_atomic_u32 *word, uint32_t value, uint64_t timeout_ns)
{
	if (!model_run.inside)
		model_fail("a wait outside the virtual threads");
	model_switch_point(word, true);
	struct model_thread *t = model_current();
	model_plain_alive(word, __builtin_return_address(0));
	uint32_t now = *(volatile uint32_t *)&word->v;
	if (now != value) {
		model_trace("does not sleep: %s is %#x, not %#x", model_name(word), now, value);
		return;
	}
	if (model_choose(2, 1, MODEL_ODDITY, NULL)) {
		model_trace("returns early from its sleep on %s", model_name(word));
		return;
	}
	model_trace("sleeps on %s == %#x", model_name(word), value);
	t->state = MODEL_BLOCKED;
	t->word = word;
	t->wait_turn = ++model_run.turn;
	t->on_deadline = timeout_ns != 0;
	t->timed_out = false;
	t->deadline = model_run.clock + timeout_ns;
	model_give_way();
	model_trace(t->timed_out ? "sleep times out" : "wakes up");
}

bool model_wake_dropped;

static void
carrier_wake(struct fg_atomic_u32 *word, unsigned count)
{
	if (!model_run.inside)
		return;
	model_switch_point(word, true);
	if (model_wake_dropped)
		return;
	unsigned woken = 0;
	while (woken < count) {
		struct model_thread *first = NULL;
		for (unsigned i = 0; i < model_run.threads; i++) {
			struct model_thread *t = &model_run.thread[i];
			if (t->state == MODEL_BLOCKED && t->word == word && (!first || t->wait_turn < first->wait_turn))
				first = t;
		}
		if (!first)
			break;
		first->state = MODEL_RUN;
		woken++;
	}
	model_trace("wakes %u on %s", woken, model_name(word));
}

static void
carrier_ran(struct fg_ran *ran)
{
	*ran = (struct fg_ran){0};
}

static uint64_t
carrier_now(void)
{
	return model_run.clock += 10;
}

const struct fg_carrier model_carrier = {.name = "model",
					 .start = carrier_start,
					 .wait = carrier_wait,
					 .wake = carrier_wake,
					 .pause = model_pause,
					 .now = carrier_now,
					 .ran = carrier_ran};
