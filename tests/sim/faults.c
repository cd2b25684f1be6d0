/* Members that touch pages of their own anew in each round, so that each page faults: `faults ROUNDS`. */
#include <omp.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MEMBERS = 8, PAGES = 64, PAGE = 4096, PAUSE = 2000 };

static void
touch(char *pages)
{
	for (int i = 0; i < PAGES; i++) {
		pages[i * PAGE] = 1;
		for (volatile int pause = 0; pause < PAUSE; pause++)
			;
	}
}

int
main(int argc, char **argv)
{
	size_t bytes = (size_t)MEMBERS * PAGES * PAGE;
	char *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (argc != 2 || all == MAP_FAILED)
		return 2;
	madvise(all, bytes, MADV_NOHUGEPAGE);
	for (int round = 0; round < atoi(argv[1]); round++) {
		madvise(all, bytes, MADV_DONTNEED);
#pragma omp parallel num_threads(MEMBERS)
		touch(all + (size_t)omp_get_thread_num() * PAGES * PAGE);
	}
	return 0;
}
