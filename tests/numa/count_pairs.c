// The counts of tools/count_plugin.c are exact: a thread bound to each node uses a page on each node, another number of
// times for each pair. Then the pages of one node move to another one, and the counts follow.
// count: yes
// threads: 1
#include "nodes.h"

#include "count.h"
#include <sched.h>

enum { PUS = 4, NODES = 4, LOADS = 1000, STORES = 10 };

static char *page[NODES];

static void
bind_to(int node)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(node * PUS + node, &set);
	CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
}

static void
use(volatile char *at, int loads, int stores)
{
	for (int i = 0; i < loads; i++)
		(void)*at;
	for (int i = 0; i < stores; i++)
		*at = 1;
}

// Another number for each pair.
static int
times(int cpu_node, int page_node)
{
	return (cpu_node + 1) * (page_node + 1) + cpu_node;
}

static void
all_pairs(void)
{
	count_phase("pairs");
	for (int cpu_node = 0; cpu_node < NODES; cpu_node++) {
		bind_to(cpu_node);
		for (int on = 0; on < NODES; on++)
			use(page[on] + 64, times(cpu_node, on) * LOADS, times(cpu_node, on) * STORES);
	}
	count_phase("moved");
	for (int cpu_node = 0; cpu_node < NODES; cpu_node++)
		for (int on = 0; on < NODES; on++)
			count_expect("pairs", "pages", cpu_node, on, (unsigned long)times(cpu_node, on) * LOADS,
				     (unsigned long)times(cpu_node, on) * STORES);
}

static void
move(void)
{
	int to = 3, status = -1;
	void *at = page[0];
	CHECK(syscall(SYS_move_pages, 0, 1ul, &at, &to, &status, MPOL_MF_MOVE) == 0 && status == to, "status %d",
	      status);
	bind_to(1);
	use(page[0], 500, 0);
	count_phase("uncounted");
	count_expect("moved", "pages", 1, 3, 500, 0);
	count_expect("moved", "pages", 1, 0, 0, 0);
	count_expect("moved", "pages", COUNT_ANY, COUNT_ANY, 500, 0);
}

int
main(void)
{
	read_allowed();
	CHECK(n_allowed == NODES, "%d nodes", n_allowed);
	char *pages = mmap(NULL, NODES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED && other != MAP_FAILED);
	for (int node = 0; node < NODES; node++) {
		unsigned long mask = 1ul << node;
		page[node] = pages + node * 4096;
		CHECK(syscall(SYS_mbind, page[node], 4096ul, MPOL_BIND, &mask, 64ul, 0ul) == 0);
		use(page[node], 0, 1);
	}
	count_begin();
	count_area("pages", pages, NODES * 4096);
	all_pairs();
	move();
	use(other, 100, 100); // this memory is in no area
	count_end();
	count_expect("uncounted", "pages", COUNT_ANY, COUNT_ANY, 0, 0);
	return check_end();
}
