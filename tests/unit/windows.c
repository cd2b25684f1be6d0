/* Windows of pages that wait for their next touch: one fault and one move for each, by the node of the thread that
 * touches it, whatever the program does to the memory meanwhile. The protections and the faults are real, and the
 * nodes are made up. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/atomic.h"
#include "memory/where.h"
#include "memory/windows.h"

enum { PAGE = 4096, WINDOW = FG_WINDOW_PAGES * PAGE, WINDOWS = 8, BYTES = WINDOWS * WINDOW, THREADS = 4 };

static struct {
	struct fg_atomic_u32 faults, moves, pages;
	bool moves_nothing;
} fake;
static _Thread_local unsigned here;
static char *memory;			/* of BYTES, at a whole window */
static unsigned char node[2 * 512 * 4]; /* of each page of it */

static unsigned
fake_here(void)
{
	return here;
}

static bool
fake_move(unsigned n, void *const *pages, const int *to, int *at)
{
	fg_add_relaxed(&fake.moves, 1);
	if (fake.moves_nothing)
		return false;
	for (unsigned i = 0; i < n; i++) {
		size_t number = ((uintptr_t)pages[i] - (uintptr_t)memory) / PAGE;
		if (number < sizeof node)
			node[number] = (unsigned char)to[i];
		at[i] = to[i];
	}
	fg_add_relaxed(&fake.pages, n);
	return true;
}

static const struct fg_where fake_where = {.here = fake_here, .move = fake_move};

static void
on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	fg_add_relaxed(&fake.faults, 1);
	if (info->si_code != SEGV_ACCERR || !fg_windows_fault(info->si_addr))
		signal(number, SIG_DFL);
}

static bool
handled(void)
{
	return true;
}

static bool
not_handled(void)
{
	return false;
}

/* Cmocka sets its own before each test. */
static void
set_handler(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	sigfillset(&action.sa_mask);
	assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
}

static void
forget(void)
{
	memset(&fake, 0, sizeof fake);
	memset(node, 9, sizeof node);
	here = 0;
}

/* Each test has memory of its own, so that no neighbour joins its mapping. */
static int
setup(void **state)
{
	(void)state;
	forget();
	fg_where = &fake_where;
	char *start = mmap(NULL, 2 * BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memory = (char *)(((uintptr_t)start + WINDOW) & ~(uintptr_t)(WINDOW - 1));
	assert_int_equal(mprotect(memory, BYTES, PROT_READ | PROT_WRITE), 0);
	for (size_t i = 0; i < BYTES; i += 8)
		*(uint64_t *)(memory + i) = i;
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	fg_windows_open((uintptr_t)memory, (uintptr_t)memory + BYTES);
	return munmap(memory, BYTES);
}

static void
close_from(char *start, size_t bytes, bool writes)
{
	struct fg_windows_wish wish = {(uintptr_t)start, (uintptr_t)start + bytes, writes, handled};
	set_handler();
	assert_int_equal(fg_windows_close(&wish), FG_WINDOWS_CLOSED);
}

static void
check_content(void)
{
	for (size_t i = 0; i < BYTES; i += 8)
		assert_int_equal(*(volatile uint64_t *)(memory + i), i);
}

static void
check_counts(unsigned faults, unsigned moves, unsigned pages)
{
	assert_int_equal(fg_load_relaxed(&fake.faults), faults);
	assert_int_equal(fg_load_relaxed(&fake.moves), moves);
	assert_int_equal(fg_load_relaxed(&fake.pages), pages);
}

static void
touch(volatile char *byte)
{
	*byte = *byte;
}

static void
one_fault_and_one_move_each(void **state)
{
	(void)state;
	close_from(memory, BYTES, false);
	for (unsigned i = 0; i < WINDOWS; i++) {
		here = i % 3;
		assert_int_equal(*(volatile uint64_t *)(memory + i * WINDOW + 800), i * WINDOW + 800);
	}
	check_content();
	check_counts(WINDOWS, WINDOWS, WINDOWS * FG_WINDOW_PAGES);
	for (unsigned page = 0; page < BYTES / PAGE; page++)
		assert_int_equal(node[page], page / FG_WINDOW_PAGES % 3);
}

static void
next_write(void **state)
{
	(void)state;
	close_from(memory, BYTES, true);
	check_content();
	check_counts(0, 0, 0);
	here = 2;
	*(volatile char *)(memory + WINDOW) = 0;
	check_counts(1, 1, FG_WINDOW_PAGES);
	assert_int_equal(node[FG_WINDOW_PAGES], 2);
	assert_int_equal(node[FG_WINDOW_PAGES - 1], 9);
	assert_int_equal(node[2 * FG_WINDOW_PAGES], 9);
}

/* Only whole pages within the range wait, and windows begin at whole multiples. */
static void
edges(void **state)
{
	(void)state;
	close_from(memory + 1, WINDOW + PAGE, false);
	memory[0] = 0;
	memory[WINDOW + 2 * PAGE] = 0;
	check_counts(0, 0, 0);
	memory[PAGE] = 0;
	check_counts(1, 1, FG_WINDOW_PAGES - 1);
	memory[WINDOW] = 0;
	check_counts(2, 2, FG_WINDOW_PAGES);
	close_from(memory + 1, PAGE, false);
	check_content();
	check_counts(2, 2, FG_WINDOW_PAGES);
}

static void
opened_again(void **state)
{
	(void)state;
	close_from(memory, BYTES, false);
	fg_windows_open((uintptr_t)memory + WINDOW, (uintptr_t)memory + 3 * WINDOW);
	memory[WINDOW] = memory[3 * WINDOW - 1] = 0;
	check_counts(0, 0, 0);
	close_from(memory + 2 * WINDOW, 2 * WINDOW, true);
	for (unsigned i = 0; i < WINDOWS; i++)
		assert_int_equal(memory[i * WINDOW + 8 * PAGE] + 0, 0);
	check_counts(WINDOWS - 3, WINDOWS - 3, (WINDOWS - 3) * FG_WINDOW_PAGES);
	for (unsigned i = 0; i < WINDOWS; i++)
		memory[i * WINDOW + 8 * PAGE] = 1;
	check_counts(WINDOWS - 1, WINDOWS - 1, (WINDOWS - 1) * FG_WINDOW_PAGES);
}

/* Places and sets are used again. */
static void
many_times(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		forget();
		for (unsigned i = 0; i < WINDOWS; i++)
			close_from(memory + i * WINDOW, WINDOW, round % 2);
		for (unsigned i = 0; i < WINDOWS; i += 1 + round % 3)
			touch(memory + i * WINDOW + round);
		unsigned touched = (WINDOWS - 1) / (1 + round % 3) + 1;
		check_counts(touched, touched, touched * FG_WINDOW_PAGES);
	}
	for (unsigned i = 0; i < 300; i++)
		close_from(memory + i * PAGE, PAGE, false);
	forget();
	for (unsigned i = 0; i < 300; i++)
		touch(memory + i * PAGE);
	check_counts(300, 300, 300);
}

static struct fg_atomic_u32 over;

static void *
add_everywhere(void *number)
{
	here = (unsigned)(uintptr_t)number;
	uintptr_t n = 0;
	for (; !fg_load_acquire(&over) || n < 20; n++)
		for (unsigned i = 0; i < WINDOWS * 4; i++)
			__atomic_fetch_add((uint64_t *)(memory + i * WINDOW / 4) + here % 2, 1, __ATOMIC_RELAXED);
	return (void *)n;
}

/* No increment is lost, and each window moves once at most each time that it is closed. */
static void
together(void **state)
{
	(void)state;
	pthread_t thread[THREADS];
	void *times;
	uint64_t sum = 0, sums[2] = {0};
	memset(memory, 0, BYTES);
	fg_store_relaxed(&over, 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, add_everywhere, (void *)i), 0);
	unsigned rounds = 0;
	for (; rounds < 300; rounds++) {
		close_from(memory, BYTES, rounds % 3 == 0);
		if (rounds % 5 == 0)
			fg_windows_open((uintptr_t)memory, (uintptr_t)memory + BYTES / 2);
	}
	fg_store_release(&over, 1);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &times);
		sum += (uintptr_t)times;
	}
	for (unsigned i = 0; i < WINDOWS * 4; i++)
		for (unsigned k = 0; k < 2; k++)
			sums[k] += ((uint64_t *)(memory + i * WINDOW / 4))[k];
	assert_int_equal(sums[0] + sums[1], sum * WINDOWS * 4);
	assert_true(fg_load_relaxed(&fake.moves) > 0 && fg_load_relaxed(&fake.moves) <= rounds * WINDOWS);
}

static void
refusals(void **state)
{
	(void)state;
	struct fg_windows_wish wish = {(uintptr_t)memory, (uintptr_t)memory + BYTES, false, not_handled};
	assert_int_equal(fg_windows_close(&wish), FG_WINDOWS_NOT_HANDLED);
	wish.handled = handled;
	mprotect(memory + WINDOW, PAGE, PROT_READ);
	assert_int_equal(fg_windows_close(&wish), FG_WINDOWS_NOT_OPEN);
	mprotect(memory + WINDOW, PAGE, PROT_READ | PROT_WRITE);
	munmap(memory + BYTES - PAGE, PAGE);
	assert_int_equal(fg_windows_close(&wish), FG_WINDOWS_NOT_OPEN);
	assert_non_null(mmap(memory + BYTES - PAGE, PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	check_counts(0, 0, 0);
	fake.moves_nothing = true;
	close_from(memory, BYTES - PAGE, false);
	for (size_t i = 0; i < BYTES - PAGE; i += 8)
		assert_int_equal(*(volatile uint64_t *)(memory + i), i);
	check_counts(WINDOWS, WINDOWS, 0);
}

static void
program_handler(int number)
{
	(void)number;
	_exit(1);
}

static void
handler_of_the_program(void **state)
{
	(void)state;
	struct sigaction action = {.sa_handler = program_handler}, old = {0};
	close_from(memory, BYTES, false);
	memory[0] = 0;
	assert_int_equal(fg_windows_sigaction(&action, &old), 0);
	assert_ptr_equal((void *)old.sa_sigaction, (void *)on_fault);
	check_content();
	check_counts(1, 1, FG_WINDOW_PAGES);
}

static void
expect_child(pid_t child, int wanted)
{
	int status = -1;
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, wanted);
}

static void
change_all(void)
{
	check_content();
	memset(memory, 1, BYTES);
	_exit(0);
}

/* The child has all windows open. In one that the C library knows nothing of, faults open them. */
static void
children(void **state)
{
	(void)state;
	close_from(memory, BYTES, false);
	pid_t child = fork();
	if (child == 0) {
		fg_windows_after_fork();
		change_all();
	}
	expect_child(child, 0);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		change_all();
	expect_child(child, 0);
	check_counts(0, 0, 0);
	check_content();
	check_counts(WINDOWS, WINDOWS, WINDOWS * FG_WINDOW_PAGES);
}

/* The program takes away a piece of a window, puts other memory there, and opens pages itself. */
static void
changed_mappings(void **state)
{
	(void)state;
	close_from(memory, BYTES, false);
	munmap(memory + 3 * PAGE, 5 * PAGE);
	memory[2 * PAGE] = memory[9 * PAGE] = 1;
	assert_ptr_equal(mmap(memory + 3 * PAGE, 5 * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 memory + 3 * PAGE);
	mprotect(memory + WINDOW, WINDOW, PROT_READ | PROT_WRITE);
	memory[WINDOW] = 1;
	mprotect(memory + 2 * WINDOW, PAGE, PROT_READ);
	memory[2 * WINDOW] = 1;
	fg_windows_open((uintptr_t)memory, (uintptr_t)memory + BYTES);
	unsigned faults = fg_load_relaxed(&fake.faults);
	memset(memory, 2, BYTES);
	assert_int_equal(fg_load_relaxed(&fake.faults), faults);
}

static void
moved_away(void **state)
{
	(void)state;
	close_from(memory, BYTES, false);
	char *elsewhere =
		mremap(memory + WINDOW, 2 * WINDOW, 2 * WINDOW, MREMAP_MAYMOVE | MREMAP_FIXED, memory + BYTES + WINDOW);
	assert_ptr_equal(elsewhere, memory + BYTES + WINDOW);
	for (size_t i = 0; i < 2 * WINDOW; i += 8)
		assert_int_equal(*(volatile uint64_t *)(elsewhere + i), WINDOW + i);
	fg_windows_open((uintptr_t)memory, (uintptr_t)memory + BYTES);
	for (size_t i = 0; i < WINDOW; i += 8)
		assert_int_equal(*(volatile uint64_t *)(memory + i), i);
	munmap(elsewhere, 2 * WINDOW);
}

/* The process has as many mappings as it may. */
static void
too_many_mappings(void **state)
{
	(void)state;
	enum { ISLANDS = 70000 };
	pid_t child = fork();
	if (child == 0) {
		char *islands = mmap(NULL, (size_t)2 * ISLANDS * PAGE, PROT_NONE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		close_from(memory, BYTES, false);
		unsigned made = 0;
		while (made < ISLANDS && mprotect(islands + (size_t)2 * made * PAGE, PAGE, PROT_READ) == 0)
			made++;
		for (unsigned i = 0; i < WINDOWS; i++)
			memory[(i * 5 % WINDOWS) * WINDOW] = 0;
		check_content();
		struct fg_windows_wish wish = {(uintptr_t)memory + WINDOW, (uintptr_t)memory + 2 * WINDOW, false,
					       handled};
		enum fg_windows_result result = fg_windows_close(&wish);
		check_content();
		_exit(made == ISLANDS || result == FG_WINDOWS_NO_MEMORY ? 0 : 1);
	}
	expect_child(child, 0);
}

/* Faults of the program's own are not taken for windows, though others are closed. */
static void
own_faults(void **state)
{
	(void)state;
	const enum { NOT_MAPPED, GUARD, READ_ONLY, IN_AN_OPEN_WINDOW, KINDS } kinds = KINDS;
	for (unsigned kind = 0; kind < kinds; kind++) {
		pid_t child = fork();
		if (child == 0) {
			char *guard = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			close_from(memory, BYTES, false);
			memory[0] = 1;
			if (kind == NOT_MAPPED)
				munmap(guard, PAGE);
			if (kind == READ_ONLY)
				mprotect((char *)program_handler - (uintptr_t)program_handler % PAGE, PAGE,
					 PROT_READ | PROT_EXEC);
			if (kind == IN_AN_OPEN_WINDOW) {
				fg_windows_open((uintptr_t)memory, (uintptr_t)memory + BYTES);
				mprotect(memory, PAGE, PROT_READ);
			}
			*(volatile char *)(kind == READ_ONLY	       ? (char *)program_handler
					   : kind == IN_AN_OPEN_WINDOW ? memory
								       : guard) = 1;
			_exit(0);
		}
		expect_child(child, SIGSEGV);
	}
}

static void
huge_pages(void **state)
{
	(void)state;
	enum { HUGE = FG_WINDOW_PAGES_MOST * PAGE };
	char text[64] = "";
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
	bool some = file && fgets(text, sizeof text, file) && !strstr(text, "[never]");
	if (file)
		fclose(file);
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	char *start = mmap(NULL, 4 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     *whole = (char *)(((uintptr_t)start + HUGE - 1) & ~(uintptr_t)(HUGE - 1));
	close_from(whole, 2 * HUGE, false);
	whole[HUGE - 1] = 1;
	check_counts(1, 1, some ? FG_WINDOW_PAGES_MOST : FG_WINDOW_PAGES);
	fg_windows_open((uintptr_t)whole, (uintptr_t)whole + 2 * HUGE);
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	munmap(start, 4 * HUGE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_fault_and_one_move_each, setup, teardown),
		cmocka_unit_test_setup_teardown(next_write, setup, teardown),
		cmocka_unit_test_setup_teardown(edges, setup, teardown),
		cmocka_unit_test_setup_teardown(opened_again, setup, teardown),
		cmocka_unit_test_setup_teardown(many_times, setup, teardown),
		cmocka_unit_test_setup_teardown(together, setup, teardown),
		cmocka_unit_test_setup_teardown(refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(handler_of_the_program, setup, teardown),
		cmocka_unit_test_setup_teardown(children, setup, teardown),
		cmocka_unit_test_setup_teardown(changed_mappings, setup, teardown),
		cmocka_unit_test_setup_teardown(moved_away, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_mappings, setup, teardown),
		cmocka_unit_test_setup_teardown(own_faults, setup, teardown),
		cmocka_unit_test_setup_teardown(huge_pages, setup, teardown),
	};
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
