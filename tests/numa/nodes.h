// On which nodes pages lie, and on which they may, by the kernel's own words.
#include "../programs/check.h"
#include <linux/mempolicy.h>
#include <omp.h>
#include <sys/syscall.h>
#include <string.h>
#include <unistd.h>

enum { MAX_NODES = 64, MAX_PAGES = 8192 };

static int allowed[MAX_NODES], n_allowed;

// The nodes that this process may use: 0 to 3 of the machine, or fewer where the runner restricts it.
static inline void
read_allowed(void)
{
	unsigned long mask = 0, own = 0;
	int mode = 0;
	CHECK(syscall(SYS_get_mempolicy, NULL, &mask, 64, NULL, MPOL_F_MEMS_ALLOWED) == 0);
	CHECK(syscall(SYS_get_mempolicy, &mode, &own, 64, NULL, 0) == 0);
	if (mode == MPOL_BIND)
		mask &= own;
	for (int i = 0; i < MAX_NODES; i++)
		if (mask >> i & 1)
			allowed[n_allowed++] = i;
	CHECK(n_allowed >= 1 && n_allowed <= 4, "%d nodes are allowed", n_allowed);
}

// Place of a node among the allowed; -1.
static inline int
index_of(int node)
{
	for (int i = 0; i < n_allowed; i++)
		if (allowed[i] == node)
			return i;
	return -1;
}

// That of the allowed nodes that is nearest to a node. No two are equally near on the machine of
// tests/numa/run_on_qemu.py.
static inline int
nearest_to(int node)
{
	char path[80];
	int best = -1, least = 1000, distance;
	snprintf(path, sizeof path, "/sys/devices/system/node/node%d/distance", node);
	FILE *file = fopen(path, "r");
	CHECK(file);
	for (int other = 0; file && fscanf(file, "%d", &distance) == 1; other++)
		if (index_of(other) >= 0 && distance < least) {
			least = distance;
			best = other;
		}
	if (file)
		fclose(file);
	return best;
}

// The pages that the kernel has moved since the machine began; -1: it does not say.
static inline long
pages_moved(void)
{
	char word[64];
	long value, found = -1;
	FILE *file = fopen("/proc/vmstat", "r");
	while (file && fscanf(file, "%63s %ld", word, &value) == 2)
		if (strcmp(word, "pgmigrate_success") == 0)
			found = value;
	if (file)
		fclose(file);
	return found;
}

// The node of each page that a block touches; returns their number.
static inline int
nodes_of(char *block, size_t size, int *node)
{
	static void *pages[MAX_PAGES];
	char *first = (char *)((unsigned long)block & ~4095ul);
	int count = 0;
	for (char *at = first; at < block + size; at += 4096)
		pages[count++] = at;
	CHECK(syscall(SYS_move_pages, 0, (unsigned long)count, pages, NULL, node, 0) == 0);
	return count;
}
