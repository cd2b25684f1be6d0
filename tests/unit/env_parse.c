/* The readers of the environment on texts of no sense: they end, stay within their memory (sanitizer builds tell), and
 * leave alone a value that they refuse. tests/env compares the results of good and bad values with gcc's libgomp. */
#include "team/env/parse.h"
#include "team/env/icv.h"
#include "team/places/list.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char *const pieces[] = {
	"0",
	"1",
	"7",
	"12",
	"63",
	"64",
	"65536",
	"99999999999999999999",
	"-1",
	"+3",
	",",
	":",
	";",
	"(",
	")",
	"{",
	"}",
	"!",
	" ",
	"\t",
	"static",
	"dynamic",
	"guided",
	"monotonic",
	"nonmonotonic",
	"true",
	"false",
	"close",
	"spread",
	"master",
	"primary",
	"cores",
	"threads",
	"k",
	"M",
	"infinite",
	"x",
	"-",
	"0x",
	"\xff",
};

static uint64_t state = 1;

static unsigned
below(unsigned bound)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(state >> 33) % bound;
}

static void
make_text(char *text, size_t size)
{
	*text = '\0';
	for (unsigned left = below(12); left > 0; left--) {
		const char *piece = pieces[below(sizeof pieces / sizeof *pieces)];
		if (strlen(text) + strlen(piece) < size)
			strcat(text, piece);
	}
}

static void
numbers(const char *name)
{
	unsigned long number = 42;
	unsigned small = 42;
	uint64_t size = 42;
	bool flag = true;
	assert_true(fg_env_ulong(name, &number, false) ? number > 0 : number == 42);
	assert_true(fg_env_uint(name, &small, true) ? small <= INT32_MAX : small == 42);
	assert_true(fg_env_bool(name, &flag) || flag);
	assert_true(fg_env_size(name, &size) || size == 42);
	size = 42;
	assert_true(fg_env_turns(name, &size) || size == 42);
}

static void
lists(const char *name)
{
	unsigned first = 42, length = 0;
	const unsigned *list = NULL;
	if (fg_env_list(name, &first, &list, &length))
		assert_true(first > 0 && (list ? length > 1 && list[0] == first : length == 0));
	else
		assert_true(first == 42 && !list && length == 0);
	free((void *)list);
	unsigned char kind = 42;
	const unsigned char *kinds = NULL;
	length = 0;
	if (fg_env_bind(name, &kind, &kinds, &length))
		assert_true(kind <= FG_BIND_SPREAD && (kinds ? length > 1 && kinds[0] == kind : length == 0));
	else
		assert_true(kind == 42 && !kinds && length == 0);
	free((void *)kinds);
	unsigned schedule = 42;
	int chunk = 42;
	if (fg_env_schedule(name, &schedule, &chunk))
		assert_true(chunk >= 0);
}

static void
nonsense(void **unused)
{
	char text[256];
	int null = open("/dev/null", O_WRONLY), saved = dup(STDERR_FILENO);
	dup2(null, STDERR_FILENO);
	for (unsigned i = 0; i < 100000; i++) {
		make_text(text, sizeof text);
		setenv("FG_TEST", text, 1);
		numbers("FG_TEST");
		lists("FG_TEST");
		setenv("OMP_PLACES", text, 1);
		setenv("GOMP_CPU_AFFINITY", text, 1);
		fg_places_from_env(i % 8 == 0);
	}
	dup2(saved, STDERR_FILENO);
	close(null);
}

int
main(void)
{
	alarm(300);
	fg_places_read_mask();
	const struct CMUnitTest tests[] = {cmocka_unit_test(nonsense)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
