/* The spares (floor: exec): see spare_list.h. */
#include "exec/relief/spare_list.h"

#include "base/spinlock.h"

static struct {
	struct fg_spinlock lock;
	struct fg_spare *idle;
	struct fg_atomic_ptr all;
} spares = {.lock = FG_SPINLOCK_INIT(FG_RANK_POOL)};

struct fg_spare *
fg_spare_list_all(void)
{
	return fg_load_acquire(&spares.all);
}

unsigned
fg_spare_list_count(void)
{
	unsigned n = 0;
	for (struct fg_spare *spare = fg_spare_list_all(); spare; spare = spare->all_next)
		n++;
	return n;
}

void
fg_spare_list_add(struct fg_spare *spare)
{
	assert(spare->base && spare->tid && !spare->idle);
	spare->all_next = fg_load_acquire(&spares.all);
	while (!fg_cas_acq_rel(&spares.all, (void **)&spare->all_next, spare))
		;
}

struct fg_spare *
fg_spare_list_find(int tid, const struct fg_identity *base)
{
	struct fg_spare *spare = fg_spare_list_all();
	while (spare && spare->tid != tid && spare->base != base)
		spare = spare->all_next;
	return spare;
}

struct fg_spare *
fg_spare_list_adopt(int tid, struct fg_atomic_ptr *shell, bool *adopted)
{
	fg_spinlock_lock(&spares.lock);
	struct fg_spare *spare = fg_spare_list_find(tid, NULL);
	*adopted = !spare && (spare = fg_exchange_acq_rel(shell, NULL));
	if (*adopted) {
		spare->tid = tid;
		fg_spare_list_add(spare);
	}
	fg_spinlock_unlock(&spares.lock);
	return spare;
}

struct fg_spare *
fg_spare_list_take_idle(void)
{
	fg_spinlock_lock(&spares.lock);
	struct fg_spare *spare = spares.idle;
	if (spare) {
		assert(spare->idle);
		spares.idle = spare->next;
		spare->idle = false;
	}
	fg_spinlock_unlock(&spares.lock);
	return spare;
}

void
fg_spare_list_put_idle(struct fg_spare *spare)
{
	fg_spinlock_lock(&spares.lock);
	assert(!spare->idle);
	spare->next = spares.idle;
	spare->idle = true;
	spares.idle = spare;
	fg_spinlock_unlock(&spares.lock);
}

bool
fg_spare_list_has_idle(void)
{
	fg_spinlock_lock(&spares.lock);
	bool has = spares.idle != NULL;
	fg_spinlock_unlock(&spares.lock);
	return has;
}

bool
fg_spare_list_is_idle(const struct fg_spare *spare)
{
	fg_spinlock_lock(&spares.lock);
	bool idle = spare->idle;
	fg_spinlock_unlock(&spares.lock);
	return idle;
}

void
fg_spare_list_forget_idle(void)
{
	spares.idle = NULL;
}

void
fg_spare_list_after_fork(void)
{
	fg_spinlock_init(&spares.lock, FG_RANK_POOL);
	spares.idle = NULL;
	fg_store_relaxed(&spares.all, NULL);
}
