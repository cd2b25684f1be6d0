/* Memory policies (floor: platform). */
#include "platform/numa.h"
#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"
#include "platform/file.h"
#include "platform/here.h"
#include "platform/sandbox.h"

#define WORD_BITS (8 * sizeof(unsigned long))
#define WORDS (FG_NODES_MAX / WORD_BITS)
/* The kernel subtracts one from the number of bits that it is given. */
#define KERNEL_BITS (FG_NODES_MAX + 1)

unsigned
fg_nodes_count(const struct fg_nodes *nodes)
{
	unsigned count = 0;
	for (size_t i = 0; i < WORDS; i++)
		count += (unsigned)__builtin_popcountl(nodes->bits[i]);
	return count;
}

unsigned
fg_nodes_next(const struct fg_nodes *nodes, unsigned from)
{
	for (unsigned node = from; node < FG_NODES_MAX; node = (node / (unsigned)WORD_BITS + 1) * (unsigned)WORD_BITS) {
		unsigned long left = nodes->bits[node / WORD_BITS] >> node % WORD_BITS;
		if (left)
			return node + (unsigned)__builtin_ctzl(left);
	}
	return FG_NODES_MAX;
}

/* As the system call, but errno stays. */
static bool
get_policy(int *mode, struct fg_nodes *nodes, const void *address, unsigned flags)
{
	if (!fg_sandbox_allows(FG_SANDBOX_PAGES))
		return false;
	int saved = errno;
	bool got = syscall(SYS_get_mempolicy, mode, nodes ? nodes->bits : NULL, nodes ? KERNEL_BITS : 0, address,
			   flags) == 0;
	errno = saved;
	return got;
}

static void
set_policy(void *start, size_t size, int mode, const struct fg_nodes *nodes)
{
	if (!fg_sandbox_allows(FG_SANDBOX_PAGES))
		return;
	int saved = errno;
	syscall(SYS_mbind, start, size, mode, nodes->bits, KERNEL_BITS, 0);
	errno = saved;
}

/* A preference is no limit. Nodes count only where a policy never goes outside them. */
static bool
keeps_to_its_nodes(int mode)
{
	enum { WEIGHTED_INTERLEAVE = 6 };
	if (mode & MPOL_F_RELATIVE_NODES) /* then they are no numbers of nodes */
		return false;
	mode &= ~MPOL_MODE_FLAGS;
	return mode == MPOL_BIND || mode == MPOL_INTERLEAVE || mode == WEIGHTED_INTERLEAVE;
}

bool
fg_numa_allowed(struct fg_nodes *nodes)
{
	struct fg_nodes own = {{0}}, both;
	int mode = MPOL_DEFAULT;
	memset(nodes, 0, sizeof *nodes);
	if (!get_policy(NULL, nodes, NULL, MPOL_F_MEMS_ALLOWED))
		return false;
	if (!get_policy(&mode, &own, NULL, 0) || !keeps_to_its_nodes(mode))
		return true;
	for (size_t i = 0; i < WORDS; i++)
		both.bits[i] = nodes->bits[i] & own.bits[i];
	if (fg_nodes_count(&both))
		*nodes = both;
	return true;
}

unsigned
fg_numa_here(void)
{
	return fg_here_node();
}

void
fg_numa_interleave(void *start, size_t size, const struct fg_nodes *nodes)
{
	set_policy(start, size, MPOL_INTERLEAVE, nodes);
}

void
fg_numa_prefer(void *start, size_t size, unsigned node)
{
	struct fg_nodes one = {{0}};
	one.bits[node / WORD_BITS] = 1ul << node % WORD_BITS;
	set_policy(start, size, MPOL_PREFERRED, &one);
}

/* The kernel knows the distances, nodes without memory and nodes that are full. The caller may move between two steps.
 * Then all goes to the node where the caller was when it touched the page. */
void
fg_numa_nearest(void *start, size_t size, const struct fg_nodes *nodes)
{
	set_policy(start, size, MPOL_BIND, nodes);
	*(volatile char *)start = 0;
	int node;
	if (get_policy(&node, NULL, start, MPOL_F_NODE | MPOL_F_ADDR) && node >= 0 && node < FG_NODES_MAX)
		fg_numa_prefer(start, size, (unsigned)node);
}

/* "0-3" or "0,2-5": the last number counts. */
unsigned
fg_numa_nodes(void)
{
	char text[256];
	text[0] = '\0';
	if (fg_sandbox_allows(FG_SANDBOX_FILES))
		fg_file_text("/sys/devices/system/node/online", text, sizeof text);
	const char *last = text;
	for (const char *at = text; *at; at++)
		if (*at == '-' || *at == ',')
			last = at + 1;
	unsigned node = (unsigned)atoi(last);
	return node < FG_NODES_MAX ? node + 1 : FG_NODES_MAX;
}

bool
fg_numa_where(unsigned n, void *const *pages, int *node)
{
	if (!fg_sandbox_allows(FG_SANDBOX_PAGES))
		return false;
	int saved = errno;
	bool told = syscall(SYS_move_pages, 0, (unsigned long)n, pages, NULL, node, 0) == 0;
	errno = saved;
	return told;
}

/* The call does nothing but look. The C library's function is a cancellation point. */
bool
fg_numa_is_mapped(const void *start, size_t size)
{
	uintptr_t first = (uintptr_t)start & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	if (!fg_sandbox_allows(FG_SANDBOX_PAGES))
		return true;
	int saved = errno;
	bool hole = syscall(SYS_msync, first, (uintptr_t)start + size - first, MS_ASYNC) != 0 && errno == ENOMEM;
	errno = saved;
	return !hole;
}

/* The kernel writes an error beside each page that stays for a reason of its own. A result above 0 says that it could
 * not move some. Then it has written nothing of those, nor of any that come after them. */
bool
fg_numa_move(unsigned n, void *const *pages, const int *to, int *node)
{
	if (!fg_sandbox_allows(FG_SANDBOX_PAGES))
		return false;
	int saved = errno;
	long left = syscall(SYS_move_pages, 0, (unsigned long)n, pages, to, node, MPOL_MF_MOVE);
	errno = saved;
	return left == 0 || (left > 0 && fg_numa_where(n, pages, node));
}

/* The kernel does not look at the thread's policy if it is asked about a page. */
bool
fg_numa_unbound(const void *page)
{
	int mode = MPOL_DEFAULT, own = MPOL_DEFAULT;
	return get_policy(&mode, NULL, page, MPOL_F_ADDR) && mode == MPOL_DEFAULT && get_policy(&own, NULL, NULL, 0) &&
	       own == MPOL_DEFAULT;
}

/* A file of a node's folder, as a string. Its room on the caller's stack is small. */
static bool
node_text(unsigned node, const char *name, char *text, size_t size)
{
	char path[80];
	snprintf(path, sizeof path, "/sys/devices/system/node/node%u/%s", node, name);
	return fg_sandbox_allows(FG_SANDBOX_FILES) && fg_file_text(path, text, size) > 0;
}

/* A line is "Node 0 MemFree:  123456 kB". */
static size_t
kilobytes(const char *text, const char *name)
{
	const char *found = strstr(text, name);
	return found ? (size_t)strtoull(found + strlen(name), NULL, 10) << 10 : 0;
}

/* What the kernel keeps free, and gives to nobody but itself. Its high watermarks are one and a half times the minimum,
 * which it divides among the nodes by their sizes. Transparent huge pages make it as large as 5% of all memory. */
static size_t
kept_free(size_t of_node)
{
	char text[32];
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES), all = pages * (uint64_t)sysconf(_SC_PAGESIZE) >> 20;
	if ((long)pages <= 0 || !all || !fg_file_text("/proc/sys/vm/min_free_kbytes", text, sizeof text))
		return of_node / 32;
	/* In integers, because a root asks amid the program's floating-point flags. */
	return (size_t)(strtoul(text, NULL, 10) * (uint64_t)(of_node >> 20) / all * 3 / 2 << 10);
}

size_t
fg_numa_room(unsigned node, bool with_cache)
{
	char text[800]; /* all lines before that of FilePages */
	if (!node_text(node, "meminfo", text, sizeof text))
		return SIZE_MAX;
	size_t room = kilobytes(text, " MemFree:"), kept = kept_free(kilobytes(text, " MemTotal:"));
	size_t files = kilobytes(text, " Active(file):") + kilobytes(text, " Inactive(file):"),
	       changed = kilobytes(text, " Dirty:") + kilobytes(text, " Writeback:");
	if (with_cache && files > changed)
		room += files - changed;
	return room > kept ? room - kept : 0;
}

/* The row has a number for each node that is online, in their order. */
static const char *
row_entry(const char *row, unsigned place)
{
	while (*row == ' ')
		row++;
	while (place-- && row)
		if ((row = strchr(row, ' ')))
			row++;
	return row;
}

/* The next piece of a list such as "0-3" or "0,2-5". False: there is none. */
static bool
next_piece(char **at, unsigned *first, unsigned *last)
{
	if (**at < '0' || **at > '9')
		return false;
	*first = (unsigned)strtoul(*at, at, 10);
	*last = **at == '-' ? (unsigned)strtoul(*at + 1, at, 10) : *first;
	*at += **at == ',';
	return true;
}

/* The place of a node in a list; below 0: it is not online. */
static int
place_in(char *list, unsigned node)
{
	unsigned place = 0, first, last;
	for (; next_piece(&list, &first, &last); place += last - first + 1)
		if (node >= first && node <= last)
			return (int)(place + node - first);
	return -1;
}

/* The file is read once. Two threads that both read it write the same words. */
static struct fg_atomic_u64 with_pus[WORDS];
static struct fg_atomic_u32 with_pus_known;

static void
read_with_pus(void)
{
	struct fg_nodes nodes = {{0}};
	char text[256] = "", *list = text;
	unsigned node, last;
	if (fg_sandbox_allows(FG_SANDBOX_FILES))
		fg_file_text("/sys/devices/system/node/has_cpu", text, sizeof text);
	while (next_piece(&list, &node, &last))
		for (; node <= last && node < FG_NODES_MAX; node++)
			fg_nodes_add(&nodes, node);
	for (size_t i = 0; i < WORDS; i++)
		fg_store_relaxed(&with_pus[i], nodes.bits[i]);
	fg_store_release(&with_pus_known, 1);
}

bool
fg_numa_with_pus(struct fg_nodes *nodes)
{
	if (!fg_load_acquire(&with_pus_known))
		read_with_pus();
	for (size_t i = 0; i < WORDS; i++)
		nodes->bits[i] = (unsigned long)fg_load_relaxed(&with_pus[i]);
	return fg_nodes_count(nodes) != 0;
}

unsigned
fg_numa_distance(unsigned from, unsigned to)
{
	char online[256], row[512];
	if (!fg_sandbox_allows(FG_SANDBOX_FILES) ||
	    !fg_file_text("/sys/devices/system/node/online", online, sizeof online) ||
	    !node_text(from, "distance", row, sizeof row))
		return 0;
	int place = place_in(online, to);
	const char *entry = place < 0 ? NULL : row_entry(row, (unsigned)place);
	return entry ? (unsigned)strtoul(entry, NULL, 10) : 0;
}
