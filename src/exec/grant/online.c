/* Online (floor: exec): see online.h. */
#define _GNU_SOURCE
#include "exec/grant/online.h"

#include <sched.h>

#include "exec/body/binding.h"
#include "exec/body/seat.h"
#include "exec/ground/options.h"
#include "exec/thread/all_workers.h"
#include "exec/thread/facts.h"
#include "exec/thread/levels.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/sandbox.h"
#include "platform/system_call.h"
#include "sched/policy.h"

#define LOOK_NS 20000000

static uint64_t looked; /* monitor only */

/* Returns false if the worker has no kernel thread, or rides on that of another. Workers are never freed. `tid` may be
 * that of a kernel thread that has just ended, so workers whose hire is over are skipped; later it is 0. */
FG_READS_HINTS static bool
mask_of_kernel(struct fg_worker *worker, struct fg_cpuset *mask)
{
	const struct fg_worker *head = fg_load_relaxed(&worker->head);
	return !fg_load_relaxed(&fg_parts(worker)->hire.over) && (!head || head == worker) &&
	       fg_binding_mask(worker, mask);
}

/* Returns false, too, if the worker is bound to its seat. */
FG_READS_HINTS static bool
mask_of(struct fg_worker *worker, struct fg_cpuset *mask)
{
	return mask_of_kernel(worker, mask) && !fg_seat_is(worker, mask);
}

/* What the program has set. A root's seat hides that of a thread of the program, but it is known. */
FG_READS_HINTS static bool
mask_of_program(struct fg_worker *worker, struct fg_cpuset *mask)
{
	bool known = mask_of_kernel(worker, mask);
	if (known)
		fg_seat_see_through(worker, mask);
	return known;
}

/* The union of the masks that all kernel threads have for the program. If someone has taken a PU from all of these, the
 * process may not use it. If the runtime binds threads, the result is the mask that the process had at the start. */
FG_READS_HINTS static void
mask_of_process(struct fg_cpuset *all)
{
	struct fg_cpuset one;
	bool known = false;
	fg_cpuset_clear(all);
	for (struct fg_worker *worker = fg_worker_after(NULL); worker && !fg_exec_options.binds;
	     worker = fg_worker_after(worker)) {
		if (!mask_of_program(worker, &one))
			continue;
		known = true;
		for (unsigned i = 0; i < FG_CPUSET_WORDS; i++)
			all->bits[i] |= one.bits[i];
	}
	if (!known)
		*all = fg_exec_options.cpus;
}

/* Masks lie in frames of their own, because a stack may be small. */
__attribute__((noinline)) static bool
is_own(const struct fg_cpuset *mask)
{
	struct fg_cpuset own;
	return !fg_cpuset_affinity(&own) || fg_cpuset_equal(&own, mask);
}

void
fg_online_begin(void)
{
	struct fg_cpuset wanted;
	mask_of_process(&wanted);
	if (!is_own(&wanted))
		fg_system_call_bind(0, sizeof wanted, (const cpu_set_t *)&wanted);
	looked = 0;
}

static bool
has_all(const struct fg_cpuset *set, const struct fg_cpuset *part)
{
	for (unsigned i = 0; i < FG_CPUSET_WORDS; i++)
		if (part->bits[i] & ~set->bits[i])
			return false;
	return true;
}

/* The masks of the kernel threads of all workers. */
struct masks {
	struct fg_cpuset first; /* one of them */
	unsigned n;
	bool alike, right; /* all are the same; that of a root is the caller's */
	bool of_a_root;	   /* that of a root is known */
};

__attribute__((noinline)) FG_READS_HINTS static void
look_at_masks(struct masks *masks, const struct fg_cpuset *own)
{
	struct fg_cpuset mask;
	*masks = (struct masks){.alike = true};
	for (struct fg_worker *worker = fg_worker_after(NULL); worker; worker = fg_worker_after(worker)) {
		bool of_root = fg_worker_is_of_root(worker);
		if (of_root ? !mask_of_program(worker, &mask) : !mask_of(worker, &mask))
			continue;
		if (!masks->n++)
			masks->first = mask;
		masks->alike = masks->alike && fg_cpuset_equal(&masks->first, &mask);
		masks->of_a_root |= of_root;
		masks->right |= of_root && fg_cpuset_equal(&mask, own);
	}
}

/* Takes from other kernel threads the PUs that the caller has not. */
__attribute__((noinline)) FG_READS_HINTS static void
narrow_others(const struct fg_cpuset *own)
{
	struct fg_cpuset mask;
	for (struct fg_worker *worker = fg_worker_after(NULL); worker; worker = fg_worker_after(worker))
		if (!fg_worker_is_of_root(worker) && mask_of(worker, &mask) && !fg_cpuset_equal(&mask, own) &&
		    has_all(&mask, own))
			fg_system_call_bind(fg_worker_tid(worker), sizeof *own, (const cpu_set_t *)own);
}

/* A user sets the masks of all threads one after the other, and may miss two of them. The caller was just being made. A
 * worker was just going to its PU, and then wrote back the mask that it had before (platform/nearby.c). The mask of a
 * thread of the program tells: the runtime never writes that, unless it binds threads to places or seats. A seat is
 * left out. */
__attribute__((noinline)) static void
set_right(struct fg_cpuset *own)
{
	struct masks masks;
	look_at_masks(&masks, own);
	if (masks.alike && masks.n > 1 && masks.of_a_root && !fg_cpuset_equal(&masks.first, own)) {
		*own = masks.first;
		fg_system_call_bind(0, sizeof *own, (const cpu_set_t *)own);
	}
	if (!masks.alike && masks.right)
		narrow_others(own);
}

/* A PU of a made-up machine is not one of the kernel's, so it is never away. */
static bool
is_away(const struct fg_runqueue *leaf, const struct fg_cpuset *now)
{
	return fg_cpuset_has(&fg_exec_options.cpus, leaf->cpu) && !fg_cpuset_has(now, leaf->cpu);
}

/* All news must be known before any policy is told. */
FG_READS_HINTS void
fg_online_look(uint64_t now)
{
	struct fg_cpuset mask;
	bool back = false, changed = false;
	assert(!fg_self_preemptible() && fg_lock_order_none("looks at the PUs with"));
	if (now - looked < LOOK_NS)
		return;
	looked = now;
	if (!fg_cpuset_affinity(&mask))
		return;
	if (!fg_exec_options.binds && fg_sandbox_allows(FG_SANDBOX_PLACES))
		set_right(&mask);
	for (unsigned pu = 0; pu < fg_exec_options.n_pus; pu++) {
		struct fg_runqueue *leaf = fg_levels_leaf(pu);
		uint32_t was = fg_load_relaxed(&leaf->away), away = is_away(leaf, &mask);
		leaf->away_news = was != away;
		fg_store_relaxed(&leaf->away, away);
		back |= was && !away;
		changed |= was != away;
	}
	if (fg_seat_on)
		fg_seat_mask_of_process(&mask);
	if (back || (changed && fg_seat_on))
		fg_add_relaxed(&fg_all_workers.returns, 1);
	for (unsigned pu = 0; changed && pu < fg_exec_options.n_pus; pu++)
		if (fg_levels_leaf(pu)->away_news)
			fg_policy_machine_changed(fg_levels_leaf(pu));
	if (changed && fg_policies.wants & FG_WANTS_REDISTRIBUTE)
		fg_policy_redistribute(FGOMP_MACHINE_CHANGED, fg_levels_top());
}
