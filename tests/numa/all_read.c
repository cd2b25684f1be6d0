// All threads read an array at random places, and the main thread has filled it. No node is the right one for any page
// of it. But they should lie round the nodes, as interleaved pages do, so that no node serves all. Samples are few.
// So a part of the array may stay on one node: 31% of it did in one run of forty.
// count: yes
// threads: 16
// env: FGOMP_MEMORY=auto
// env: INTERLEAVE=0,1,2,3
// limit: 60
// again: pages move by samples
#include "settle.h"

enum { MIB = 48, READS = 1 << 15, NODES = 4, MOST = 40, PAGES = 512 };

static uint64_t *array, wrong;
static size_t words = ((size_t)MIB << 20) / sizeof(uint64_t);

static void
read_all(void)
{
#pragma omp parallel reduction(+ : wrong)
	{
		uint64_t chance = (uint64_t)omp_get_thread_num() + 1;
		for (int i = 0; i < READS; i++) {
			chance = chance * 6364136223846793005u + 1442695040888963407u;
			size_t at = (size_t)((chance >> 33) * words >> 31);
			wrong += array[at] != at;
		}
	}
}

// How much more than its part the fullest node has.
static double
away(void)
{
	void *page[PAGES];
	int on[PAGES], count[NODES] = {0}, most = 0;
	for (size_t i = 0; i < PAGES; i++)
		page[i] = (char *)array + ((size_t)MIB << 20) / PAGES * i;
	CHECK(syscall(SYS_move_pages, 0, (unsigned long)PAGES, page, NULL, on, 0) == 0);
	for (size_t i = 0; i < PAGES; i++)
		if (on[i] >= 0 && on[i] < NODES && ++count[on[i]] > most)
			most = count[on[i]];
	return (double)most / PAGES - 1.0 / NODES;
}

int
main(void)
{
	array = mmap(NULL, (size_t)MIB << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(array != MAP_FAILED);
	count_begin();
	count_area("array", array, (size_t)MIB << 20);
	for (size_t i = 0; i < words; i++)
		array[i] = i;
	settle(read_all, away, 0.1);
	if (settle_moves() || getenv("INTERLEAVE"))
		count_expect_most("last", "array", MOST);
	CHECK(wrong == 0, "%lu words were wrong", (unsigned long)wrong);
	return check_end();
}
