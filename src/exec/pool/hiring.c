/* Hiring (floor: exec): see hiring.h. */
#include "exec/pool/hiring.h"

#include <string.h>

#include "exec/ground/options.h"

struct fg_hiring fg_hiring = {.lock = FG_SPINLOCK_INIT(FG_RANK_POOL)};

void
fg_hiring_mark_locked(const struct fg_dock *but)
{
	bool any = false;
	assert(fg_hiring_valid_locked());
	memset(fg_hiring.used, 0, fg_exec_options.n_pus * sizeof *fg_hiring.used);
	for (const struct fg_dock *dock = fg_hiring.docks; dock; dock = dock->next)
		for (unsigned i = 0; dock != but && i < dock->held; i++)
			any = fg_hiring.used[dock->pu[i]] = true;
	if (!any && !but)
		fg_hiring.used[0] = true; /* the place of a root that has nested regions only */
}

unsigned
fg_hiring_layouts_locked(const struct fg_dock *but)
{
	unsigned n = 0;
	assert(fg_hiring_valid_locked());
	for (const struct fg_dock *dock = fg_hiring.docks; dock; dock = dock->next)
		n += dock != but && dock->held != 0;
	return n;
}

bool
fg_hiring_several(void)
{
	bool inside = fg_enter_again(fg_self());
	fg_spinlock_lock(&fg_hiring.lock);
	bool several = fg_hiring.roots > 1;
	fg_spinlock_unlock(&fg_hiring.lock);
	fg_leave_again(fg_self(), inside);
	return several;
}

bool
fg_hiring_closed(void)
{
	fg_spinlock_lock(&fg_hiring.lock);
	bool closed = fg_hiring.closed;
	fg_spinlock_unlock(&fg_hiring.lock);
	return closed;
}
