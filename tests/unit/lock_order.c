/* The order of locks: a right order passes, and a wrong one ends a child process with an assertion that names the
 * locks. */
#include "base/spinlock.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static struct fg_spinlock low = FG_SPINLOCK_INIT(FG_RANK_PARK), high = FG_SPINLOCK_INIT(FG_RANK_INBOX),
			  other = FG_SPINLOCK_INIT(FG_RANK_PARK), unranked;

/* There is no other thread here. */
void
fg_spinlock_lock_slow(struct fg_spinlock *lock)
{
	(void)lock;
	_exit(3);
}

void
fg_spinlock_wake(struct fg_spinlock *lock)
{
	(void)lock;
}

/* A level and those below it: the earlier locks are not known one by one. */
static void
many(void **state)
{
	(void)state;
	static struct fg_spinlock level[3];
	for (unsigned i = 0; i < 3; i++) {
		fg_spinlock_init(&level[i], FG_RANK_RUNQUEUE);
		fg_spinlock_order(&level[i], i + 1);
		fg_spinlock_lock(&level[i]);
	}
	for (unsigned i = 0; i < 3; i++)
		assert_true(fg_spinlock_held(&level[i]));
	for (unsigned i = 0; i < 3; i++)
		fg_spinlock_unlock(&level[i]);
	assert_true(fg_lock_order_none("is here with"));
}

static void
right(void **state)
{
	(void)state;
	fg_spinlock_lock(&low);
	fg_spinlock_lock(&high);
	assert_true(fg_spinlock_held(&low) && fg_spinlock_held(&high));
	fg_spinlock_unlock(&low);
	fg_spinlock_unlock(&high);
	fg_spinlock_lock(&high);
	assert_true(fg_spinlock_trylock(&low)); /* waits for no thread */
	fg_spinlock_unlock(&high);
	fg_spinlock_pass(&low);
	assert_true(fg_lock_order_switch());
	assert_true(fg_lock_order_none("is here with"));
	fg_spinlock_take_over(&low);
	fg_spinlock_unlock(&low);
	assert_true(fg_lock_order_none("is here with"));
	fg_spinlock_lock(&low);
	fg_spinlock_pass(&low);
	fg_spinlock_take_back(&low);
	fg_spinlock_unlock(&low);
	assert_true(fg_lock_order_none("is here with"));
}

/* Runs it in a child; true if that ended by abort, after a line with `what` on its standard error. */
static bool
dies(void (*wrong)(void), const char *what)
{
	int ends[2], status;
	char text[2000] = "";
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		signal(SIGABRT, SIG_DFL);
		dup2(ends[1], STDERR_FILENO);
		wrong();
		_exit(0);
	}
	close(ends[1]);
	size_t length = 0;
	for (ssize_t got; (got = read(ends[0], text + length, sizeof text - 1 - length)) > 0;)
		length += (size_t)got;
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(text, what);
}

static void
downwards(void)
{
	fg_spinlock_lock(&high);
	fg_spinlock_lock(&low);
}

static void
sideways(void)
{
	fg_spinlock_lock(&low);
	fg_spinlock_lock(&other);
}

static void
no_rank(void)
{
	fg_spinlock_lock(&unranked);
}

static void
not_held(void)
{
	fg_spinlock_unlock(&low);
}

static void
switches(void)
{
	fg_spinlock_lock(&low);
	fg_spinlock_lock(&high);
	fg_spinlock_pass(&high);
	assert(fg_lock_order_switch());
}

static void
takes_back(void)
{
	fg_spinlock_lock(&low);
	fg_spinlock_take_back(&low);
}

static void
not_held_here(void)
{
	fg_spinlock_lock(&low);
	assert(fg_spinlock_held(&high));
}

static void
leaves(void)
{
	fg_spinlock_lock(&low);
	assert(fg_lock_order_none("leaves the runtime with"));
}

static void
wrong(void **state)
{
	(void)state;
	assert_true(dies(downwards, "takes lock"));
	assert_true(dies(downwards, "a worker's inbox"));
	assert_true(dies(sideways, "takes lock"));
	assert_true(dies(no_rank, "not initialised"));
	assert_true(dies(not_held, "without holding it"));
	assert_true(dies(switches, "switches with"));
	assert_true(dies(takes_back, "without having passed it on"));
	assert_true(dies(leaves, "leaves the runtime with"));
	assert_true(dies(not_held_here, "does not hold lock"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(right), cmocka_unit_test(many), cmocka_unit_test(wrong)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
