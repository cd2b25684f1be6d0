/* Memory on several NUMA nodes: ForestGOMP's calls to place it, to find it and to move it (docs/memory.md). Programs
 * need none of them. Nodes have the numbers of the operating system, on a simulated machine those of its description.
 *
 * Any thread of the program may call at any time, but in no signal handler. A function that returns an int returns 0 or
 * an errno value. The one that returns a pointer returns NULL and sets errno. Bad input changes nothing, and
 * FGOMP_VERBOSE tells of it. The unit is a page: memory from here has pages of its own, and of other memory whole pages
 * move. The child of a fork has a copy of the memory, which is no area there and cannot be freed by these calls. */
#ifndef FORESTGOMP_MEMORY_H
#define FORESTGOMP_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* On which nodes the pages lie. */
enum fgomp_pages_placement {
	FGOMP_PAGES_FIRST_TOUCH = 0,  /* each page on the node of the thread that touches it first */
	FGOMP_PAGES_NODE = 1,	      /* all on one node, the first of the wish */
	FGOMP_PAGES_NEAREST = 2,      /* all on the node that is nearest to the calling thread's CPU */
	FGOMP_PAGES_LEAST_LOADED = 3, /* all on the node that has most bytes free */
	FGOMP_PAGES_INTERLEAVED = 4,  /* page by page round the nodes */
	FGOMP_PAGES_WEIGHTED = 5,     /* round the nodes, on each as many pages as its weight says */
	FGOMP_PAGES_BLOCKS = 6	      /* in equal pieces, one for each node */
};

/* The nodes that count, in this order. NULL stands for a wish of zeros. */
struct fgomp_pages_wish {
	unsigned n_nodes; /* 0: all nodes with CPUs that the process may use, in order */
	const unsigned *nodes;
	const unsigned *weights; /* WEIGHTED: 1 to 1000 for each node */
	unsigned flags;
};
enum {
	/* If a node has not room enough, the call fails with ENOMEM, and memory is touched at once so that it is there.
	 * Without this flag the nearest node that has room stands in. Clean pages of files count as room. */
	FGOMP_PAGES_STRICT = 1,
	/* n_nodes is 0, and the nodes are those where the calling thread's team is at the moment. */
	FGOMP_PAGES_OF_TEAM = 2
};

/* Zeroed memory. It lives until it is freed, and policies see it as an area that is `allocated`
 * (forestgomp/sched.h). EINVAL: 0 bytes, or a wish that cannot be; ENOMEM: there is none. */
void *fgomp_pages_alloc(size_t bytes, enum fgomp_pages_placement how, const struct fgomp_pages_wish *wish);
/* `start` is from fgomp_pages_alloc, or is a part of such memory (fgomp_pages_split); else EINVAL. What is attached to
 * areas within it is detached. */
int fgomp_pages_free(void *start);

/* Other memory becomes an area that policies see, until it is unregistered. The program must do that before it frees
 * the memory. EINVAL: an empty range, or one past the end of memory; EFAULT: not all of it is mapped; EEXIST: it
 * overlaps memory that is registered or from fgomp_pages_alloc. */
int fgomp_pages_register(void *start, size_t bytes);
int fgomp_pages_unregister(void *start);
/* Memory from fgomp_pages_alloc or registered becomes n areas, each to be freed or unregistered by itself. They begin
 * at pages and have as many each, give or take one. `parts` gets the n starts. Threads and teams that were attached to
 * the whole stay attached to it. EINVAL: not such memory, 0 parts, or more than it has pages. */
int fgomp_pages_split(void *start, unsigned n, void **parts);

/* The bytes of any range that lie on each of the nodes 0 to n - 1. Pages that no thread has touched count to none. Of
 * more than 256 pages a sample is looked at. EINVAL, EFAULT: as above; ENOSYS: the system does not tell. */
int fgomp_pages_locate(const void *start, size_t bytes, size_t *on_node, unsigned n);

/* The pages of any range go to where the placement says. FIRST_TOUCH has no such place, and is refused. Pages that were
 * not touched yet go there later if the memory is from fgomp_pages_alloc; no policy is ever left on other memory.
 * IN_BACKGROUND: a thread of the runtime moves them, while the caller goes on. On a simulated machine that is now, too.
 * EINVAL, EFAULT, ENOMEM: as above; ENOTSUP: the system moves no pages; EBUSY: some pages stayed, because the kernel
 * holds them or other processes share them. A move in the background does not tell of the last two. */
enum fgomp_pages_when {
	FGOMP_PAGES_NOW = 0,
	FGOMP_PAGES_IN_BACKGROUND = 1,
	FGOMP_PAGES_ON_NEXT_TOUCH = 2, /* when a thread next reads or writes there */
	FGOMP_PAGES_ON_NEXT_WRITE = 3  /* when a thread next writes there */
};
int fgomp_pages_move(void *start, size_t bytes, enum fgomp_pages_placement how, const struct fgomp_pages_wish *wish,
		     enum fgomp_pages_when when);
/* On the next touch or write, pages that are there go to the node of the thread that does it, some at a time: 64 to 512
 * neighbours, and huge pages whole. `how` is FIRST_TOUCH and `wish` is NULL, because the touch tells the node. The
 * range lies in memory that is registered or from fgomp_pages_alloc, else the result is EINVAL. Only whole pages within
 * it wait. Another move, and to free or unregister the memory, end the wait. Memory of fgomp_pages_alloc that no thread
 * has touched needs none of this, because its first touch is its next one.
 *
 * Meanwhile the pages are closed, and the runtime's handler of SIGSEGV opens them. So some memory must not lie there
 * until it was touched:
 * - what a system call reads or writes (with next write: writes), because the call fails with EFAULT. These are buffers
 *   of files, of sockets, of MPI and of devices, and the words of mutexes and semaphores;
 * - stacks, and what a thread uses while it blocks SIGSEGV, because the system ends the process;
 * - pages whose protection the program changes, because the runtime makes them readable and writable.
 * A debugger stops at each of these signals. If the program sets a handler of its own for SIGSEGV, all such pages are
 * opened before and stay where they lie. While it has one, this is refused with ENOTSUP. That must be done by
 * functions of the C library. In the child of a fork none waits. Some kernels tell no node of pages that wait. */

/* Waits until all moves in the background are over. */
int fgomp_pages_wait(void);

/* How many nodes there are, numbered from 0. Some numbers may be free. */
unsigned fgomp_pages_nodes(void);
/* The bytes that a node still has room for. Clean pages of files count as room, and limits of control groups are not
 * looked at. (size_t)-1: any number, or not known. 0: there is no such node, or the process may not use it, too. */
size_t fgomp_pages_room(unsigned node);
/* The time of an access of a CPU of one node to memory of another, in tenths of a local one: 10 is local, 21 takes 2.1
 * times as long. 0: not known. */
unsigned fgomp_pages_access_cost(unsigned from, unsigned to);
/* The nanoseconds that it takes to move so many bytes. The first question moves pages of the runtime's own to measure
 * it, and the price counts for all nodes. ~0ull: they cannot be moved. */
unsigned long long fgomp_pages_move_cost(size_t bytes, unsigned from, unsigned to);

#ifdef __cplusplus
}
#endif

#endif
