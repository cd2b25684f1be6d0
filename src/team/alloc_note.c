/* The set of blocks that Fortran code asks about (floor: team; called by gomp): see alloc.h. */
#include "base/log.h"
#include "base/spinlock.h"
#include "team/alloc.h"
#include <stdlib.h>

#define BUCKETS 64

struct note {
	struct note *next;
	void *block;
};

static struct fg_spinlock lock = FG_SPINLOCK_INIT(FG_RANK_NOTES);
static struct note *buckets[BUCKETS];

static struct note **
bucket(void *block)
{
	return &buckets[((uintptr_t)block >> 4) % BUCKETS];
}

void
fg_alloc_note(void *block)
{
	struct note *note = malloc(sizeof *note);
	if (!note)
		fg_fatal("Out of memory allocating %zu bytes", sizeof *note);
	note->block = block;
	fg_spinlock_lock(&lock);
	note->next = *bucket(block);
	*bucket(block) = note;
	fg_spinlock_unlock(&lock);
}

bool
fg_alloc_forget(void *block)
{
	fg_spinlock_lock(&lock);
	struct note **at = bucket(block);
	while (*at && (*at)->block != block)
		at = &(*at)->next;
	struct note *note = *at;
	if (note)
		*at = note->next;
	fg_spinlock_unlock(&lock);
	free(note);
	return note;
}
