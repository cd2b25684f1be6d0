/* Flat and nested regions that several scenarios of exec use. Their members note that they ran. The functions are
 * static, so that the checker sees plain accesses here as in the scenario itself. */
#pragma once
#include "exec/nested/birth.h"
#include "exec/flat/dock.h"
#include "exec/thread/clock.h"
#include "forest/time.h"
#include "interleave/floor.h"
#include "interleave/model.h"

static struct fg_root *root;

/* A flat team. The members see the primary thread's writes, and the primary thread sees theirs. */
static unsigned told, seen[4];

__attribute__((unused)) static void
tell_body(void *job, unsigned member)
{
	model_assert(job == seen && told == 42);
	seen[member]++;
}

__attribute__((unused)) static void
placed_region(unsigned size, const uint16_t *slots, void (*body)(void *job, unsigned member))
{
	struct fg_identity *self = &root->identity;
	model_assert(fg_dock_acquire(self, size, slots));
	told = 42;
	fg_dock_fork(self, body, seen, NULL, NULL);
	body(seen, 0);
	fg_dock_join(self);
	for (unsigned k = 0; k < size; k++)
		model_assert(seen[k] == 1);
	for (unsigned k = 0; k < size; k++)
		seen[k] = 0;
	told = 0;
}

__attribute__((unused)) static void
flat_region(unsigned size, void (*body)(void *job, unsigned member))
{
	placed_region(size, NULL, body);
}

/* A nested region. When it is over, its members' bodies have run. */
static unsigned born[4];

__attribute__((unused)) static void
born_body(void *job, unsigned member)
{
	model_assert(job == born && told == 42);
	born[member]++;
}

/* It is never freed, as a team is not. A former member may look at its words later (exec/nested/rejoin.h). */
__attribute__((unused)) static struct fg_births *
births_new(void (*body)(void *job, unsigned member), void *job)
{
	struct fg_births *births = model_alloc(sizeof *births);
	*births = (struct fg_births){.body = body, .job = job, .width = 2};
	return births;
}

__attribute__((unused)) static void
nested_region(unsigned size, void (*body)(void *job, unsigned member))
{
	struct fg_births *births = births_new(body, born);
	fg_births_publish(fg_self(), births, size);
	body(born, 0);
	fg_births_join(fg_self(), births);
	fg_births_leave(fg_self(), births);
	for (unsigned k = 0; k < size; k++)
		model_assert(born[k] == 1);
}

/* Clocks. The thread that switches a member counts the member's clock, which runs only while the member does. */
static struct fg_time clocked[4];

__attribute__((unused)) static void
clock_begin(unsigned member)
{
	struct fg_identity *self = fg_self();
	model_assert(self->clock.since == 0 || self->entity.time == &clocked[0]);
	fg_clock_take(self, &clocked[member]);
	fg_carrier->pause(); /* time goes on */
}

__attribute__((unused)) static void
clock_end(unsigned member)
{
	struct fg_identity *self = fg_self();
	model_assert(self->entity.time == &clocked[member] && self->clock.since != 0);
	fg_clock_stop(self);
	model_assert(self->clock.since == 0 && fg_load_relaxed(&clocked[member].own) >= 100);
}
