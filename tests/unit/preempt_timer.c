/* Timers of preemption: a worker that no kernel thread carries has none, and no other timer of the process changes. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "exec/thread/parts_state.h"
#include "exec/watch/preempt_timer.h"

static int
make_timer_of_program(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	int timer = -1;
	assert_int_equal(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer), 0);
	return timer;
}

static void
without_a_kernel_thread(void **state)
{
	(void)state;
	struct itimerspec spec = {0};
	bool on = false;
	int other = make_timer_of_program();
	/* A timer that was never made has the number 0, which the system may have given to another one. */
	struct fg_preempting timer = {.timer = other};
	for (int turn = 0; turn < 2; turn++) {
		fg_preempt_timer_turn(&timer, &on, 0, true, SIGURG);
		assert_false(on);
		assert_int_equal(timer.timer_tid, 0);
	}
	assert_int_equal(syscall(SYS_timer_gettime, other, &spec), 0);
	assert_int_equal(spec.it_value.tv_sec, 0);
	assert_int_equal(spec.it_value.tv_nsec, 0);
	syscall(SYS_timer_delete, other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(without_a_kernel_thread)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
