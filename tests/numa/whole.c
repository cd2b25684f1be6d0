// Nothing is lost: every word has its value whatever moves its page. All threads write to lines of all pages, have the
// pages moved in every way (at once, in the background, at the next touch, at the next write), fork, and unmap memory
// while moves are under way. With FGOMP_MEMORY=auto, samples move pages as well.
// threads: 16
// env: OMP_PLACES=cores OMP_PROC_BIND=close FGOMP_MEMORY=hints HUGE=never
// env: FGOMP_MEMORY=auto
// limit: 100
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../../include/forestgomp/memory.h"
#include "nodes.h"

#pragma weak fgomp_pages_alloc
#pragma weak fgomp_pages_free
#pragma weak fgomp_pages_move
#pragma weak fgomp_pages_register
#pragma weak fgomp_pages_unregister
#pragma weak fgomp_pages_wait

enum { THREADS = 16, PIECES = 12, PIECE = 512 << 10, LINE = 8, LINES = PIECE / 8 / LINE, TURNS = 10, NODES = 4 };

// Shared: each thread changes the first word of its own lines. Alone: one thread has all of it.
static struct piece {
	atomic_int users; // -1: alone
	uint64_t *words;
	uint64_t sweeps[THREADS];
	bool ours; // from fgomp_pages_alloc; else mapped by the program, and registered
} pieces[PIECES];

static unsigned node_list[NODES];
static atomic_uint asked[4], refused[4], forks, unmaps, remaps, fresh;

static void
enter(struct piece *piece, bool alone)
{
	for (int users = 0; !atomic_compare_exchange_weak(&piece->users, &users, alone ? -1 : users + 1);) {
		if (alone || users < 0) {
			users = 0;
			sched_yield();
		}
	}
}

static void
leave(struct piece *piece)
{
	int users = atomic_load(&piece->users);
	while (!atomic_compare_exchange_weak(&piece->users, &users, users < 0 ? 0 : users - 1))
		;
}

static uint64_t
value_of(const struct piece *piece, unsigned line)
{
	return line * UINT64_C(2654435761) + piece->sweeps[line % THREADS];
}

static void
fill(struct piece *piece)
{
	memset(piece->sweeps, 0, sizeof piece->sweeps);
	for (unsigned line = 0; line < LINES; line++)
		piece->words[(size_t)line * LINE] = value_of(piece, line);
}

static void
make(struct piece *piece, bool ours)
{
	piece->ours = ours;
	if (ours)
		piece->words = fgomp_pages_alloc(PIECE, FGOMP_PAGES_FIRST_TOUCH, NULL);
	else {
		void *mapped = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(mapped != MAP_FAILED && fgomp_pages_register(mapped, PIECE) == 0);
		piece->words = mapped;
	}
	CHECK(piece->words);
	fill(piece);
}

static void
check_all(const struct piece *piece, const char *when)
{
	unsigned wrong = 0;
	for (unsigned line = 0; line < LINES; line++)
		wrong += piece->words[(size_t)line * LINE] != value_of(piece, line);
	CHECK(wrong == 0, "%s: %u lines of %u are wrong", when, wrong, (unsigned)LINES);
}

static void
sweep(struct piece *piece, unsigned me)
{
	unsigned wrong = 0;
	for (unsigned line = me; line < LINES; line += THREADS)
		wrong += piece->words[(size_t)line * LINE]++ != value_of(piece, line);
	piece->sweeps[me]++;
	CHECK(wrong == 0, "%u lines of thread %u are wrong", wrong, me);
}

static void
move(struct piece *piece, uint64_t chance)
{
	static const enum fgomp_pages_placement hows[] = {FGOMP_PAGES_NODE, FGOMP_PAGES_INTERLEAVED,
							  FGOMP_PAGES_BLOCKS};
	unsigned when = chance % 4, n = (unsigned)n_allowed;
	unsigned first = (unsigned)(chance >> 8) % n;
	unsigned *nodes = when < 2 && (chance >> 16) % 3 == 0 ? &node_list[first] : node_list;
	struct fgomp_pages_wish wish = {.n_nodes = nodes == node_list ? n : 1, .nodes = nodes};
	enum fgomp_pages_placement how = nodes != node_list ? FGOMP_PAGES_NODE : hows[1 + (chance >> 20) % 2];
	int error = when < 2 ? fgomp_pages_move(piece->words, PIECE, how, &wish, (int)when)
			     : fgomp_pages_move(piece->words, PIECE, FGOMP_PAGES_FIRST_TOUCH, NULL, (int)when);
	CHECK(error == 0 || error == EBUSY || error == EAGAIN, "move %u: %s", when, strerror(error));
	atomic_fetch_add(error ? &refused[when] : &asked[when], 1);
}

static void
fork_child(const struct piece *piece)
{
	int status = -1;
	pid_t child = fork();
	if (child == 0) {
		check_all(piece, "in the child");
		memset(piece->words, 0x55, PIECE);
		_exit(check_failures != 0);
	}
	CHECK(child > 0, "%s", strerror(errno));
	check_all(piece, "beside the child");
	CHECK(waitpid(child, &status, 0) == child && status == 0, "status %x", (unsigned)status);
	atomic_fetch_add(&forks, 1);
}

// Fresh memory in the same place: the library is not told.
static void
map_over(struct piece *piece)
{
	void *over = mmap(piece->words, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CHECK(over == piece->words, "%s", strerror(errno));
	for (unsigned line = 0; line < LINES; line++)
		CHECK(piece->words[(size_t)line * LINE] == 0, "line %u is not fresh", line);
	fill(piece);
	atomic_fetch_add(&fresh, 1);
}

static void
map_elsewhere(struct piece *piece)
{
	CHECK(fgomp_pages_unregister(piece->words) == 0);
	void *wide = mremap(piece->words, PIECE, 2 * PIECE, MREMAP_MAYMOVE);
	CHECK(wide != MAP_FAILED && munmap((char *)wide + PIECE, PIECE) == 0, "%s", strerror(errno));
	CHECK(fgomp_pages_register(wide, PIECE) == 0);
	piece->words = wide;
	atomic_fetch_add(&remaps, 1);
}

static void
unmap(struct piece *piece)
{
	CHECK(piece->ours ? fgomp_pages_free(piece->words) == 0
			  : fgomp_pages_unregister(piece->words) == 0 && munmap(piece->words, PIECE) == 0);
	atomic_fetch_add(&unmaps, 1);
	make(piece, !piece->ours);
}

static void
change(struct piece *piece, unsigned how)
{
	if (how % 3 == 0)
		unmap(piece);
	else if (!piece->ours)
		map_elsewhere(piece);
	else
		map_over(piece);
}

static void
turn(struct piece *piece, unsigned me, uint64_t chance)
{
	bool alone = chance % 8 == 0;
	enter(piece, alone);
	if (chance % 3 == 0)
		move(piece, chance >> 10);
	if (!alone)
		sweep(piece, me);
	else {
		if (chance >> 4 & 1)
			fork_child(piece);
		check_all(piece, "alone");
		if (chance >> 5 & 1)
			change(piece, (unsigned)(chance >> 6 & 0xff));
		check_all(piece, "alone, then");
	}
	leave(piece);
}

// A remap may not come by chance. So each piece goes elsewhere once, with moves under way.
static void
map_all_elsewhere(void)
{
	for (unsigned i = 0; i < PIECES; i++) {
		if (pieces[i].ours)
			unmap(&pieces[i]);
		move(&pieces[i], i);
		map_elsewhere(&pieces[i]);
	}
}

int
main(void)
{
	read_allowed();
	for (int i = 0; i < n_allowed; i++)
		node_list[i] = (unsigned)allowed[i];
	long moved = pages_moved();
	for (unsigned i = 0; i < PIECES; i++)
		make(&pieces[i], i % 2);
#pragma omp parallel num_threads(THREADS)
	{
		unsigned me = (unsigned)omp_get_thread_num();
		uint64_t chance = me + 1;
		for (unsigned i = 0; i < TURNS; i++) {
			chance = chance * 6364136223846793005u + 1442695040888963407u;
			turn(&pieces[(chance >> 33) % PIECES], me, chance >> 40);
		}
	}
	map_all_elsewhere();
	CHECK(fgomp_pages_wait() == 0 || errno == EBUSY);
	for (unsigned i = 0; i < PIECES; i++)
		check_all(&pieces[i], "at the end");
	moved = pages_moved() - moved;
	printf("%ld pages moved; moves %u %u %u %u, refused %u %u %u %u; forks %u, unmapped %u, elsewhere %u, "
	       "fresh %u\n",
	       moved, asked[0], asked[1], asked[2], asked[3], refused[0], refused[1], refused[2], refused[3], forks,
	       unmaps, remaps, fresh);
	for (unsigned i = 0; i < 4; i++)
		CHECK(asked[i] > 0, "no move of kind %u", i);
	CHECK(forks && unmaps && remaps && fresh && (n_allowed == 1 || moved > PIECE / 4096));
	return check_end();
}
