/* The spares (floor: exec): see spare_list.h. */
#include "exec/relief/spare_list.h"

#include "base/spinlock.h"

static struct fg_spinlock lock = FG_SPINLOCK_INIT(FG_RANK_POOL);
static struct fg_spare *idle_spares;
static struct fg_atomic_ptr all_spares;

struct fg_spare *
fg_spare_list_all(void)
{
	return fg_load_acquire(&all_spares);
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
	spare->all_next = fg_load_acquire(&all_spares);
	while (!fg_cas_acq_rel(&all_spares, (void **)&spare->all_next, spare))
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
fg_spare_list_take_idle(void)
{
	fg_spinlock_lock(&lock);
	struct fg_spare *spare = idle_spares;
	if (spare) {
		assert(spare->idle);
		idle_spares = spare->next;
		spare->idle = false;
	}
	fg_spinlock_unlock(&lock);
	return spare;
}

void
fg_spare_list_put_idle(struct fg_spare *spare)
{
	fg_spinlock_lock(&lock);
	assert(!spare->idle);
	spare->next = idle_spares;
	spare->idle = true;
	idle_spares = spare;
	fg_spinlock_unlock(&lock);
}

bool
fg_spare_list_has_idle(void)
{
	fg_spinlock_lock(&lock);
	bool has = idle_spares != NULL;
	fg_spinlock_unlock(&lock);
	return has;
}

bool
fg_spare_list_is_idle(const struct fg_spare *spare)
{
	fg_spinlock_lock(&lock);
	bool idle = spare->idle;
	fg_spinlock_unlock(&lock);
	return idle;
}

void
fg_spare_list_forget_idle(void)
{
	idle_spares = NULL;
}

void
fg_spare_list_after_fork(void)
{
	fg_spinlock_init(&lock, FG_RANK_POOL);
	idle_spares = NULL;
	fg_store_relaxed(&all_spares, NULL);
}
