// The system refuses to place memory, to move it or to tell where it lies, or ends a program that asks. The calls of
// forestgomp/memory.h go on without: memory is there, its content stays, and errors are those that the header names.
// finding: 4
// under: EPERM:move_pages
// under: EPERM:move_pages,mbind,get_mempolicy
// under: ENOSYS:move_pages,mbind,get_mempolicy,msync
// under: KILL:move_pages,mbind,get_mempolicy
// under: KILL:msync
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "../../include/forestgomp/memory.h"
#include "../programs/check.h"

#pragma weak fgomp_pages_alloc
#pragma weak fgomp_pages_free
#pragma weak fgomp_pages_locate
#pragma weak fgomp_pages_move
#pragma weak fgomp_pages_move_cost
#pragma weak fgomp_pages_register
#pragma weak fgomp_pages_room
#pragma weak fgomp_pages_unregister
#pragma weak fgomp_pages_wait

enum { BYTES = 1 << 20 };

static void
use(char *start, int when)
{
	size_t on[64];
#pragma omp parallel for
	for (int i = 0; i < BYTES; i++)
		start[i] = 7;
	int error = fgomp_pages_locate(start, BYTES, on, 64);
	CHECK(error == 0 || error == ENOSYS, "%d", error);
	error = fgomp_pages_move(start, BYTES, FGOMP_PAGES_NEAREST, NULL, when);
	CHECK(error == 0 || (error == ENOTSUP && when == FGOMP_PAGES_NOW), "%d", error);
	CHECK(fgomp_pages_wait() == 0);
	for (size_t i = 0; i < BYTES; i++)
		CHECK(start[i] == 7);
}

int
main(void)
{
	for (int how = FGOMP_PAGES_FIRST_TOUCH; how <= FGOMP_PAGES_BLOCKS; how++) {
		if (how == FGOMP_PAGES_WEIGHTED)
			continue;
		char *start = fgomp_pages_alloc(BYTES, how, NULL);
		CHECK(start, "%d: %s", how, strerror(errno));
		use(start, how % 2);
		CHECK(fgomp_pages_free(start) == 0);
	}
	char *block = malloc(BYTES);
	CHECK(fgomp_pages_register(block, BYTES) == 0);
	use(block, FGOMP_PAGES_NOW);
	CHECK(fgomp_pages_unregister(block) == 0);
	free(block);
	CHECK(fgomp_pages_room(0) > 0);
	CHECK(fgomp_pages_move_cost(BYTES, 0, 0) == 0);
	return check_end();
}
