// The calls of forestgomp/memory.h where there may be only one node: memory is allocated in each way, split, located,
// moved and freed, and its content stays. Bad input gives an error and one line each, and nothing happens.
// env: FGOMP_VERBOSE=true
// env: FGOMP_VERBOSE=true FGOMP_SCHED=affinity
// threads: 1 4
// stock: fails (the calls are ForestGOMP's)
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../../include/forestgomp/memory.h"
#include "check.h"

#pragma weak fgomp_pages_access_cost
#pragma weak fgomp_pages_alloc
#pragma weak fgomp_pages_free
#pragma weak fgomp_pages_locate
#pragma weak fgomp_pages_move
#pragma weak fgomp_pages_move_cost
#pragma weak fgomp_pages_nodes
#pragma weak fgomp_pages_register
#pragma weak fgomp_pages_room
#pragma weak fgomp_pages_split
#pragma weak fgomp_pages_unregister
#pragma weak fgomp_pages_wait

enum { PAGE = 4096, PAGES = 40, NODES = 64, BYTES = PAGES * PAGE - 100 };

static unsigned home; // a node that the process may use

static void
fill(char *start, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		start[i] = (char)(i * 7 + i / PAGE);
}

static bool
holds(const char *start, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (start[i] != (char)(i * 7 + i / PAGE))
			return false;
	return true;
}

static size_t
located(const char *start, size_t bytes)
{
	size_t on[NODES], sum = 0;
	int error = fgomp_pages_locate(start, bytes, on, NODES);
	if (error == ENOSYS && syscall(SYS_move_pages, 0, 0, NULL, NULL, NULL, 0) != 0) // a sandbox forbids it
		return bytes == 1 ? 0 : bytes;
	CHECK(error == 0, "%d", error);
	for (unsigned i = 0; i < NODES; i++)
		sum += on[i];
	return sum;
}

static void
good(void)
{
	unsigned weights[] = {3};
	struct fgomp_pages_wish wishes[] = {
		{0}, {.n_nodes = 1, .nodes = &home, .weights = weights}, {.flags = FGOMP_PAGES_OF_TEAM}};
	for (int how = FGOMP_PAGES_FIRST_TOUCH; how <= FGOMP_PAGES_BLOCKS; how++)
		for (int k = 0; k < 6; k++) {
			if (how == FGOMP_PAGES_WEIGHTED && k % 3 != 1)
				continue;
			struct fgomp_pages_wish wish = wishes[k % 3];
			wish.flags |= k >= 3 ? FGOMP_PAGES_STRICT : 0;
			char *start = fgomp_pages_alloc(BYTES, how, &wish);
			CHECK(start && (uintptr_t)start % PAGE == 0 && start[BYTES - 1] == 0, "%d", how);
			fill(start, BYTES);
			CHECK(located(start, BYTES) == BYTES);
			int error = fgomp_pages_move(start, BYTES, FGOMP_PAGES_NODE, &wishes[1], FGOMP_PAGES_NOW);
			CHECK(error == 0, "%d", error);
			error = fgomp_pages_move(start, BYTES, how ? how : FGOMP_PAGES_NODE, &wish, k % 2);
			CHECK(error == 0, "%d", error);
			CHECK(fgomp_pages_wait() == 0 && holds(start, BYTES));
			CHECK(fgomp_pages_free(start) == 0);
		}
	char *start = fgomp_pages_alloc(1, FGOMP_PAGES_NEAREST, NULL);
	CHECK(start && located(start, 1) == 0, "nobody has touched it");
	CHECK(fgomp_pages_free(start) == 0);
}

// Members touch memory that waits for its next touch or write. Where it cannot wait, content stays too: no page may be
// moved there, or SIGSEGV has another handler.
static void
next(char *start, bool mapped)
{
	fill(start, BYTES);
	for (int when = FGOMP_PAGES_ON_NEXT_TOUCH; when <= FGOMP_PAGES_ON_NEXT_WRITE; when++) {
		int error = fgomp_pages_move(start, BYTES, FGOMP_PAGES_FIRST_TOUCH, NULL, when);
		CHECK(error == 0 || error == ENOTSUP, "%d", error);
		CHECK(holds(start, BYTES / 2));
#pragma omp parallel for
		for (int i = 0; i < BYTES; i += PAGE / 2)
			start[i]++;
#pragma omp parallel for
		for (int i = 0; i < BYTES; i += PAGE / 2)
			start[i]--;
		CHECK(holds(start, BYTES));
		error = fgomp_pages_move(start + 10, BYTES / 2, FGOMP_PAGES_FIRST_TOUCH, NULL, when);
		CHECK(error == 0 || error == ENOTSUP, "%d", error);
	}
	CHECK((mapped ? fgomp_pages_free(start) : fgomp_pages_unregister(start)) == 0);
}

static void
next_touches(void)
{
	char *block = malloc(PAGES * PAGE);
	CHECK(fgomp_pages_register(block, PAGES * PAGE) == 0);
	next(block, false);
	CHECK(holds(block, BYTES));
	free(block);
	next(fgomp_pages_alloc(BYTES, FGOMP_PAGES_INTERLEAVED, NULL), true);
}

static void
split(char *start, bool mapped)
{
	void *parts[PAGES];
	char *end = start + BYTES;
	CHECK(fgomp_pages_split(start, 3, parts) == 0 && parts[0] == start);
	for (int i = 0; i < 3; i++) {
		char *from = parts[i], *upto = i < 2 ? parts[i + 1] : end;
		CHECK(upto - from >= BYTES / 3 - 2 * PAGE && upto - from <= BYTES / 3 + 2 * PAGE);
		CHECK(i == 0 || (uintptr_t)from % PAGE == 0);
		if (i == 1)
			CHECK((mapped ? fgomp_pages_free(from) : fgomp_pages_unregister(from)) == 0);
	}
	((char *)parts[2])[0] = start[0] = 1;
	CHECK((mapped ? fgomp_pages_free(parts[2]) : fgomp_pages_unregister(parts[2])) == 0);
	CHECK((mapped ? fgomp_pages_free(start) : fgomp_pages_unregister(start)) == 0);
}

static void
registered(void)
{
	char *block = malloc(PAGES * PAGE);
	fill(block, PAGES * PAGE);
	CHECK(fgomp_pages_register(block, BYTES) == 0);
	CHECK(fgomp_pages_move(block, BYTES, FGOMP_PAGES_INTERLEAVED, NULL, FGOMP_PAGES_NOW) == 0);
	CHECK(holds(block, PAGES * PAGE));
	CHECK(fgomp_pages_register(block + 7, 1) == EEXIST);
	CHECK(fgomp_pages_unregister(block) == 0);
	CHECK(fgomp_pages_register(block + 7, BYTES - 7) == 0);
	split(block + 7, false);
	free(block);
}

// The program has unmapped memory, and has not said so. New memory may come to lie there.
static void
forgotten(void)
{
	char *block = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(fgomp_pages_register(block, 64 * PAGE) == 0);
	munmap(block, 64 * PAGE);
	char *all[64];
	for (int i = 0; i < 64; i++) {
		all[i] = fgomp_pages_alloc(PAGE, FGOMP_PAGES_FIRST_TOUCH, NULL);
		CHECK(all[i]);
	}
	for (int i = 0; i < 64; i++)
		CHECK(fgomp_pages_free(all[i]) == 0);
	fgomp_pages_unregister(block);
}

static void
costs(void)
{
	unsigned n = fgomp_pages_nodes();
	CHECK(n >= 1 && n <= NODES);
	CHECK(fgomp_pages_room(home) > 0);
	CHECK(fgomp_pages_room(n) == 0 && fgomp_pages_room(~0u) == 0);
	unsigned local = fgomp_pages_access_cost(home, home);
	CHECK(local == 10 || local == 0, "%u", local);
	CHECK(fgomp_pages_access_cost(home, n) == 0);
	CHECK(fgomp_pages_move_cost(1 << 20, home, home) == 0);
	CHECK(fgomp_pages_move_cost(1 << 20, home, n) == ~0ull);
	for (unsigned i = 0; i < n; i++)
		if (i != home && fgomp_pages_room(i))
			CHECK(fgomp_pages_move_cost(1 << 20, home, i) > 0);
}

// The lines that a call writes on stderr.
static int file = -1;

static int
lines(void)
{
	static off_t read_upto;
	char text[4000];
	ssize_t got = pread(file, text, sizeof text, read_upto);
	int n = 0;
	for (ssize_t i = 0; i < got; i++)
		n += text[i] == '\n';
	read_upto += got > 0 ? got : 0;
	return n;
}

#define BAD(call, error)                                                          \
	do {                                                                          \
		lines();                                                                  \
		int got_ = (call), told_ = lines();                                       \
		CHECK(got_ == (error), "%d", got_);                                       \
		CHECK(told_ == 1, "%d lines", told_);                                     \
	} while (0)

static int
alloc_error(size_t bytes, int how, struct fgomp_pages_wish wish)
{
	errno = 0;
	void *start = fgomp_pages_alloc(bytes, (enum fgomp_pages_placement)how, &wish);
	return start ? -1 : errno;
}

static void
bad(void)
{
	unsigned none[] = {fgomp_pages_nodes()}, beyond[] = {~0u}, zero[] = {0}, heavy[] = {1001};
	size_t on[1];
	void *parts[PAGES + 1];
	char *start = fgomp_pages_alloc(BYTES, FGOMP_PAGES_FIRST_TOUCH, NULL),
	     *hole = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(hole + PAGE, PAGE);
	typedef struct fgomp_pages_wish wish;
	BAD(alloc_error(0, FGOMP_PAGES_NODE, (wish){0}), EINVAL);
	BAD(alloc_error(SIZE_MAX, FGOMP_PAGES_NODE, (wish){0}), EINVAL);
	BAD(alloc_error(1, 7, (wish){0}), EINVAL);
	BAD(alloc_error(1, -1, (wish){0}), EINVAL);
	BAD(alloc_error(1, FGOMP_PAGES_NODE, (wish){.n_nodes = 1, .nodes = none}), EINVAL);
	BAD(alloc_error(1, FGOMP_PAGES_NODE, (wish){.n_nodes = 1, .nodes = beyond}), EINVAL);
	BAD(alloc_error(1, FGOMP_PAGES_NODE, (wish){.n_nodes = 1}), EINVAL);
	BAD(alloc_error(1, FGOMP_PAGES_NODE, (wish){.n_nodes = 1, .nodes = &home, .flags = 2}), EINVAL);
	BAD(alloc_error(1, FGOMP_PAGES_NODE, (wish){.flags = 4}), EINVAL);
	BAD(alloc_error(1, FGOMP_PAGES_WEIGHTED, (wish){.n_nodes = 1, .nodes = &home}), EINVAL);
	BAD(alloc_error(1, FGOMP_PAGES_WEIGHTED, (wish){.n_nodes = 1, .nodes = &home, .weights = zero}), EINVAL);
	BAD(alloc_error(1, FGOMP_PAGES_WEIGHTED, (wish){.n_nodes = 1, .nodes = &home, .weights = heavy}), EINVAL);
	BAD(alloc_error((size_t)1 << 50, FGOMP_PAGES_NODE, (wish){.flags = FGOMP_PAGES_STRICT}), ENOMEM);
	BAD(fgomp_pages_free(NULL), EINVAL);
	BAD(fgomp_pages_free(start + PAGE), EINVAL);
	BAD(fgomp_pages_free(hole), EINVAL);
	BAD(fgomp_pages_unregister(start), EINVAL);
	BAD(fgomp_pages_register(NULL, 1), EINVAL);
	BAD(fgomp_pages_register(hole, 0), EINVAL);
	BAD(fgomp_pages_register(hole, SIZE_MAX), EINVAL);
	BAD(fgomp_pages_register(hole, 3 * PAGE), EFAULT);
	BAD(fgomp_pages_register(start + PAGE, 1), EEXIST);
	BAD(fgomp_pages_split(start, 0, parts), EINVAL);
	BAD(fgomp_pages_split(start, PAGES + 1, parts), EINVAL);
	BAD(fgomp_pages_split(start, 2, NULL), EINVAL);
	BAD(fgomp_pages_split(start + PAGE, 2, parts), EINVAL);
	BAD(fgomp_pages_locate(hole + PAGE, 1, on, 1), EFAULT);
	BAD(fgomp_pages_locate(start, 0, on, 1), EINVAL);
	BAD(fgomp_pages_locate(start, 1, on, 0), EINVAL);
	BAD(fgomp_pages_move(hole, 2 * PAGE, FGOMP_PAGES_NODE, NULL, FGOMP_PAGES_NOW), EFAULT);
	BAD(fgomp_pages_move(start, PAGE, FGOMP_PAGES_FIRST_TOUCH, NULL, FGOMP_PAGES_NOW), EINVAL);
	BAD(fgomp_pages_move(start, PAGE, FGOMP_PAGES_NODE, NULL, 4), EINVAL);
	BAD(fgomp_pages_move(start, PAGE, FGOMP_PAGES_NODE, NULL, FGOMP_PAGES_ON_NEXT_TOUCH), EINVAL);
	BAD(fgomp_pages_move(start, PAGE, FGOMP_PAGES_FIRST_TOUCH, &(wish){0}, FGOMP_PAGES_ON_NEXT_TOUCH), EINVAL);
	BAD(fgomp_pages_move(hole, PAGE, FGOMP_PAGES_FIRST_TOUCH, NULL, FGOMP_PAGES_ON_NEXT_WRITE), EINVAL);
	BAD(fgomp_pages_move(hole, 2 * PAGE, FGOMP_PAGES_FIRST_TOUCH, NULL, FGOMP_PAGES_ON_NEXT_WRITE), EFAULT);
	CHECK(fgomp_pages_free(start) == 0);
	BAD(fgomp_pages_free(start), EINVAL);
	munmap(hole, PAGE);
	munmap(hole + 2 * PAGE, PAGE);
}

// The child of a fork has the areas' memory, and none of the moves. It can go on by itself.
static void
forked(void)
{
	char *start = fgomp_pages_alloc(BYTES, FGOMP_PAGES_INTERLEAVED, NULL);
	fill(start, BYTES);
	fgomp_pages_move(start, BYTES, FGOMP_PAGES_NODE, NULL, FGOMP_PAGES_IN_BACKGROUND);
	pid_t child = fork();
	if (child == 0) {
		char *own = fgomp_pages_alloc(BYTES, FGOMP_PAGES_NEAREST, NULL);
		fill(own, BYTES);
		bool moved = fgomp_pages_move(own, BYTES, FGOMP_PAGES_NODE, NULL, FGOMP_PAGES_IN_BACKGROUND) == 0 &&
			     fgomp_pages_wait() == 0;
		_exit(!(moved && holds(own, BYTES) && holds(start, BYTES) && fgomp_pages_free(own) == 0));
	}
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	CHECK(fgomp_pages_wait() == 0 && holds(start, BYTES) && fgomp_pages_free(start) == 0);
}

// Members allocate and free at the same time.
static void
together(void)
{
#pragma omp parallel
	for (int i = 0; i < 20; i++) {
		struct fgomp_pages_wish wish = {.flags = FGOMP_PAGES_OF_TEAM};
		char *start = fgomp_pages_alloc(BYTES, FGOMP_PAGES_BLOCKS, &wish);
		fill(start, BYTES);
		CHECK(fgomp_pages_move(start, BYTES, FGOMP_PAGES_NODE, NULL, i % 2) == 0);
		if (i % 3 == 0)
			fgomp_pages_wait();
		CHECK(holds(start, BYTES));
		if (i % 5 == 0)
			split(start, true);
		else
			CHECK(fgomp_pages_free(start) == 0);
	}
}

int
main(void)
{
	char name[] = "/tmp/memory-XXXXXX";
	file = mkstemp(name);
	unlink(name);
	int before = dup(STDERR_FILENO);
	while (home < fgomp_pages_nodes() && !fgomp_pages_room(home))
		home++;
	good();
	registered();
	next_touches();
	forgotten();
	costs();
	fcntl(file, F_SETFL, O_APPEND);
	dup2(file, STDERR_FILENO);
	int failures = check_failures;
	bad();
	dup2(before, STDERR_FILENO);
	if (check_failures > failures) {
		char text[20000];
		ssize_t got = pread(file, text, sizeof text, 0);
		CHECK(0, "%.*s", 0, "");
		CHECK(write(STDERR_FILENO, text, got > 0 ? (size_t)got : 0) == got);
	}
	forked();
	together();
	return check_end();
}
