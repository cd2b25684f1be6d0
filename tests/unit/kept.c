/* What a program has learnt of its regions lasts: the text, the file, and what a new run makes of it. */
#define _GNU_SOURCE
#include "share/kept.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "share/learnt.h"
#include "share/lesson.h"
#include "share/notebook.h"

#define HEAD "learnt = 1\n"
#define MS UINT64_C(1000000)
#define S (1000 * MS)
#define PUS 32

static struct fg_notebook book, again;
static char text[FG_NOTEBOOK_BYTES];

static unsigned
read_book(const char *from)
{
	unsigned wrong;
	book = (struct fg_notebook){0};
	assert_true(fg_notebook_read(&book, from, &wrong));
	return wrong;
}

static void
right(void **state)
{
	(void)state;
	assert_int_equal(read_book(""), 0);
	assert_int_equal(read_book("learnt=1 # of a program\n\n # a comment\n  region = ab+7f0 8 1=100 4=50\r\n"
				   "region=ab+7f0 4 2=7 2047=1000000000000000\nregion = ab+7f0 8 2=30 8=20"),
			 0);
	assert_int_equal(book.n, 2);
	const struct fg_notebook_region *eight = fg_notebook_find(&book, "ab+7f0", 8),
					*four = fg_notebook_find(&book, "ab+7f0", 4);
	assert_true(four == book.region && eight == book.region + 1); /* the last one said of it is the newest */
	assert_true(eight->n == 2 && eight->point[0].pus == 2 && eight->point[1].ns == 20);
	assert_int_equal(four->point[1].pus, 2047);
	assert_null(fg_notebook_find(&book, "ab+7f1", 8));
	assert_null(fg_notebook_find(&book, "ab+7f0", 2));
}

static void
wrong_lines_are_left_out(void **state)
{
	static const char *const lines[] = {
		"region",
		"region =",
		"region = ab+7f0",
		"region = ab+7f0 8",
		"region = ab+7f0 8 1=100",
		"region = ab+7f0 8 1=100 1=50",
		"region = ab+7f0 8 4=100 1=50",
		"region = ab+7f0 8 0=100 4=50",
		"region = ab+7f0 8 1=0 4=50",
		"region = ab+7f0 8 1=-3 4=50",
		"region = ab+7f0 8 1=1e3 4=50",
		"region = ab+7f0 8 1=100 2048=50",
		"region = ab+7f0 8 1=1000000000000001 4=50",
		"region = ab+7f0 8 1=99999999999999999999999 4=50",
		"region = ab+7f0 0 1=100 4=50",
		"region = ab+7f0 65536 1=100 4=50",
		"region = ab+7f0 8 1=100, 4=50",
		"region = ab+7f0 8 1 = 100 4=50",
		"region = ab+7f0 81=100 4=50 8=1",
		"region = Main 8 1=100 4=50",
		"region = %s+%n 8 1=100 4=50",
		"region = ab+7f0 8 1=9 2=9 3=9 4=9 5=9 6=9 7=9 8=9 9=9 10=9 11=9 12=9",
		"learnt = 1",
		"x",
		"region = 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234567 8 1=100 4=50",
	};
	(void)state;
	for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
		snprintf(text, sizeof text, HEAD "region = a+1 2 1=2 2=1\n%s\nregion = a+2 2 1=2 2=1\n", lines[i]);
		if (read_book(text) != 3 || book.n != 2)
			fail_msg("%s", lines[i]);
	}
	memset(text, ' ', sizeof text - 1);
	memcpy(text, HEAD, strlen(HEAD));
	assert_int_equal(read_book(text), 2);
}

static void
other_texts(void **state)
{
	static const char *const texts[] = {"\n",	"learnt = 2\n", "learnt = 1 1\n", "#!/bin/sh\n",
					    "learnt\n", "\177ELF",	"pin = 1\n"};
	unsigned wrong;
	(void)state;
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_false(fg_notebook_read(&book, texts[i], &wrong));
}

static const struct fg_curve two = {2, {{1, 9e14}, {1024, .25}}};

/* The oldest ones go. What was written is read. */
static void
bounded(void **state)
{
	char name[FG_NOTEBOOK_NAME];
	struct fg_curve most = {.n = 0};
	(void)state;
	for (; most.n < FG_CURVE_DOUBLINGS; most.n++)
		most.point[most.n] = (struct fg_curve_point){2037 + most.n, 1e30};
	book = (struct fg_notebook){0};
	for (unsigned i = 0; i < FG_NOTEBOOK_REGIONS + 10; i++) {
		snprintf(name, sizeof name, "%0*x+%08x", (int)sizeof name - 10, 0, i);
		fg_notebook_put(&book, name, 65535, i % 2 ? &two : &most);
	}
	assert_int_equal(book.n, FG_NOTEBOOK_REGIONS);
	assert_non_null(fg_notebook_find(&book, name, 65535));
	assert_non_null(strstr(book.region[0].name, "+0000000a"));
	size_t length = fg_notebook_write(&book, text);
	assert_true(length < sizeof text && strlen(text) == length);
	unsigned wrong;
	again = (struct fg_notebook){0};
	assert_true(fg_notebook_read(&again, text, &wrong));
	assert_int_equal(wrong, 0);
	assert_int_equal(again.n, book.n);
	assert_true(again.region[1].point[0].ns == 9e14 && again.region[1].point[1].ns == 1);
}

/* Bytes at random, and wrong bytes in a right text: what is read is right, and is written so that it is read again. */
static void
any_bytes(void **state)
{
	static char good[] = HEAD "region = ab+7f0 8 1=100 4=50\nregion = 12+3 4 1=7 2=6 4=5 # x\n";
	static const char signs[] = "\n\n 0123456789abcdef+==#\t\rregionlearnt1";
	unsigned wrong, readable = 0;
	(void)state;
	srand(1);
	for (unsigned run = 0; run < 20000; run++) {
		size_t length = sizeof good - 1;
		memcpy(text, good, sizeof good);
		for (int i = rand() % 8; i >= 0; i--)
			text[(size_t)rand() % length] =
				rand() % 2 ? signs[(size_t)rand() % (sizeof signs - 1)] : (char)(rand() % 255 + 1);
		if (rand() % 4 == 0)
			text[(size_t)rand() % length] = '\0';
		book = again = (struct fg_notebook){0};
		if (!fg_notebook_read(&book, text, &wrong))
			continue;
		readable++;
		fg_notebook_write(&book, text);
		assert_true(fg_notebook_read(&again, text, &wrong) && !wrong);
		assert_int_equal(again.n, book.n);
		assert_memory_equal(again.region, book.region, book.n * sizeof *book.region);
	}
	assert_in_range(readable, 5000, 19000);
}

/* ---- the file ---- */

static char folder[] = "/tmp/fgkeptXXXXXX", file[64];
static char code[8]; /* a region for each use */

static void
spill(const char *path, const char *content)
{
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fputs(content, out);
	fclose(out);
}

static const char *
content(const char *path)
{
	static char found[4096];
	FILE *in = fopen(path, "r");
	found[in ? fread(found, 1, sizeof found - 1, in) : 0] = '\0';
	if (in)
		fclose(in);
	return found;
}

static int
make_folder(void **state)
{
	(void)state;
	snprintf(file, sizeof file, "%s/learnt", mkdtemp(folder));
	return 0;
}

static int
remove_folder(void **state)
{
	(void)state;
	unlink(file);
	return rmdir(folder); /* nothing else is left there */
}

/* time = 1000 + 9000 / n + 1000 n: three PUs are the best. */
static double
small(unsigned n)
{
	return 1000 + 9000. / n + 1000. * n;
}

static uint64_t now = 5 * S;
static unsigned has;

/* It runs a small region for so long, beside others. Returns what it asks for in the end. */
static unsigned
runs(const char *region, uint64_t for_ns)
{
	unsigned asks = 0;
	const struct fg_team *team = (const void *)code;
	for (uint64_t end = now + for_ns, look = now; now < end;) {
		bool timed = fg_learnt_wants() && fg_learnt_begin(now, team, region, PUS);
		for (now += (uint64_t)small(has); look + 2 * MS <= now; look += 2 * MS) {
			asks = fg_learnt_look(look + 2 * MS, true, PUS, has, PUS);
			has = fg_learnt_bound(PUS);
			fg_learnt_has(look + 2 * MS, has, false);
		}
		if (timed)
			fg_learnt_end(now);
	}
	return asks;
}

static void
recall(const void *region, const char *name)
{
	fg_learnt_recall(region, PUS, name, fg_kept_find(name, PUS));
}

static void
begin_run(void)
{
	fg_learnt_after_fork();
	now += 100 * S;
	has = PUS;
	fg_learnt_has(now, PUS, false);
	now += S;
	fg_learnt_look(now, true, PUS, PUS, PUS);
	fg_kept_start(file);
}

/* A run that learns writes it, and the next one begins with it: soon it asks for what the first run took long
 * to find. Here the second run has its region at another address. */
static void
lasts(void **state)
{
	(void)state;
	spill(file, HEAD "region = ab+1 7 1=3 2=2\n");
	begin_run();
	assert_true(fg_kept_on);
	assert_true(fg_learnt_is_new(&code[0], PUS));
	assert_false(fg_learnt_is_new(&code[0], PUS));
	recall(&code[0], "cd+2");
	assert_int_equal(runs(&code[0], 3 * MS), PUS);
	assert_in_range(runs(&code[0], S / 4), 2, 4);
	assert_true(fg_learnt_is_new(&code[1], PUS));
	recall(&code[1], "cd+3"); /* nothing is learnt of this one */
	fg_kept_end();
	const char *written = content(file);
	assert_ptr_equal(strstr(written, HEAD "region = ab+1 7 1=3 2=2\nregion = cd+2 32 "), written);
	assert_null(strstr(written, "cd+3"));
	begin_run();
	assert_true(fg_learnt_is_new(&code[2], PUS));
	recall(&code[2], "cd+2");
	assert_in_range(runs(&code[2], 8 * MS), 2, 4); /* until then, runs of before begin_run count as well */
	assert_in_range(runs(&code[2], 2 * S), 2, 4);
}

/* The file says that eight PUs are best. That holds for a second or two. */
static void
stale(void **state)
{
	(void)state;
	spill(file, HEAD "region = ef+1 32 4=900000 8=1000 32=900000\n");
	begin_run();
	assert_true(fg_learnt_is_new(&code[3], PUS));
	recall(&code[3], "ef+1");
	assert_in_range(runs(&code[3], 8 * MS), 7, 8);
	assert_in_range(runs(&code[3], 4 * S), 2, 4);
}

/* Whatever stands there, a program has one PU at least, and as many as it has at most. */
static void
any_numbers(void **state)
{
	(void)state;
	srand(2);
	for (unsigned run = 0; run < 3000; run++) {
		struct fg_lesson lesson = {0};
		struct fg_curve curve = {.n = 0};
		unsigned pus = 0, most = 1 + (unsigned)rand() % 40;
		while (curve.n < 2 + (unsigned)rand() % 10 && pus < 2030 && curve.n < FG_CURVE_DOUBLINGS) {
			pus += 1 + (unsigned)rand() % (1u << rand() % 8);
			double ns = rand() % 4 ? 1 + rand() % (1 << rand() % 30) : rand() % 2 ? 1 : 1e15;
			curve.point[curve.n++] = (struct fg_curve_point){pus, ns};
		}
		fg_lesson_recall(&lesson, curve.point, curve.n);
		fg_lesson_read(&lesson, &curve);
		fg_curve_fill(&curve, most);
		unsigned best = fg_curve_best(&curve), optimal = fg_curve_optimal(&curve),
			 probe = fg_curve_probe(&curve, most);
		assert_in_range(best, 1, most);
		assert_in_range(optimal, 1, most);
		assert_in_range(probe, 0, most);
	}
}

/* A file that holds something else stays as it is, at the start and at the end. */
static void
never_replaced(void **state)
{
	(void)state;
	spill(file, "int main;\n");
	begin_run();
	assert_false(fg_kept_on);
	spill(file, "");
	begin_run();
	assert_true(fg_kept_on);
	spill(file, "int main;\n");
	fg_kept_end(); /* of `lasts`, something is known */
	assert_string_equal(content(file), "int main;\n");
	unlink(file);
	assert_int_equal(mkfifo(file, 0600), 0);
	begin_run();
	assert_false(fg_kept_on);
	unlink(file);
	assert_int_equal(mkdir(file, 0700), 0);
	begin_run();
	assert_false(fg_kept_on);
	rmdir(file);
	assert_int_equal(symlink("nowhere", file), 0);
	begin_run();
	assert_false(fg_kept_on);
	unlink(file);
	fg_kept_start("/nowhere/at/all");
	assert_false(fg_kept_on);
}

/* The old file stays where the new one cannot be written, and no other one is left. */
static void
no_room(void **state)
{
	struct rlimit limit, none;
	(void)state;
	spill(file, HEAD "region = ab+1 7 1=3 2=2\n");
	begin_run();
	getrlimit(RLIMIT_FSIZE, &limit);
	none = (struct rlimit){10, limit.rlim_max};
	setrlimit(RLIMIT_FSIZE, &none);
	fg_kept_end();
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_string_equal(content(file), HEAD "region = ab+1 7 1=3 2=2\n");
}

/* A process that was killed in the midst of it has left files of the names that this one would take. All of them stay,
 * and one name after the other is tried. */
static void
names_that_are_taken(void **state)
{
	static const char *const ends[] = {"", ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".9"};
	enum { NAMES = sizeof ends / sizeof *ends };
	char other[96];
	(void)state;
	for (unsigned taken = 1; taken <= NAMES; taken++) {
		spill(file, HEAD "region = ab+1 7 1=3 2=2\n");
		begin_run();
		snprintf(other, sizeof other, "%s.%d%s", file, (int)getpid(), ends[taken - 1]);
		spill(other, "of another program");
		fg_kept_end();
		assert_int_equal(strstr(content(file), "cd+2") != NULL, taken < NAMES);
	}
	for (unsigned i = 0; i < NAMES; i++) {
		snprintf(other, sizeof other, "%s.%d%s", file, (int)getpid(), ends[i]);
		assert_string_equal(content(other), "of another program");
		unlink(other);
	}
}

/* It would be cut in the midst of a number, and the rest would be lost. */
static void
too_long(void **state)
{
	char *text = malloc(FG_NOTEBOOK_BYTES + 1);
	int used = sprintf(text, HEAD);
	(void)state;
	memset(text + used, '#', FG_NOTEBOOK_BYTES - (size_t)used);
	text[FG_NOTEBOOK_BYTES] = '\0';
	spill(file, text);
	begin_run();
	assert_false(fg_kept_on);
	text[FG_NOTEBOOK_BYTES - 2] = '\0';
	spill(file, text);
	begin_run();
	assert_true(fg_kept_on);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right),	  cmocka_unit_test(wrong_lines_are_left_out),
		cmocka_unit_test(other_texts),	  cmocka_unit_test(bounded),
		cmocka_unit_test(any_bytes),	  cmocka_unit_test(lasts),
		cmocka_unit_test(stale),	  cmocka_unit_test(any_numbers),
		cmocka_unit_test(never_replaced), cmocka_unit_test(no_room),
		cmocka_unit_test(too_long),	  cmocka_unit_test(names_that_are_taken),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
