/* Stacks of donors (floor: platform): see stack.h. */
#include "platform/stack.h"

#include <errno.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, high) 0
#endif

#define COLOUR_STEP 64
#define COLOURS 16 /* more would push the hot top of some stacks over a page boundary, a page more each */

#define PARKING_ROOM 8192 /* plus the room for a signal frame */

static void
announce(const struct fg_stack *stack)
{
	(void)VALGRIND_STACK_REGISTER(stack->map, stack->parking - 1);
	(void)VALGRIND_STACK_REGISTER(stack->low, stack->low + stack->size - 1);
}

/* In a process that has called mlockall(MCL_FUTURE), the kernel locks all that it maps. It fills it with pages as soon
 * as it may be written. Most of a donor's stack is never touched, and a donor in stock may never be used. So its stack
 * is locked when it is used, page by page. Locked pages cannot be dropped: that tells whether they are locked. */
static bool
unlock(char *map, size_t size, size_t page)
{
	if (madvise(map, page, MADV_DONTNEED) == 0 || errno != EINVAL)
		return false;
	return munlock(map, size) == 0;
}

void
fg_stack_lock(const struct fg_stack *stack)
{
	int saved = errno;
	(void)mlock2(stack->map, stack->map_size,
		     MLOCK_ONFAULT); /* above the limit for locked memory it stays unlocked */
	errno = saved;
}

int
fg_stack_map(struct fg_stack *stack, size_t size, unsigned colour)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size = (size + page - 1) & ~(page - 1);
	size_t parking = (PARKING_ROOM + getauxval(AT_MINSIGSTKSZ) + page - 1) & ~(page - 1);
	size_t total = parking + FG_STACK_GUARD + size + page;
	char *map = mmap(NULL, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (map == MAP_FAILED)
		return errno;
	stack->to_lock = unlock(map, total, page);
	char *low = map + parking + FG_STACK_GUARD;
	if (mprotect(map, parking, PROT_READ | PROT_WRITE) || mprotect(low, size + page, PROT_READ | PROT_WRITE)) {
		int error = errno;
		munmap(map, total);
		return error;
	}
	madvise(map, total, MADV_NOHUGEPAGE); /* a kernel without huge pages refuses: no harm */
	stack->map = map;
	stack->map_size = total;
	stack->parking = map + parking;
	stack->low = low;
	stack->size = size + page - FG_STACK_NOTE - (size_t)(colour % COLOURS) * COLOUR_STEP;
	announce(stack);
	return 0;
}

void
fg_stack_unmap(struct fg_stack *stack)
{
	munmap(stack->map, stack->map_size);
	stack->map = NULL;
}

_Static_assert(RLIM_INFINITY == SIZE_MAX, "no limit and an unknown one are told alike");

size_t
fg_stack_limit(void)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_STACK, &limit) == 0 ? limit.rlim_cur : SIZE_MAX;
}
