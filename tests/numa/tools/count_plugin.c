// A plug-in for QEMU that counts the accesses of user code to the areas that a program names: loads and stores, by the
// node of the CPU, the node of the page and the area. tests/numa/count.h tells it of areas and phases.
//
//   qemu-system-x86_64 ... -plugin count_plugin.so,out=FILE,pus=4,block=512
//
// `pus` are those of each node, and `block` is the memory of each node in MiB. FILE gets these lines:
//   run NAME                                          a program begins
//   phase NAME SECONDS                                a phase has ended, and took so long
//   count AREA CPU_NODE PAGE_NODE LOADS STORES BYTES  what happened in it; page node -1: not known
// and each line of the program that begins with "expect" or "note", as it is.
//
// It counts each access of an instruction of user code. A vector of 32 bytes is four accesses, `rep movsb` of n bytes
// is n loads and n stores, and an atomic operation is one store. It does not count what the kernel does for the
// program, walks of page tables, and fetches of instructions.
//
// Each virtual CPU has counters of its own, and only its thread writes them: no access is lost. A phase's counts are
// the differences to what was there when it began. They are exact if no thread uses an area while the program says a
// line.
//
// Only one program may count at a time, because an address says nothing of its process. Forked children count with it.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count_marker.h"
#include "record/qemu_plugin.h"

enum { MAX_VCPUS = 64, MAX_NODES = 16, MAX_AREAS = 16, MAX_BLOCKS = 128, UNKNOWN = MAX_NODES, NAME = 32, LINE = 200 };

struct counts {
	uint64_t loads, stores, bytes;
};

struct area {
	char name[NAME];
	uint64_t start, end;
};

// By area and node of the page.
typedef struct counts table[MAX_AREAS][MAX_NODES + 1];

static _Alignas(64) table counted[MAX_VCPUS], before[MAX_VCPUS];
static struct area areas[MAX_AREAS];
static atomic_uint n_areas;
static atomic_ullong lowest = UINT64_MAX, highest; // all areas lie between
static signed char node_of_block[MAX_BLOCKS];	   // node + 1, 0: not known yet

static unsigned pus = 4;
static uint64_t block_bytes = 512ull << 20;
static FILE *out;
static int interface; // the version that QEMU has

// What the program has said of its line so far, and the phase that it named last.
static struct {
	char line[LINE], phase[NAME];
	unsigned letters;
	int node;
	double since;
} said;

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The number of the memory block that the byte is in, or -1. Each node has one block. QEMU's address is not the
// guest's: it is a place among all blocks, which are aligned to their size.
static int
block_of(qemu_plugin_meminfo_t info, uint64_t address)
{
	struct qemu_plugin_hwaddr *place = qemu_plugin_get_hwaddr(info, address);
	if (!place || qemu_plugin_hwaddr_is_io(place))
		return -1;
	uint64_t block = qemu_plugin_hwaddr_phys_addr(place) / block_bytes;
	return block < MAX_BLOCKS ? (int)block : -1;
}

static int
node_of(qemu_plugin_meminfo_t info, uint64_t address)
{
	int block = block_of(info, address);
	return block >= 0 && node_of_block[block] ? node_of_block[block] - 1 : UNKNOWN;
}

static void
on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
	(void)unused;
	if (address < atomic_load_explicit(&lowest, memory_order_relaxed) ||
	    address >= atomic_load_explicit(&highest, memory_order_relaxed) || vcpu >= MAX_VCPUS)
		return;
	unsigned n = atomic_load_explicit(&n_areas, memory_order_acquire);
	for (unsigned i = 0; i < n; i++)
		if (address >= areas[i].start && address < areas[i].end) {
			struct counts *to = &counted[vcpu][i][node_of(info, address)];
			*(qemu_plugin_mem_is_store(info) ? &to->stores : &to->loads) += 1;
			to->bytes += 1ull << qemu_plugin_mem_size_shift(info);
			return;
		}
}

static void
add(struct counts *sum, const struct counts *after, struct counts *start)
{
	sum->loads += after->loads - start->loads;
	sum->stores += after->stores - start->stores;
	sum->bytes += after->bytes - start->bytes;
	*start = *after;
}

// Writes what an area's pages on one node got from one node's CPUs since the last call.
static void
write_counts(unsigned area, unsigned cpu_node, unsigned page_node)
{
	struct counts sum = {0};
	for (unsigned vcpu = cpu_node * pus; vcpu < (cpu_node + 1) * pus && vcpu < MAX_VCPUS; vcpu++)
		add(&sum, &counted[vcpu][area][page_node], &before[vcpu][area][page_node]);
	if (sum.loads + sum.stores)
		fprintf(out, "count %s %u %d %llu %llu %llu\n", areas[area].name, cpu_node,
			page_node == UNKNOWN ? -1 : (int)page_node, (unsigned long long)sum.loads,
			(unsigned long long)sum.stores, (unsigned long long)sum.bytes);
}

// Ends the phase that the program is in, and begins another one; an empty name begins none.
static void
next_phase(const char *name)
{
	if (said.phase[0])
		fprintf(out, "phase %s %.3f\n", said.phase, now() - said.since);
	else
		memcpy(before, counted, sizeof before);
	for (unsigned area = 0; said.phase[0] && area < n_areas; area++)
		for (unsigned node = 0; node < MAX_VCPUS / pus; node++)
			for (unsigned page_node = 0; page_node <= MAX_NODES; page_node++)
				write_counts(area, node, page_node);
	snprintf(said.phase, sizeof said.phase, "%s", name);
	said.since = now();
}

static void
add_area(const char *name, uint64_t start, uint64_t bytes)
{
	unsigned n = n_areas;
	if (n == MAX_AREAS) {
		fprintf(out, "note the plug-in counts in %d areas at most; %s is left out\n", MAX_AREAS, name);
		return;
	}
	snprintf(areas[n].name, sizeof areas[n].name, "%s", name);
	areas[n].start = start;
	areas[n].end = start + bytes;
	atomic_store_explicit(&n_areas, n + 1, memory_order_release);
	if (start < lowest)
		lowest = start;
	if (start + bytes > highest)
		highest = start + bytes;
}

static void
forget_areas(void)
{
	lowest = UINT64_MAX;
	highest = 0;
	n_areas = 0;
}

static void
on_line(const char *line)
{
	char name[NAME] = "";
	unsigned long long start, bytes;
	if (sscanf(line, "area %31s %llx %llu", name, &start, &bytes) == 3)
		add_area(name, start, bytes);
	else if (sscanf(line, "phase %31s", name) == 1)
		next_phase(name);
	else if (sscanf(line, "node %d", &said.node) == 1)
		;
	else if (strcmp(line, "end") == 0) {
		next_phase("");
		forget_areas();
	} else {
		if (strncmp(line, "run ", 4) == 0) {
			said.phase[0] = 0;
			forget_areas();
		}
		fprintf(out, "%s\n", line);
	}
	fflush(out);
}

static void
on_letter(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
	(void)vcpu, (void)info, (void)unused;
	char letter = (char)(address & 255);
	if (letter != '\n') {
		if (said.letters < LINE - 1)
			said.line[said.letters++] = letter;
		return;
	}
	said.line[said.letters] = 0;
	said.letters = 0;
	on_line(said.line);
}

static void
on_page(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
	(void)vcpu, (void)unused;
	int block = block_of(info, address);
	if (block < 0 || said.node < 0 || said.node >= MAX_NODES)
		return;
	if (node_of_block[block] && node_of_block[block] != said.node + 1)
		fprintf(out, "note block %d holds pages of two nodes, %d and %d\n", block, node_of_block[block] - 1,
			said.node);
	node_of_block[block] = (signed char)(said.node + 1);
}

static void
on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
		if (qemu_plugin_insn_vaddr(insn) >> 47)
			continue; // the kernel's
		unsigned char code[COUNT_SIZE + 1];
		bool marker = qemu_plugin_insn_bytes(insn, interface, code, sizeof code) == COUNT_SIZE &&
			      memcmp(code, count_marker, sizeof count_marker) == 0;
		if (!marker)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
							 NULL);
		else
			qemu_plugin_register_vcpu_mem_cb(insn, code[COUNT_SIZE - 1] == COUNT_PAGE ? on_page : on_letter,
							 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
	}
}

QEMU_PLUGIN_EXPORT int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int n_words, char **words)
{
	for (int i = 0; i < n_words; i++)
		if (strncmp(words[i], "out=", 4) == 0)
			out = fopen(words[i] + 4, "w");
		else if (strncmp(words[i], "pus=", 4) == 0)
			pus = (unsigned)atoi(words[i] + 4);
		else if (strncmp(words[i], "block=", 6) == 0)
			block_bytes = strtoull(words[i] + 6, NULL, 10) << 20;
	if (!out || !pus || !block_bytes || !info->system_emulation) {
		fprintf(stderr, "count_plugin: it needs out=FILE, and an emulated machine\n");
		return 1;
	}
	interface = info->version.cur;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
