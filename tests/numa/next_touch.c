// Pages that wait for their next touch, or their next write, go to the node of the thread that does it, in whole
// windows and once. Content stays whatever the program does with them meanwhile. With COSTS=64, or COSTS=huge
// where there are huge pages, a line tells what it costs instead.
// threads: 16
// env: OMP_PLACES=cores OMP_PROC_BIND=close FGOMP_MEMORY=hints HUGE=never
// env: OMP_PLACES=cores OMP_PROC_BIND=close
// env: OMP_PLACES=cores OMP_PROC_BIND=close FGOMP_MEMORY=hints HUGE=never MEMS=1-3
// limit: 100
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../../include/forestgomp/memory.h"
#include "content.h"
#include "nodes.h"

#pragma weak fgomp_pages_alloc
#pragma weak fgomp_pages_free
#pragma weak fgomp_pages_move
#pragma weak fgomp_pages_register
#pragma weak fgomp_pages_room
#pragma weak fgomp_pages_split
#pragma weak fgomp_pages_unregister
#pragma weak fgomp_pages_wait

enum { PAGE = 4096, MB = 1 << 20, HUGE = 2 * MB, NODES = 4, PUS = 4, BYTES = 8 * MB, PAGES = BYTES / PAGE };
typedef struct fgomp_pages_wish wish;

static unsigned node_list[NODES]; // the allowed nodes
static bool alone;		  // nobody else moves pages

static void
sit_on(int node)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	for (int i = 0; i < PUS; i++)
		CPU_SET(node * PUS + i, &set);
	CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
}

static char *mapped; // by memory_on_first

// At a whole huge page, and all of it on the first node.
static char *
memory_on_first(void)
{
	mapped = fgomp_pages_alloc(BYTES + HUGE, FGOMP_PAGES_NODE, &(wish){1, &node_list[0], NULL, 0});
	CHECK(mapped);
	char *start = mapped + HUGE - (uintptr_t)mapped % HUGE;
	fill(start, BYTES);
	return start;
}

static void
give_back(void)
{
	CHECK(fgomp_pages_free(mapped) == 0);
}

static void
wait_for(char *start, size_t bytes, int when)
{
	int error = fgomp_pages_move(start, bytes, FGOMP_PAGES_FIRST_TOUCH, NULL, (enum fgomp_pages_when)when);
	CHECK(error == 0, "%d", error);
}

static unsigned
pages_on(char *start, size_t bytes, int node)
{
	static int at[MAX_PAGES];
	unsigned found = 0;
	int pages = nodes_of(start, bytes, at);
	for (int i = 0; i < pages; i++)
		found += at[i] == node;
	return found;
}

// Each thread touches its part. Pages lie where it sits, and each that was elsewhere has moved once.
static void
parts(void)
{
	char *start = memory_on_first();
	for (int when = FGOMP_PAGES_ON_NEXT_TOUCH; when <= FGOMP_PAGES_ON_NEXT_WRITE; when++) {
		for (int i = 0; i < 2; i++) { // at the second time all pages are there
			wait_for(start, BYTES, when);
			long before = pages_moved();
			unsigned wanted = 0;
#pragma omp parallel
			{
				char *mine = start + omp_get_thread_num() * (BYTES / NODES / PUS);
				for (int at = 0; at < BYTES / NODES / PUS; at += PAGE)
					*(volatile char *)(mine + at) = mine[at];
			}
			for (int node = 0; node < NODES; node++) {
				char *part = start + node * (BYTES / NODES);
				unsigned found = pages_on(part, BYTES / NODES, node);
				bool may = index_of(node) >= 0;
				CHECK(found == (may ? PAGES / NODES : 0), "%u pages on node %d", found, node);
				wanted += may && node != allowed[0] ? PAGES / NODES : 0;
			}
			long moved = pages_moved() - before;
			bool there = i || when > FGOMP_PAGES_ON_NEXT_TOUCH;
			CHECK(!alone || moved == (there ? 0 : wanted), "%ld pages moved", moved);
			CHECK(holds(start, BYTES));
		}
	}
	give_back();
}

// Reads leave the pages alone. The first write of a window moves it.
static void
writes(void)
{
	char *start = memory_on_first();
	int to = allowed[n_allowed - 1];
	sit_on(to);
	wait_for(start, BYTES, FGOMP_PAGES_ON_NEXT_WRITE);
	long before = pages_moved();
	CHECK(holds(start, BYTES));
	CHECK((!alone || pages_moved() == before) && pages_on(start, BYTES, to) == 0);
	*(volatile char *)(start + HUGE) = start[HUGE];
	unsigned there = pages_on(start, BYTES, to);
	CHECK(there == 64 || there == 512, "%u pages", there);
	CHECK(!alone || pages_moved() - before == there);
	give_back();
}

// All threads want the same windows at once, and count in them, while one makes them wait again and again. The first
// words have the right sums.
static void
together(void)
{
	enum { MEMBERS = 40, ROUNDS = 6, USED = 2 * HUGE };
	char *start = memory_on_first();
	memset(start, 0, USED);
	wait_for(start, USED, FGOMP_PAGES_ON_NEXT_TOUCH);
	long before = pages_moved();
#pragma omp parallel num_threads(MEMBERS)
	for (int at = 0; at < USED; at += PAGE)
		__atomic_fetch_add((long *)(start + at), 1, __ATOMIC_RELAXED);
	long moved = pages_moved() - before;
	CHECK(!alone || moved <= USED / PAGE, "%ld pages moved", moved);
#pragma omp parallel num_threads(MEMBERS)
	for (int round = 0; round < ROUNDS; round++)
		if (omp_get_thread_num() == 0) {
			wait_for(start, USED, round % 2 ? FGOMP_PAGES_ON_NEXT_WRITE : FGOMP_PAGES_ON_NEXT_TOUCH);
		} else {
			for (int at = 0; at < USED; at += PAGE * 32)
				__atomic_fetch_add((long *)(start + at), 1, __ATOMIC_RELAXED);
		}
	for (int at = 0; at < USED; at += PAGE) {
		long wanted = MEMBERS + (at % (PAGE * 32) ? 0 : (MEMBERS - 1) * ROUNDS), is = *(long *)(start + at);
		CHECK(is == wanted, "%ld, not %ld", is, wanted);
	}
	give_back();
}

static void
in_child(char *start)
{
	int status = -1;
	pid_t child = fork();
	if (child == 0) {
		bool held = holds(start, BYTES);
		memset(start, 3, BYTES);
		_exit(!held);
	}
	CHECK(holds(start, BYTES));
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
}

static void
on_fault(int number)
{
	(void)number;
	_exit(100);
}

// Children, other moves, handlers of the program, and memory of malloc.
static void
meanwhile(void)
{
	char *start = memory_on_first();
	wish last = {1, &node_list[n_allowed - 1], NULL, 0};
	wait_for(start, BYTES, FGOMP_PAGES_ON_NEXT_TOUCH);
	in_child(start);
	wait_for(start, BYTES, FGOMP_PAGES_ON_NEXT_TOUCH);
	start[7 * MB] = ((volatile char *)start)[7 * MB];
	for (int when = FGOMP_PAGES_NOW; when <= FGOMP_PAGES_IN_BACKGROUND; when++) {
		CHECK(fgomp_pages_move(start, BYTES, FGOMP_PAGES_NODE, &last, (enum fgomp_pages_when)when) == 0);
		CHECK(fgomp_pages_wait() == 0 && pages_on(start, BYTES, allowed[n_allowed - 1]) == PAGES);
		wait_for(start, BYTES / 2, FGOMP_PAGES_ON_NEXT_TOUCH + when);
	}
	CHECK(signal(SIGSEGV, on_fault) != SIG_ERR);
	CHECK(holds(start, BYTES));
	errno = fgomp_pages_move(start, BYTES, FGOMP_PAGES_FIRST_TOUCH, NULL, FGOMP_PAGES_ON_NEXT_TOUCH);
	CHECK(errno == ENOTSUP, "%d", errno);
	CHECK(signal(SIGSEGV, SIG_DFL) == on_fault);
	wait_for(start, BYTES, FGOMP_PAGES_ON_NEXT_WRITE);
	give_back();

	char *block = malloc(MB);
	fill(block, MB);
	CHECK(fgomp_pages_register(block, MB) == 0);
	wait_for(block, MB, FGOMP_PAGES_ON_NEXT_TOUCH);
	CHECK(holds(block, MB));
	wait_for(block + 100, MB / 2, FGOMP_PAGES_ON_NEXT_TOUCH);
	CHECK(fgomp_pages_unregister(block) == 0);
	free(block);
}

// The node of the thread has no room. Pages stay, and the thread goes on.
static void
full_node(void)
{
	enum { LEFT = 4 * MB };
	unsigned full = node_list[n_allowed - 1];
	unsigned long bits = 1ul << full;
	char *start = memory_on_first(), *piece[600];
	int n = 0;
	while (fgomp_pages_room(full) > LEFT && n < 600) {
		size_t bytes = fgomp_pages_room(full) > 24 * MB ? 8 * MB : MB;
		piece[n] = mmap(NULL, 8 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(syscall(SYS_mbind, piece[n], 8 * MB, MPOL_BIND, &bits, 64, 0) == 0);
		for (size_t at = 0; at < bytes; at += PAGE)
			piece[n][at] = 1;
		n++;
	}
	sit_on((int)full);
	wait_for(start, BYTES, FGOMP_PAGES_ON_NEXT_TOUCH);
	CHECK(holds(start, BYTES));
	printf("a full node has got %u of %u pages\n", pages_on(start, BYTES, (int)full), PAGES);
	while (n > 0)
		munmap(piece[--n], 8 * MB);
	give_back();
}

// ---- What it costs ----

enum { REPEATS = 9 };
static char *costly;
static unsigned window, goal; // pages, and the node to which they go

static double
touch_all(void)
{
	double begin = omp_get_wtime();
	for (int at = 0; at < BYTES; at += PAGE)
		*(volatile char *)(costly + at) = costly[at];
	return omp_get_wtime() - begin;
}

static double
move_some(unsigned first, unsigned n, unsigned node)
{
	static void *page[PAGES];
	static int to[PAGES], status[PAGES];
	for (unsigned i = first; i < first + n; i++) {
		page[i] = costly + (size_t)i * PAGE;
		to[i] = (int)node;
	}
	double begin = omp_get_wtime();
	syscall(SYS_move_pages, 0, (unsigned long)n, page + first, to + first, status + first, MPOL_MF_MOVE);
	return omp_get_wtime() - begin;
}

// What a handler must do at least.
static void
on_touch(int number, siginfo_t *info, void *context)
{
	unsigned first = (unsigned)(((char *)info->si_addr - costly) / PAGE) / window * window;
	(void)number;
	(void)context;
	mprotect(costly + (size_t)first * PAGE, (size_t)window * PAGE, PROT_READ | PROT_WRITE);
	move_some(first, window, goal);
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double
middle(double *seconds)
{
	qsort(seconds, REPEATS, sizeof *seconds, compare);
	return seconds[REPEATS / 2] * 1e6 / PAGES;
}

// The pages are back on the first node.
static void
back(void)
{
	CHECK(pages_on(costly, BYTES, (int)goal) == PAGES);
	move_some(0, PAGES, node_list[0]);
}

static void
costs(void)
{
	static double all[REPEATS], parts_of_it[REPEATS], closing[REPEATS], touching[REPEATS], bare[REPEATS];
	costly = memory_on_first();
	window = strcmp(getenv("COSTS"), "huge") == 0 ? 512 : 64;
	goal = node_list[n_allowed - 1];
	sit_on((int)goal);
	for (int i = 0; i < REPEATS; i++) {
		all[i] = move_some(0, PAGES, goal);
		back();
		for (unsigned at = 0; at < PAGES; at += window)
			parts_of_it[i] += move_some(at, window, goal);
		back();
		double begin = omp_get_wtime();
		wait_for(costly, BYTES, FGOMP_PAGES_ON_NEXT_TOUCH);
		closing[i] = omp_get_wtime() - begin;
		touching[i] = touch_all();
		back();
	}
	struct sigaction action = {.sa_sigaction = on_touch, .sa_flags = SA_SIGINFO};
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
	for (int i = 0; i < REPEATS; i++) {
		double begin = omp_get_wtime();
		mprotect(costly, BYTES, PROT_NONE);
		touch_all();
		bare[i] = omp_get_wtime() - begin;
		back();
	}
	double by_windows = middle(parts_of_it), close = middle(closing), touch = middle(touching);
	double least = middle(bare);
	printf("us a page: move_pages %.2f, by windows %.2f; close %.2f, touch %.2f: %.2f x; ", middle(all), by_windows,
	       close, touch, (close + touch) / by_windows);
	printf("a bare handler %.2f: %.2f x\n", least, least / by_windows);
	give_back();
}

int
main(void)
{
	if (!fgomp_pages_alloc)
		return 0;
	alone = getenv("FGOMP_MEMORY") && strcmp(getenv("FGOMP_MEMORY"), "hints") == 0;
	read_allowed();
	for (int i = 0; i < n_allowed; i++)
		node_list[i] = (unsigned)allowed[i];
	if (getenv("COSTS")) {
		costs();
		return check_end();
	}
	parts();
	together();
	meanwhile();
	writes();
	full_node();
	return check_end();
}
