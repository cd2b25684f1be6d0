/* Unit tests of a worker's inbox: threads leave it in the order in which they came, and it may run empty. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "exec/loop/inbox.h"
#include "exec/thread/worker_parts.h"

#include <cmocka.h>

#define THREADS 4

static struct fg_whole_worker whole;
static struct fg_identity thread[THREADS];

static int
begin(void **state)
{
	(void)state;
	memset(&whole, 0, sizeof whole);
	fg_spinlock_init(&whole.worker.pinned.lock, FG_RANK_INBOX);
	whole.worker.pinned.tail = &whole.worker.pinned.first;
	for (unsigned i = 0; i < THREADS; i++)
		thread[i] = (struct fg_identity){.pinned = &whole.worker,
						 .next = &thread[i]}; /* `next` means nothing yet */
	return 0;
}

static void
counts(unsigned count)
{
	assert_int_equal(fg_load_relaxed(&whole.worker.pinned.count), count);
	unsigned n = 0;
	struct fg_identity **link = &whole.worker.pinned.first;
	for (; *link && n <= THREADS; link = &(*link)->next)
		n++;
	assert_int_equal(n, count);
	assert_ptr_equal(whole.worker.pinned.tail, link);
}

static void
keeps_the_order(void **state)
{
	(void)state;
	for (unsigned rounds = 0; rounds < 2; rounds++) {
		assert_null(fg_inbox_take(&whole.worker));
		for (unsigned i = 0; i < THREADS; i++) {
			fg_inbox_put(&whole.worker, &thread[i]);
			counts(i + 1);
		}
		for (unsigned i = 0; i < THREADS; i++) {
			assert_ptr_equal(fg_inbox_take(&whole.worker), &thread[i]);
			counts(THREADS - 1 - i);
		}
	}
	assert_null(fg_inbox_take(&whole.worker));
}

static void
takes_between_puts(void **state)
{
	(void)state;
	fg_inbox_put(&whole.worker, &thread[0]);
	for (unsigned i = 1; i < 4 * THREADS; i++) {
		fg_inbox_put(&whole.worker, &thread[i % THREADS]);
		counts(2);
		assert_ptr_equal(fg_inbox_take(&whole.worker), &thread[(i - 1) % THREADS]);
		counts(1);
	}
}

/* Any thread of the list may leave it: the first, one within, the last. The next one that comes is the last. */
static void
unlinks_at_any_place(void **state)
{
	for (unsigned at = 0; at < THREADS; at++) {
		begin(state);
		for (unsigned i = 0; i < THREADS; i++)
			fg_inbox_put(&whole.worker, &thread[i]);
		struct fg_identity **link = &whole.worker.pinned.first;
		for (unsigned i = 0; i < at; i++)
			link = &(*link)->next;
		fg_spinlock_lock(&whole.worker.pinned.lock);
		assert_ptr_equal(fg_inbox_unlink_locked(&whole.worker, link), &thread[at]);
		assert_null(fg_inbox_unlink_locked(&whole.worker, whole.worker.pinned.tail));
		fg_spinlock_unlock(&whole.worker.pinned.lock);
		counts(THREADS - 1);
		fg_inbox_put(&whole.worker, &thread[at]);
		counts(THREADS);
		for (unsigned i = 0; i < THREADS; i++)
			if (i != at)
				assert_ptr_equal(fg_inbox_take(&whole.worker), &thread[i]);
		assert_ptr_equal(fg_inbox_take(&whole.worker), &thread[at]);
		counts(0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(keeps_the_order, begin),
		cmocka_unit_test_setup(takes_between_puts, begin),
		cmocka_unit_test_setup(unlinks_at_any_place, begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
