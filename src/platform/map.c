/* Mappings (floor: platform): see map.h. */
#define _GNU_SOURCE
#include "platform/map.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

static void *
map(size_t size, int flags, int file, off_t offset)
{
	void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, file, offset);
	return start == MAP_FAILED ? NULL : start;
}

void *
fg_map(size_t size)
{
	return map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void *
fg_map_unreserved(size_t size)
{
	return map(size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void *
fg_map_file(int file, uint64_t offset, size_t size)
{
	return map(size, MAP_SHARED, file, (off_t)offset);
}

bool
fg_map_over(void *start, size_t size)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	return mmap(start, size, PROT_READ | PROT_WRITE, flags, -1, 0) == start;
}

void
fg_unmap(void *start, size_t size)
{
	munmap(start, size);
}

bool
fg_map_pin(void *start, size_t size)
{
	return mlock(start, size) == 0;
}

void
fg_map_small_pages(void *start, size_t size)
{
	int saved = errno;
	madvise(start, size, MADV_NOHUGEPAGE);
	errno = saved;
}

bool
fg_map_file_may_reach(uint64_t end)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || end <= limit.rlim_cur;
}
