// The calls of forestgomp/memory.h on several nodes: pages lie where each placement says, those that are there move, a
// full node is replaced by the nearest with room or the call is refused, content stays, and no policy is left on memory
// of malloc. The kernel's own words are compared page by page.
// env: OMP_PLACES=cores OMP_PROC_BIND=close
// env: MEMS=1-3 OMP_PLACES=cores OMP_PROC_BIND=close
// env: NODES=0,3 FGOMP_SCHED=affinity OMP_PLACES=cores OMP_PROC_BIND=close
// limit: 60
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../../include/forestgomp/memory.h"
#include "content.h"
#include "nodes.h"

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

enum { PAGE = 4096, MB = 1 << 20 };
typedef struct fgomp_pages_wish wish;

static unsigned node_list[4]; // the allowed nodes

// The pages on each node, by the kernel; and the library says the same, nearly.
static void
count(char *start, size_t bytes, unsigned on[4])
{
	static int node[MAX_PAGES];
	size_t located[4];
	int pages = nodes_of(start, bytes, node);
	memset(on, 0, 4 * sizeof *on);
	for (int i = 0; i < pages; i++)
		if (node[i] >= 0)
			on[node[i]]++;
	CHECK(fgomp_pages_locate(start, bytes, located, 4) == 0);
	for (int i = 0; i < 4; i++)
		CHECK(labs((long)located[i] - (long)on[i] * PAGE) <= (pages <= 256 ? 0 : (long)bytes / 8),
		      "%zu, not %u", located[i] / PAGE, on[i]);
}

static void
all_on(char *start, size_t bytes, int node)
{
	unsigned on[4];
	count(start, bytes, on);
	CHECK(on[node] == (bytes + PAGE - 1) / PAGE, "%u %u %u %u, not all on %d", on[0], on[1], on[2], on[3], node);
}

// Each allowed node has its share of so many per cent.
static void
shares(char *start, size_t bytes, const unsigned *percent)
{
	unsigned on[4], pages = (unsigned)(bytes / PAGE);
	count(start, bytes, on);
	for (int i = 0; i < n_allowed; i++) {
		unsigned want = pages * percent[i] / 100, slack = pages / 16 + 2, is = on[allowed[i]];
		CHECK(is + slack >= want && is <= want + slack, "%u of %u pages on node %d", is, pages, allowed[i]);
	}
}

static void
evenly(char *start, size_t bytes)
{
	unsigned percent[4];
	for (int i = 0; i < n_allowed; i++)
		percent[i] = 100 / (unsigned)n_allowed;
	shares(start, bytes, percent);
}

static void
sit_on(int node)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	for (int i = 0; i < 4; i++)
		CPU_SET(node * 4 + i, &set);
	CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
}

static char *
allocated(size_t bytes, enum fgomp_pages_placement how, wish asked)
{
	char *start = fgomp_pages_alloc(bytes, how, &asked);
	CHECK(start, "%d", errno);
	fill(start, bytes);
	return start;
}

static void
placements(size_t bytes, unsigned flags)
{
	for (int i = 0; i < n_allowed; i++) {
		char *start = allocated(bytes, FGOMP_PAGES_NODE, (wish){1, &node_list[i], NULL, flags});
		all_on(start, bytes, allowed[i]);
		CHECK(fgomp_pages_free(start) == 0);
	}
	for (int here = 0; here < 4; here++) {
		sit_on(here);
		char *start = allocated(bytes, FGOMP_PAGES_NEAREST, (wish){.flags = flags});
		all_on(start, bytes, nearest_to(here));
		CHECK(fgomp_pages_free(start) == 0);
	}
	unsigned weights[] = {1, 3, 4, 2}, percent[4], sum = 0;
	for (int i = 0; i < n_allowed; i++)
		sum += weights[i];
	for (int i = 0; i < n_allowed; i++)
		percent[i] = 100 * weights[i] / sum;
	char *start = allocated(bytes, FGOMP_PAGES_WEIGHTED, (wish){(unsigned)n_allowed, node_list, weights, flags});
	shares(start, bytes, percent);
	CHECK(fgomp_pages_move(start, bytes, FGOMP_PAGES_BLOCKS, NULL, FGOMP_PAGES_NOW) == 0);
	evenly(start, bytes);
	CHECK(holds(start, bytes) && fgomp_pages_free(start) == 0);
	for (int how = FGOMP_PAGES_INTERLEAVED; how <= FGOMP_PAGES_BLOCKS; how += 2) {
		start = allocated(bytes, (enum fgomp_pages_placement)how, (wish){.flags = flags});
		evenly(start, bytes);
		CHECK(fgomp_pages_free(start) == 0);
	}
}

// Memory that is used: its content stays, the wish counts for pages that are touched later, and memory of malloc gets
// no policy.
static void
moves(size_t bytes)
{
	char *start = fgomp_pages_alloc(2 * bytes, FGOMP_PAGES_NODE, &(wish){1, &node_list[0], NULL, 0});
	fill(start, bytes);
	for (int i = 1; i <= n_allowed; i++)
		for (int when = 0; when < 2; when++) {
			unsigned *to = &node_list[(i + when) % n_allowed];
			CHECK(fgomp_pages_move(start, 2 * bytes, FGOMP_PAGES_NODE, &(wish){1, to, NULL, 0}, when) == 0);
			CHECK(fgomp_pages_wait() == 0);
			all_on(start, bytes, (int)*to);
			CHECK(holds(start, bytes));
		}
	memset(start + bytes, 1, bytes);
	all_on(start, 2 * bytes, allowed[1]);
	CHECK(fgomp_pages_free(start) == 0);

	char *block = malloc(bytes), *first = (char *)(((uintptr_t)block + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
	size_t whole = bytes - 2 * PAGE;
	fill(block, bytes);
	CHECK(fgomp_pages_register(block, bytes) == 0);
	for (int i = 0; i < n_allowed; i++) {
		CHECK(fgomp_pages_move(block, bytes, FGOMP_PAGES_NODE, &(wish){1, &node_list[i], NULL, 0}, i % 2) == 0);
		CHECK(fgomp_pages_wait() == 0);
		all_on(first, whole, allowed[i]);
		int mode = -1;
		CHECK(syscall(SYS_get_mempolicy, &mode, NULL, 0, first, MPOL_F_ADDR) == 0 && mode == MPOL_DEFAULT);
	}
	CHECK(holds(block, bytes) && fgomp_pages_unregister(block) == 0);
	free(block);
}

// Members change the memory while it moves to and fro.
static void
used_meanwhile(void)
{
	enum { COUNTERS = 512, ROUNDS = 300 };
	long (*counter)[PAGE / sizeof(long)] = fgomp_pages_alloc(COUNTERS * PAGE, FGOMP_PAGES_INTERLEAVED, NULL);
	CHECK(counter);
#pragma omp parallel num_threads(5)
	if (omp_get_thread_num() == 0)
		for (int i = 0; i < 8; i++) {
			wish to = {1, &node_list[i % n_allowed], NULL, 0};
			int error = fgomp_pages_move(counter, COUNTERS * PAGE, FGOMP_PAGES_NODE, &to, i % 2);
			CHECK(error == 0 || error == EBUSY, "%d", error);
		}
	else
		for (int round = 0; round < ROUNDS; round++)
			for (int i = 0; i < COUNTERS; i++)
				__atomic_fetch_add(&counter[i][i % 512], 1, __ATOMIC_RELAXED);
	CHECK(fgomp_pages_wait() == 0);
	for (int i = 0; i < COUNTERS; i++)
		CHECK(counter[i][i % 512] == 4 * ROUNDS, "%ld", counter[i][i % 512]);
	CHECK(fgomp_pages_free(counter) == 0);
}

static void
full_node(void)
{
	enum { WANTED = 64 * MB, LEFT = 16 * MB };
	unsigned full = node_list[n_allowed - 1], next = node_list[0], least = ~0u;
	char *piece[600];
	int n = 0;
	unsigned long bits = 1ul << full;
	while (fgomp_pages_room(full) > LEFT && n < 600) {
		size_t bytes = fgomp_pages_room(full) > 40 * MB ? 8 * MB : MB;
		piece[n] = mmap(NULL, 8 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(syscall(SYS_mbind, piece[n], 8 * MB, MPOL_BIND, &bits, 64, 0) == 0);
		for (size_t at = 0; at < bytes; at += PAGE)
			piece[n][at] = 1;
		n++;
	}
	CHECK(fgomp_pages_room(full) <= LEFT);
	for (int i = 0; i + 1 < n_allowed; i++)
		if (fgomp_pages_access_cost(full, node_list[i]) < least) {
			least = fgomp_pages_access_cost(full, node_list[i]);
			next = node_list[i];
		}
	wish to = {1, &full, NULL, 0}, strictly = {1, &full, NULL, FGOMP_PAGES_STRICT};
	char *start = fgomp_pages_alloc(WANTED, FGOMP_PAGES_NODE, &to);
	for (size_t at = 0; at < WANTED; at += PAGE)
		start[at] = 1;
	for (size_t at = 0; at < WANTED; at += 16 * MB)
		all_on(start + at, 16 * MB, (int)next);
	errno = 0;
	CHECK(!fgomp_pages_alloc(WANTED, FGOMP_PAGES_NODE, &strictly) && errno == ENOMEM, "%d", errno);
	CHECK(fgomp_pages_move(start, WANTED, FGOMP_PAGES_NODE, &strictly, FGOMP_PAGES_NOW) == ENOMEM);
	all_on(start, 16 * MB, (int)next);
	char *other = fgomp_pages_alloc(MB, FGOMP_PAGES_LEAST_LOADED, NULL);
	unsigned on[4];
	fill(other, MB);
	count(other, MB, on);
	CHECK(on[full] == 0);
	CHECK(fgomp_pages_free(other) == 0);
	while (n > 0)
		munmap(piece[--n], 8 * MB);
	CHECK(fgomp_pages_move(start, WANTED, FGOMP_PAGES_NODE, &strictly, FGOMP_PAGES_NOW) == 0);
	all_on(start, 16 * MB, (int)full);
	CHECK(fgomp_pages_free(start) == 0);
}

// Members sit on the first cores, so the team of 8 is on nodes 0 and 1.
static void
of_team(void)
{
	unsigned on[4];
	char *start;
#pragma omp parallel num_threads(8)
#pragma omp masked
	{
		start = allocated(MB, FGOMP_PAGES_INTERLEAVED, (wish){.flags = FGOMP_PAGES_OF_TEAM});
		count(start, MB, on);
	}
	bool some = index_of(0) >= 0 || index_of(1) >= 0;
	for (int i = 0; i < n_allowed; i++)
		CHECK((on[allowed[i]] > 0) == (allowed[i] < 2 || !some), "%u pages on node %d", on[allowed[i]],
		      allowed[i]);
	CHECK(fgomp_pages_free(start) == 0);
}

static void
costs(void)
{
	CHECK(fgomp_pages_nodes() == 4);
	for (unsigned i = 0; i < 4; i++) {
		CHECK((fgomp_pages_room(i) > 0) == (index_of((int)i) >= 0), "node %u", i);
		for (unsigned k = 0; k < 4; k++)
			CHECK(fgomp_pages_access_cost(i, k) == 10 + 10 * (i ^ k), "%u", fgomp_pages_access_cost(i, k));
	}
	unsigned from = node_list[0], to = node_list[1];
	unsigned long long one = fgomp_pages_move_cost(1, from, to), many = fgomp_pages_move_cost(64 * MB, from, to);
	CHECK(one > 0 && one < many && many != ~0ull, "%llu, %llu ns", one, many);
	for (unsigned i = 0; i < 4; i++)
		if (index_of((int)i) < 0)
			CHECK(!fgomp_pages_alloc(1, FGOMP_PAGES_NODE, &(wish){1, &i, NULL, 0}) && errno == EINVAL);
}

int
main(void)
{
	if (!fgomp_pages_alloc)
		return 0;
	read_allowed();
	for (int i = 0; i < n_allowed; i++)
		node_list[i] = (unsigned)allowed[i];
	of_team();
	costs();
	for (unsigned flags = 0; flags < 2; flags++) {
		placements(40 * PAGE, flags);
		placements(16 * MB, flags);
	}
	moves(300 * PAGE);
	moves(16 * MB);
	used_meanwhile();
	full_node();
	return check_end();
}
