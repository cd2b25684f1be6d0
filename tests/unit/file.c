/* A thread with descriptors of its own neither closes those of the process nor meets them. */
#include "platform/file.h"
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

struct seen {
	int open_before; /* of the process: a descriptor */
	int opened;	 /* by the thread */
	bool parted, met;
};

static void *
part(void *arg)
{
	struct seen *seen = arg;
	seen->parted = fg_file_part();
	seen->met = fcntl(seen->open_before, F_GETFD) != -1;
	seen->opened = fg_file_open("/dev/null", O_RDONLY);
	return NULL;
}

static void
own_descriptors(void **state)
{
	pthread_t thread;
	struct seen seen = {.open_before = open("/dev/null", O_RDONLY)};
	assert_true(seen.open_before >= 0);
	assert_int_equal(pthread_create(&thread, NULL, part, &seen), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	if (!seen.parted)
		skip(); /* Linux before 5.9 */
	assert_false(seen.met);
	assert_int_equal(seen.opened, 0);
	assert_int_not_equal(fcntl(seen.open_before, F_GETFD), -1);
	assert_int_not_equal(fcntl(0, F_GETFD), -1);
	close(seen.open_before);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(own_descriptors)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
