// While the library moves pages, the program does with them whatever a program may do: it unmaps pieces, maps them
// elsewhere, drops, locks and protects them, and forks children that write to them. Its sums hold, its children end
// well, and its own handlers get their signals. None of its system calls ends early or with EFAULT.
// threads: 16
// env: FGOMP_MEMORY=auto OMP_WAIT_POLICY=passive
// env: FGOMP_MEMORY=auto OMP_WAIT_POLICY=passive HUGE=never LATE=1
// limit: 120
#include "nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { PIECES = 16, PIECE = 1 << 20, LINE = 8, WORDS = PIECE / 8 - 512, BUFFER = 4096 };
enum { SHIFT_EACH = 64, TURNS = 2, DISTURBERS = 2 };
// Each move of a mapping makes the next one dearer, so there may never be MANY.
enum { MANY = 2000, SOME = 200, TURNS_WITH_SOME = 40 };

// A piece belongs to the thread that has taken it. The last page of its memory is a buffer for `read`.
static struct piece {
	atomic_bool taken;
	uint64_t *words; // the first one of a line is its number, times `sweeps`
	uint64_t sweeps;
} pieces[PIECES];

static atomic_bool over;
static atomic_uint calls, turns[8];
static _Thread_local volatile unsigned faults, urgents;
static _Thread_local char *volatile protected_piece;
static int zero_file;
static unsigned shift;

static bool
take(struct piece *piece)
{
	return !atomic_exchange(&piece->taken, true);
}

static void
give(struct piece *piece)
{
	atomic_store(&piece->taken, false);
}

static void
fill(struct piece *piece)
{
	for (uint64_t i = 0; i < WORDS; i += LINE)
		piece->words[i] = i;
	piece->sweeps = 1;
}

static void
check_piece(const struct piece *piece, const char *when)
{
	uint64_t wrong = 0;
	for (uint64_t i = 0; i < WORDS; i += LINE)
		wrong += piece->words[i] != i * piece->sweeps;
	CHECK(wrong == 0, "%s: %lu words are wrong", when, (unsigned long)wrong);
}

static void
sweep_piece(struct piece *piece)
{
	for (uint64_t i = 0; i < WORDS; i += LINE)
		piece->words[i] += i;
	piece->sweeps++;
	ssize_t got = read(zero_file, piece->words + WORDS, BUFFER);
	CHECK(got == BUFFER, "read: %zd, %s", got, strerror(errno));
}

// Each thread has pieces that lie together. Now and then, all threads change theirs, so that there is more to move.
static void
sweep(void)
{
#pragma omp parallel
	{
		unsigned me = (unsigned)omp_get_thread_num(), n = (unsigned)omp_get_num_threads();
		for (unsigned i = 0; i < PIECES; i++)
			if ((i * n / PIECES + shift) % n == me && take(&pieces[i])) {
				sweep_piece(&pieces[i]);
				give(&pieces[i]);
			}
	}
}

static void
map_anew(struct piece *piece)
{
	CHECK(munmap(piece->words, PIECE) == 0);
	piece->words = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(piece->words != MAP_FAILED);
	fill(piece);
}

static void
map_elsewhere(struct piece *piece)
{
	void *wide = mremap(piece->words, PIECE, 2 * PIECE, MREMAP_MAYMOVE);
	CHECK(wide != MAP_FAILED, "%s", strerror(errno));
	piece->words = mremap(wide, 2 * PIECE, PIECE, 0);
	CHECK(piece->words == wide);
}

static void
drop(struct piece *piece)
{
	uint64_t left = 0;
	CHECK(madvise(piece->words, PIECE, MADV_DONTNEED) == 0);
	for (uint64_t i = 0; i < WORDS; i += LINE)
		left += piece->words[i] != 0;
	CHECK(left == 0, "%lu words were not dropped", (unsigned long)left);
	fill(piece);
}

static void
lock(struct piece *piece)
{
	CHECK(mlock((char *)piece->words + PIECE / 4, PIECE / 2) == 0, "%s", strerror(errno));
	sweep_piece(piece);
	check_piece(piece, "locked");
	CHECK(munlock((char *)piece->words + PIECE / 4, PIECE / 2) == 0);
}

static void
protect(struct piece *piece)
{
	unsigned before = faults;
	protected_piece = (char *)piece->words;
	CHECK(mprotect(piece->words, PIECE, PROT_NONE) == 0);
	sweep_piece(piece);
	CHECK(faults == before + 1, "%u faults", faults - before);
}

static void
cut_in_huge_pages(struct piece *piece)
{
	CHECK(madvise(piece->words, PIECE, MADV_NOHUGEPAGE) == 0);
	CHECK(mprotect((char *)piece->words + BUFFER, BUFFER, PROT_READ) == 0);
	CHECK(mprotect((char *)piece->words + BUFFER, BUFFER, PROT_READ | PROT_WRITE) == 0);
	CHECK(madvise(piece->words, PIECE, MADV_HUGEPAGE) == 0);
}

// The child writes to the piece.
static void
fork_child(struct piece *piece)
{
	int status = -1;
	pid_t child = fork();
	if (child == 0) {
		check_piece(piece, "in the child");
		memset(piece->words, 0x55, PIECE);
		_exit(check_failures != 0);
	}
	CHECK(child > 0, "%s", strerror(errno));
	sweep_piece(piece);
	CHECK(waitpid(child, &status, 0) == child, "%s", strerror(errno));
	CHECK(status == 0, "status %x", (unsigned)status);
}

static void
urge(struct piece *piece)
{
	unsigned before = urgents;
	CHECK(pthread_kill(pthread_self(), SIGURG) == 0);
	CHECK(urgents == before + 1);
	sweep_piece(piece);
}

static void (*const doings[])(struct piece *) = {map_anew, map_elsewhere,     drop,	  lock,
						 protect,  cut_in_huge_pages, fork_child, urge};
enum { DOINGS = sizeof doings / sizeof *doings };

// Each of these threads does all that in turn, with a piece at a time.
static void *
disturb(void *seed)
{
	uint64_t chance = (uintptr_t)seed;
	for (unsigned turn = 0; !atomic_load(&over); turn++) {
		struct piece *piece;
		do {
			chance = chance * 6364136223846793005u + 1442695040888963407u;
			piece = &pieces[(chance >> 33) % PIECES];
		} while (!take(piece));
		check_piece(piece, "taken");
		doings[turn % DOINGS](piece);
		check_piece(piece, "given");
		give(piece);
		atomic_fetch_add(&turns[turn % DOINGS], 1);
	}
	return NULL;
}

// Calls that a signal would end early.
static void *
call(void *unused)
{
	int ends[2];
	char byte = 0;
	CHECK(pipe(ends) == 0);
	while (!atomic_load(&over)) {
		struct timespec pause = {.tv_nsec = 300000};
		struct pollfd nothing = {.fd = ends[0], .events = POLLIN};
		CHECK(nanosleep(&pause, NULL) == 0, "%s", strerror(errno));
		CHECK(poll(&nothing, 1, 1) == 0, "%s", strerror(errno));
		CHECK(write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1, "%s", strerror(errno));
		atomic_fetch_add(&calls, 3);
	}
	return unused;
}

static void
on_fault(int number, siginfo_t *info, void *unused)
{
	(void)unused;
	char *at = info->si_addr, *piece = protected_piece;
	if (!piece || at < piece || at >= piece + PIECE) {
		signal(number, SIG_DFL);
		return;
	}
	faults++;
	mprotect(piece, PIECE, PROT_READ | PROT_WRITE);
}

static void
on_urgent(int number)
{
	(void)number;
	urgents++;
}

static void
set_handlers(void)
{
	struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, urgent = {.sa_handler = on_urgent};
	CHECK(sigaction(SIGSEGV, &fault, NULL) == 0 && sigaction(SIGURG, &urgent, NULL) == 0);
}

static bool
is_enough(long moved_pages)
{
	unsigned least = UINT_MAX;
	for (unsigned i = 0; i < DOINGS; i++)
		least = atomic_load(&turns[i]) < least ? atomic_load(&turns[i]) : least;
	return moved_pages >= MANY ? least >= TURNS : moved_pages >= SOME && least >= TURNS_WITH_SOME;
}

static void
fill_all(void)
{
	char *all = mmap(NULL, (size_t)PIECES * PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(all != MAP_FAILED);
	for (unsigned i = 0; i < PIECES; i++) {
		pieces[i].words = (uint64_t *)(all + (size_t)i * PIECE);
		fill(&pieces[i]);
	}
}

static void
start_runtime(void)
{
	if (!getenv("LATE"))
		set_handlers();
#pragma omp parallel
	{
#pragma omp barrier
	}
	if (getenv("LATE"))
		set_handlers();
	CHECK(syscall(SYS_close_range, 3u, ~0u, 0u) == 0); // those of the runtime, too
	zero_file = open("/dev/zero", O_RDONLY);
	CHECK(zero_file >= 0);
}

int
main(void)
{
	pthread_t disturber[DISTURBERS], caller;
	fill_all();
	start_runtime();
	for (uintptr_t i = 0; i < DISTURBERS; i++)
		CHECK(pthread_create(&disturber[i], NULL, disturb, (void *)i) == 0);
	CHECK(pthread_create(&caller, NULL, call, NULL) == 0);
	long begun = pages_moved();
	unsigned rounds = 0;
	for (; !is_enough(pages_moved() - begun); rounds++) {
		shift = rounds / SHIFT_EACH * 4;
		sweep();
	}
	atomic_store(&over, true);
	for (unsigned i = 0; i < DISTURBERS; i++)
		CHECK(pthread_join(disturber[i], NULL) == 0);
	CHECK(pthread_join(caller, NULL) == 0);
	for (unsigned i = 0; i < PIECES; i++)
		check_piece(&pieces[i], "at the end");
	printf("%u rounds, %ld pages moved, %u calls\n", rounds, pages_moved() - begun, atomic_load(&calls));
	return check_end();
}
