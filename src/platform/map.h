/* Mappings: memory straight from the system, for callers that may not use an allocator (floor: platform; called by
 * trace, team/alloc/pages.c and stuck). A signal handler may call all of these. All are system calls, and nothing is
 * kept: the caller owns what it has mapped. Any lock may be held. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed pages; NULL: there are none. */
void *fg_map(size_t size);
/* The same, but the system sets no memory aside for pages that are not touched (MAP_NORESERVE). */
void *fg_map_unreserved(size_t size);
/* A piece of an open file, which may be read and written; NULL: it cannot be mapped. */
void *fg_map_file(int file, uint64_t offset, size_t size);
/* Puts zeroed pages in the place of others. A signal handler may call it. */
bool fg_map_over(void *start, size_t size);
void fg_unmap(void *start, size_t size);
/* Keeps the pages in RAM. False: the process may not. */
bool fg_map_pin(void *start, size_t size);
/* There will be no huge pages, where the system can do without. Keeps errno. */
void fg_map_small_pages(void *start, size_t size);
/* The process may write a file up to this offset (RLIMIT_FSIZE). */
bool fg_map_file_may_reach(uint64_t end);
