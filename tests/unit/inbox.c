/* Unit tests of a worker's inbox: threads leave it in the order in which they came, and it may run empty. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "exec/loop/inbox.h"

#include <cmocka.h>

#define THREADS 4

static struct fg_inbox inbox;
static struct fg_identity thread[THREADS];

static int
begin(void **state)
{
	(void)state;
	memset(&inbox, 0, sizeof inbox);
	fg_spinlock_init(&inbox.lock, FG_RANK_INBOX);
	inbox.tail = &inbox.first;
	for (unsigned i = 0; i < THREADS; i++)
		thread[i] = (struct fg_identity){.next = &thread[i]}; /* `next` means nothing yet */
	return 0;
}

static void
counts(unsigned count)
{
	assert_int_equal(fg_load_relaxed(&inbox.count), count);
	unsigned n = 0;
	struct fg_identity **link = &inbox.first;
	for (; *link && n <= THREADS; link = &(*link)->next)
		n++;
	assert_int_equal(n, count);
	assert_ptr_equal(inbox.tail, link);
}

static void
keeps_the_order(void **state)
{
	(void)state;
	for (unsigned rounds = 0; rounds < 2; rounds++) {
		assert_null(fg_inbox_take(&inbox));
		for (unsigned i = 0; i < THREADS; i++) {
			fg_inbox_put(&inbox, &thread[i]);
			counts(i + 1);
		}
		for (unsigned i = 0; i < THREADS; i++) {
			assert_ptr_equal(fg_inbox_take(&inbox), &thread[i]);
			counts(THREADS - 1 - i);
		}
	}
	assert_null(fg_inbox_take(&inbox));
}

static void
takes_between_puts(void **state)
{
	(void)state;
	fg_inbox_put(&inbox, &thread[0]);
	for (unsigned i = 1; i < 4 * THREADS; i++) {
		fg_inbox_put(&inbox, &thread[i % THREADS]);
		counts(2);
		assert_ptr_equal(fg_inbox_take(&inbox), &thread[(i - 1) % THREADS]);
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
			fg_inbox_put(&inbox, &thread[i]);
		struct fg_identity **link = &inbox.first;
		for (unsigned i = 0; i < at; i++)
			link = &(*link)->next;
		fg_spinlock_lock(&inbox.lock);
		assert_ptr_equal(fg_inbox_unlink_locked(&inbox, link), &thread[at]);
		assert_null(fg_inbox_unlink_locked(&inbox, inbox.tail));
		fg_spinlock_unlock(&inbox.lock);
		counts(THREADS - 1);
		fg_inbox_put(&inbox, &thread[at]);
		counts(THREADS);
		for (unsigned i = 0; i < THREADS; i++)
			if (i != at)
				assert_ptr_equal(fg_inbox_take(&inbox), &thread[i]);
		assert_ptr_equal(fg_inbox_take(&inbox), &thread[at]);
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
