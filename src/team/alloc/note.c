/* The set of blocks about which Fortran code asks (floor: team; called by gomp/alloc.c and boot/process_fork.c): see
 * allocator.h.
 *
 * Any pthread may call, inside or outside, without a lock and in no signal handler: a note comes from malloc, before
 * the lock is taken. Each block is in the set at most once. The lock guards all lists. */
#include "base/log.h"
#include "base/spinlock.h"
#include "exec/thread/identity.h"
#include "team/alloc/allocator.h"
#include <stdlib.h>

#define BUCKETS 64

struct note {
	struct note *next;
	void *block;
};

/* A fork may copy a list in the midst of a change. So the list must be right after each single store to it, in
 * program order. */
static struct {
	struct fg_spinlock lock;
	struct fg_atomic_ptr buckets[BUCKETS]; /* struct note */
} notes = {.lock = FG_SPINLOCK_INIT(FG_RANK_NOTES)};

static struct fg_atomic_ptr *
bucket(void *block)
{
	return &notes.buckets[((uintptr_t)block >> 4) % BUCKETS];
}

/* The result is for unlock. A library that counts the calls of malloc may allocate from inside the runtime. */
static bool
lock(void)
{
	bool inside = fg_enter_again(fg_self());
	fg_spinlock_lock(&notes.lock);
	return inside;
}

static void
unlock(bool inside)
{
	fg_spinlock_unlock(&notes.lock);
	fg_leave_again(fg_self(), inside);
}

void
fg_alloc_note_after_fork(void)
{
	fg_spinlock_init(&notes.lock, FG_RANK_NOTES);
}

void
fg_alloc_note(void *block)
{
	struct note *note = malloc(sizeof *note);
	if (!note)
		fg_fatal("Out of memory allocating %zu bytes", sizeof *note);
	note->block = block;
	bool inside = lock();
	note->next = fg_load_relaxed(bucket(block));
	fg_store_release(bucket(block), note);
	unlock(inside);
}

bool
fg_alloc_forget(void *block)
{
	bool inside = lock();
	struct note *before = NULL, *note = fg_load_relaxed(bucket(block));
	while (note && note->block != block) {
		before = note;
		note = note->next;
	}
	if (note && before)
		before->next = note->next;
	else if (note)
		fg_store_relaxed(bucket(block), note->next);
	unlock(inside);
	free(note);
	return note;
}
