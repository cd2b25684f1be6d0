/* The board: the file that programs of one user share, and what may be wrong with it; entries that are taken and lost.
 * */
#include "share/board.h"
#include "share/entry.h"
#include "platform/clock.h"
#include "share/share.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define FILE_NAME "forestgomp-2"

static char folder[64], path[96];

static int
setup(void **state)
{
	strcpy(folder, "/tmp/fg-board-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/" FILE_NAME, folder);
	return 0;
}

static int
teardown(void **state)
{
	unlink(path);
	return rmdir(folder);
}

static struct fg_board *
opened(void)
{
	const char *why;
	struct fg_board *board = fg_board_open(folder, &why);
	assert_non_null(board);
	return board;
}

/* The file is refused, or another folder's is taken, and stays as it is. */
static void
refused(const char *word)
{
	const char *why;
	struct stat before, after;
	assert_int_equal(lstat(path, &before), 0);
	assert_null(fg_board_open(folder, &why));
	assert_non_null(why);
	if (!strstr(why, word))
		fail_msg("%s", why);
	assert_int_equal(lstat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(before.st_size, after.st_size);
	unlink(path);
}

static void
whole(void **state)
{
	struct stat file;
	struct fg_board *one = opened(), *two = opened();
	assert_int_equal(stat(path, &file), 0);
	assert_int_equal(file.st_size, 98304);
	assert_int_equal(file.st_mode & 0777, 0600);
	assert_true(file.st_blocks * 512 >= 98304); /* a hole would be a SIGBUS where the file system is full */
	assert_ptr_not_equal(one, two);
	fg_store_relaxed(&one->changes, 7);
	assert_int_equal(fg_load_relaxed(&two->changes), 7); /* it is the same file */
	fg_board_close(one);
	fg_board_close(two);
}

static void
put(const char *bytes, size_t size, mode_t mode)
{
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC, mode);
	assert_true(file >= 0);
	assert_int_equal(write(file, bytes, size), size);
	assert_int_equal(fchmod(file, mode), 0);
	close(file);
}

static void
other_files(void **state)
{
	static char bytes[98304];
	put("", 0, 0600);
	refused("another size");
	put(bytes, 98304, 0600);
	refused("another kind");
	memset(bytes, 0xff, sizeof bytes);
	put(bytes, 98304, 0600);
	refused("another kind");
	put(bytes, 65535, 0600);
	refused("another size");
	put(bytes, 98304, 0660);
	refused("not the user's own");
	fg_board_close(opened());
	assert_int_equal(chmod(path, 0604), 0);
	refused("not the user's own");
	assert_int_equal(mkdir(path, 0700), 0);
	const char *why;
	assert_null(fg_board_open(folder, &why));
	rmdir(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	refused("not the user's own"); /* and nobody waits for a writer */
}

static void
links(void **state)
{
	char target[128], second[128];
	snprintf(target, sizeof target, "%s/elsewhere", folder);
	fg_board_close(opened());
	assert_int_equal(rename(path, target), 0);
	assert_int_equal(symlink(target, path), 0);
	refused("cannot be opened");
	assert_int_equal(symlink("/nowhere/at/all", path), 0);
	refused("cannot be opened");
	snprintf(second, sizeof second, "%s/second", folder);
	assert_int_equal(link(target, path), 0);
	refused("not the user's own"); /* it has two names */
	unlink(target);
}

static void
damage(size_t at, char byte)
{
	int file = open(path, O_RDWR);
	assert_int_equal(pwrite(file, &byte, 1, (off_t)at), 1);
	close(file);
}

static void
other_headers(void **state)
{
	static const size_t places[] = {0, 7, 8, 12, 14, offsetof(struct fg_board, clock)};
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		fg_board_close(opened());
		damage(places[i], 0x5a);
		refused(places[i] == offsetof(struct fg_board, clock) ? "time namespace" : "another kind");
	}
}

/* A file that is older than the system's boot is made anew. */
static void
other_boot(void **state)
{
	struct stat before, after;
	fg_board_close(opened());
	damage(offsetof(struct fg_board, boot), 0x5a);
	damage(offsetof(struct fg_board, boot) + 1, 0x5a);
	assert_int_equal(stat(path, &before), 0);
	struct fg_board *board = opened();
	assert_int_equal(stat(path, &after), 0);
	uint64_t zero[2] = {0};
	assert_memory_not_equal(board->boot, zero, sizeof zero);
	assert_int_equal(fg_load_relaxed(&board->changes), 0);
	fg_board_close(board);
	board = opened();
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	fg_board_close(board);
}

/* A folder that others may enter is not taken, nor one through a link. The folder in /dev/shm serves then, or none. */
static void
folders(void **state)
{
	const char *why;
	char link_name[96];
	assert_int_equal(chmod(folder, 0710), 0);
	struct fg_board *board = fg_board_open(folder, &why);
	if (board)
		fg_board_close(board);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(chmod(folder, 0700), 0);
	snprintf(link_name, sizeof link_name, "%s.link", folder);
	assert_int_equal(symlink(folder, link_name), 0);
	board = fg_board_open(link_name, &why);
	if (board)
		fg_board_close(board);
	assert_int_not_equal(access(path, F_OK), 0);
	unlink(link_name);
}

#define S UINT64_C(1000000000)

static const struct fg_fair_entry full = {2000, FG_FAIR_WEIGHT};
static struct fg_cpuset cpus;
static struct fg_fair_entry entries[FG_BOARD_ENTRIES];

static unsigned
active(struct fg_board *board, unsigned own, uint64_t now)
{
	unsigned place;
	bool others;
	return fg_entry_read(board, own, now, &cpus, entries, &place, &others);
}

static void
taken(void **state)
{
	static struct fg_board board;
	bool others;
	uint64_t now = 100 * S, a = fg_entry_word(5, now), b = fg_entry_word(6, now);
	memset(&board, 0, sizeof board);
	fg_cpuset_add(&cpus, 1);
	assert_int_equal(fg_entry_take(&board, a, now, fg_entry_pack(&full), &others), 0);
	assert_false(others);
	assert_int_equal(fg_entry_take(&board, b, now, fg_entry_pack(&full), &others), 1);
	assert_true(others);
	fg_entry_tell(&board, 0, now, &full, &cpus);
	fg_entry_tell(&board, 1, now, &full, &cpus);
	assert_int_equal(active(&board, 0, now), 1);
	assert_int_equal(active(&board, 0, now + S / 100), 1);
	assert_int_equal(active(&board, 0, now + S / 40), 0); /* stopped, killed, or outside of regions */
	fg_entry_leave(&board, 0, b);
	assert_true(fg_entry_is_own(&board, 0, a)); /* b is not its owner */
	/* Both are old now. One newcomer takes the first, and the other comes free. */
	uint64_t later = now + 11 * S, c = fg_entry_word(7, later);
	assert_int_equal(fg_entry_take(&board, c, later, fg_entry_pack(&full), &others), 0);
	assert_true(others);
	assert_false(fg_entry_is_own(&board, 0, a));
	assert_false(fg_entry_is_own(&board, 1, b));
	fg_entry_leave(&board, 0, a);
	assert_true(fg_entry_is_own(&board, 0, c));
	fg_entry_leave(&board, 0, c);
	assert_int_equal(active(&board, FG_ENTRY_NONE, later), 0);
}

static bool
is_six(int process)
{
	return process == 6;
}

/* A program that rests frees entries that are old, and whose processes are gone. Others keep theirs, and so does it. */
static void
gone(void **state)
{
	static struct fg_board board;
	bool others;
	uint64_t now = 100 * S, own = fg_entry_word(6, now), dead = fg_entry_word(6, now + 1000),
		 idle = fg_entry_word(7, now);
	memset(&board, 0, sizeof board);
	fg_entry_take(&board, own, now, fg_entry_pack(&full), &others);
	fg_entry_take(&board, dead, now, fg_entry_pack(&full), &others);
	assert_true(fg_entry_free_gone(&board, 0, now + S, is_six)); /* it is not old */
	assert_true(fg_entry_is_own(&board, 1, dead));
	assert_false(fg_entry_free_gone(&board, 0, now + 11 * S, is_six));
	assert_false(fg_entry_is_own(&board, 1, dead));
	assert_true(fg_entry_is_own(&board, 0, own));
	fg_entry_take(&board, idle, now, fg_entry_pack(&full), &others);
	assert_true(fg_entry_free_gone(&board, 0, now + 11 * S, is_six)); /* it has a process */
	assert_true(fg_entry_is_own(&board, 1, idle));
}

/* Programs on other PUs do not count. */
static void
apart(void **state)
{
	static struct fg_board board;
	struct fg_cpuset far;
	bool others;
	uint64_t now = 100 * S;
	memset(&board, 0, sizeof board);
	fg_cpuset_clear(&far);
	fg_cpuset_add(&far, 900);
	fg_cpuset_add(&cpus, 1);
	fg_entry_take(&board, 1, now, fg_entry_pack(&full), &others);
	fg_entry_tell(&board, 0, now, &full, &far);
	assert_int_equal(active(&board, FG_ENTRY_NONE, now), 0);
	fg_cpuset_add(&far, 1);
	fg_entry_tell(&board, 0, now, &full, &far);
	assert_int_equal(active(&board, FG_ENTRY_NONE, now), 1);
}

static void
full_board(void **state)
{
	static struct fg_board board;
	bool others;
	uint64_t now = 100 * S;
	memset(&board, 0, sizeof board);
	for (unsigned i = 0; i < FG_BOARD_ENTRIES; i++) {
		assert_int_equal(fg_entry_take(&board, i + 1, now, fg_entry_pack(&full), &others), i);
		fg_entry_tell(&board, i, now, &full, &cpus);
	}
	assert_int_equal(fg_entry_take(&board, 999, now, fg_entry_pack(&full), &others), FG_ENTRY_NONE);
	assert_int_equal(active(&board, 3, now), FG_BOARD_ENTRIES - 1);
	assert_int_equal(active(&board, FG_ENTRY_NONE, now), FG_BOARD_ENTRIES - 1);
	/* A program without an entry puts itself among them, and there is room for all. */
	struct fg_fair_entry entries[FG_BOARD_ENTRIES];
	unsigned place, n = fg_entry_read(&board, FG_ENTRY_NONE, now, &cpus, entries, &place, &others);
	assert_int_equal(n, FG_BOARD_ENTRIES - 1);
	assert_in_range(place, 0, n);
}

/* The commands: `forestgomp top` copies the bytes, and `forestgomp limit` maps them. Neither makes a board. */
static void
found(void **state)
{
	static struct fg_board copy;
	const char *why;
	struct stat before, after;
	assert_null(fg_board_find(folder, &why));
	assert_null(why);
	assert_false(fg_board_read(folder, &copy, &why));
	assert_null(why);
	assert_int_not_equal(access(path, F_OK), 0);
	struct fg_board *board = opened();
	fg_store_relaxed(&board->entry[7].taken, 77);
	assert_int_equal(stat(path, &before), 0);
	assert_true(fg_board_read(folder, &copy, &why));
	assert_int_equal(fg_load_relaxed(&copy.entry[7].taken), 77);
	assert_int_equal(stat(path, &after), 0);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
	struct fg_board *mapped = fg_board_find(folder, &why);
	assert_non_null(mapped);
	fg_store_relaxed(&mapped->changes, 5);
	assert_int_equal(fg_load_relaxed(&board->changes), 5);
	fg_board_close(mapped);
	fg_board_close(board);
	damage(0, 0x5a);
	assert_false(fg_board_read(folder, &copy, &why));
	assert_string_equal(why, "the file " FILE_NAME " is of another kind");
	assert_null(fg_board_find(folder, &why));
	assert_int_equal(truncate(path, 4096), 0);
	assert_false(fg_board_read(folder, &copy, &why));
	assert_string_equal(why, "the file " FILE_NAME " has another size");
}

/* A limit is for the owner that was meant. It holds for the next look, and goes with the process to another entry. */
static void
limited(void **state)
{
	static struct fg_board board;
	bool others;
	uint64_t now = 100 * S, a = fg_entry_word(5, now), b = fg_entry_word(6, now), c = fg_entry_word(5, now + 1000);
	memset(&board, 0, sizeof board);
	fg_entry_take(&board, a, now, fg_entry_pack(&full), &others);
	assert_int_equal(fg_entry_limit_of(&board, 0, a, 0), 0);
	assert_int_equal(fg_entry_limit_of(&board, 0, a, 3), 3);
	assert_false(fg_entry_limit(&board, 0, b, 2));
	assert_int_equal(fg_entry_limit_of(&board, 0, a, 3), 3);
	assert_true(fg_entry_limit(&board, 0, a, 2));
	assert_int_equal(fg_load_relaxed(&board.changes), 2);
	assert_int_equal(fg_entry_limit_of(&board, 0, a, 3), 2);
	assert_int_equal(fg_entry_limit_of(&board, 0, b, 0), 0);
	assert_int_equal(fg_entry_limit_of(&board, 0, c, 0), 0); /* the same number of a process, later */
	assert_true(fg_entry_limit(&board, 0, a, 0));
	assert_int_equal(fg_entry_limit_of(&board, 0, a, 3), 0);
}

static bool
is_active(struct fg_board *board, uint64_t now)
{
	return fg_entry_is_active(fg_load_relaxed(&board->entry[0].stamp), now);
}

/* A program that has left its region says so at the second look after that, and not in a short pause. */
static void
left(void **state)
{
	enum { MS = 1000000 };
	struct fg_board *board = opened();
	const struct fg_share_state in = {.in_region = true, .busy = 2, .pus = 2}, out = {.busy = 1, .pus = 2};
	fg_share_start(folder);
	fg_share_join(2, false, &cpus);
	uint64_t now = fg_clock_ns(CLOCK_MONOTONIC) + S;
	fg_share_look(now, &in, &cpus);
	fg_share_look(now + 2 * MS, &out, &cpus);
	assert_true(is_active(board, now + 2 * MS));
	fg_share_look(now + 3 * MS, &in, &cpus);
	fg_share_look(now + 5 * MS, &out, &cpus);
	uint32_t changes = fg_load_relaxed(&board->changes);
	assert_true(is_active(board, now + 5 * MS));
	fg_share_look(now + 7 * MS, &out, &cpus);
	assert_false(is_active(board, now + 7 * MS));
	assert_int_equal(fg_load_relaxed(&board->changes), changes + 1);
	fg_share_look(now + 9 * MS, &out, &cpus);
	assert_int_equal(fg_load_relaxed(&board->changes), changes + 1);
	fg_share_look(now + 11 * MS, &in, &cpus);
	assert_true(is_active(board, now + 11 * MS));
	assert_int_equal(fg_load_relaxed(&board->changes), changes + 2);
	fg_share_end();
	fg_share_after_fork(); /* the next test joins anew */
	fg_board_close(board);
}

/* Whatever the bytes are, a look ends, and its answer is a number of PUs that the process has. */
static void
any_bytes(void **state)
{
	struct fg_board *board = opened();
	unsigned char *bytes = (unsigned char *)board;
	const char *why;
	const struct fg_share_state looks = {.in_region = true, .busy = 2, .pus = 2};
	srand(3);
	fg_share_start(folder);
	assert_true(fg_sharing.on);
	fg_cpuset_add(&cpus, 1);
	fg_share_join(2, false, &cpus);
	assert_non_null(fg_load_relaxed(&fg_sharing.board));
	uint64_t begin = fg_clock_ns(CLOCK_MONOTONIC);
	for (unsigned round = 0; round < 3000; round++) {
		uint64_t now = begin + round * S / 500;
		unsigned first = (unsigned)rand() % 98304, n = (unsigned)rand() % 4096;
		for (unsigned i = first; i < first + n && i < 98304; i++)
			bytes[i] = round % 3 ? (unsigned char)rand() : round % 2 ? 0xff : 0;
		if (rand() % 2) /* as if some of them were active */
			for (unsigned i = 0; i < FG_BOARD_ENTRIES; i++)
				fg_store_relaxed(&board->entry[i].stamp, now - (uint64_t)(rand() % 40) * 1000000);
		assert_in_range(fg_share_look(now, &looks, &cpus), 1, 2);
	}
	fg_share_end();
	assert_null(fg_load_relaxed(&fg_sharing.board));
	fg_board_close(board);
	board = fg_board_open(folder, &why);
	if (board)
		fg_board_close(board);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whole, setup, teardown),
		cmocka_unit_test_setup_teardown(other_files, setup, teardown),
		cmocka_unit_test_setup_teardown(links, setup, teardown),
		cmocka_unit_test_setup_teardown(other_headers, setup, teardown),
		cmocka_unit_test_setup_teardown(other_boot, setup, teardown),
		cmocka_unit_test_setup_teardown(folders, setup, teardown),
		cmocka_unit_test(taken),
		cmocka_unit_test(gone),
		cmocka_unit_test(apart),
		cmocka_unit_test(full_board),
		cmocka_unit_test_setup_teardown(found, setup, teardown),
		cmocka_unit_test(limited),
		cmocka_unit_test_setup_teardown(left, setup, teardown),
		cmocka_unit_test_setup_teardown(any_bytes, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
