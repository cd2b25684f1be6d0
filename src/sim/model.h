/* Model (floor: sim; the command uses it too): a machine, and what it costs there to move a cache line, to wake and to
 * switch. It is read from a machine file. Some of these are in share/machines:
 *
 *     key = value   # where the figure comes from
 *
 * name                       the machine's name
 * topology, xml              a synthetic machine; or a file of hwloc's, beside this one
 * transfer.LEVEL             ns until a line written by another PU is there, by the innermost level that both share
 * transfer.hopN, hops        the same between NUMA nodes N links apart; the matrix of links, a row for each node
 * memory.read, memory.write  ns until a line is there from local memory, from one link away, from two ...
 * smt                        the share of its speed that a PU keeps while another PU of its core is awake
 * misses                     lines that a PU can wait for at the same time, 1 to 64
 * line.queue                 the share of a transfer for which the line's home serves one reader, and others queue
 *
 * The tables below have the other keys. A missing figure has its default, which is an estimate. */
#pragma once
#include "machine/machine.h"
#include "sim/requests.h"

#define FG_MODEL_PUS 1024 /* at most */
#define FG_MODEL_HOPS 4	  /* at most */
#define FG_MODEL_MISSES                                                                                                \
	10 /* where the file has no figure: the line fill buffers of Intel's cores from Nehalem to Skylake */
#define FG_MODEL_QUEUE (1. / 3) /* the same, an estimate: of a transfer's three legs, one goes to the home */

/* X(field, "key", default in ns, meaning) */
#define FG_MODEL_COSTS(X)                                                                                              \
	X(pause, "pause", 25, "one turn of a spinning loop")                                                           \
	X(fence, "fence", 5, "a full fence beyond the stores that it waits for")                                       \
	X(locked, "locked", 5, "an atomic operation on a line that the PU has")                                        \
	X(ahead, "ahead", 30, "what a PU computes meanwhile that waits for a line, at most")                           \
	X(thread_switch, "switch", 26, "from one user-level thread to another")                                        \
	X(sleep, "sleep", 1000, "the system call that goes to sleep")                                                  \
	X(wake_call, "wake.call", 2000, "the system call that wakes a sleeper")                                        \
	X(wake_latency, "wake.latency", 30000, "from that call until the sleeper runs")                                \
	X(create, "create", 10000, "the creation of a kernel thread, for who creates it")                              \
	X(start, "start", 20000, "from its begin until the new one runs")                                              \
	X(move_fault, "move.fault", 10000, "the fault at which pages move on their next touch, beside that call")      \
	X(move_call, "move.call", 50000, "the system call that moves pages to another node")                           \
	X(move_page, "move.page", 1500, "for each page of 4 KiB that it moves")

/* The same for memory, with the unit instead of a meaning. A figure < 0 is not given. Bandwidths are above 0. */
#define FG_MODEL_MEMORY(X)                                                                                             \
	X(cache_l2, "cache.l2", -1, "kilobytes")                                                                       \
	X(cache_l3, "cache.l3", -1, "kilobytes")                                                                       \
	X(l3_latency, "cache.l3.latency", 20, "nanoseconds")                                                           \
	X(l3_bandwidth, "cache.l3.bandwidth", 16000, "MB/s")                                                           \
	X(core_bandwidth, "memory.bandwidth.core", 10000, "MB/s")                                                      \
	X(node_bandwidth, "memory.bandwidth.node", 40000, "MB/s")                                                      \
	X(link_bandwidth, "memory.bandwidth.links", -1, "MB/s")                                                        \
	X(probe, "memory.probe", 0, "nanoseconds")
/* KB for each PU below the cache: estimates for where neither the file nor the machine's description has a size. */
#define FG_MODEL_L2_A_PU 512
#define FG_MODEL_L3_A_PU 2048

struct fg_model {
	char *name, *topology, *source; /* source: the machine file's path, or NULL */
	bool estimated;			/* all transfers are defaults */
#define FG_MODEL_FIELD(field, key, preset, meaning) double field;
	FG_MODEL_COSTS(FG_MODEL_FIELD)
#undef FG_MODEL_FIELD
#define FG_MODEL_FIELD(field, key, preset, unit) double field;
	FG_MODEL_MEMORY(FG_MODEL_FIELD)
#undef FG_MODEL_FIELD
	double read[FG_MODEL_HOPS + 1], write[FG_MODEL_HOPS + 1]; /* ns, by the number of links */
	unsigned n_read, n_write;
	double smt, queue;
	unsigned misses;
	double transfer[FG_LEVEL_KINDS]; /* ns; < 0: not given */
	double hop[FG_MODEL_HOPS + 1];
	unsigned char *hops; /* n x n, or NULL */
	unsigned n_hops;
	struct fg_machine *machine;
	/* The place and the reason of an error in the file. */
	unsigned line;
	char why[160];
};

/* `text` is the path of a machine file, of an hwloc XML file (*.xml), or a synthetic machine, which need not name its
 * PUs. If it returns false, model->why has the reason, and model->line the line of the file, if it is one. */
bool fg_model_read(struct fg_model *model, const char *text);
/* Gives the same machine so many cores: it cuts the outer levels down, or adds more of the outermost. A machine of an
 * XML file can only be cut down to one PU. On false, see model->why. */
bool fg_model_resize(struct fg_model *model, unsigned n_pus);
void fg_model_free(struct fg_model *model);
/* Returns the nanoseconds of transfer.WORD where no figure is given. The word is NULL where there is no such key. */
double fg_model_preset(enum fg_level_kind kind, const char **word);
/* Returns the nanoseconds until a line written by PU `from` is at PU `to`. */
double fg_model_transfer(const struct fg_model *model, unsigned from, unsigned to);
/* Returns the first PU of the PU's core; -1 if the PU is alone on its core, or if sharing the core costs nothing. */
int fg_model_core(const struct fg_model *model, unsigned pu);
/* Returns the links between the NUMA nodes of two PUs; 0 if it is one node, or if no matrix is given. */
unsigned fg_model_hops(const struct fg_model *model, unsigned from, unsigned to);
/* Returns the NUMA node of a PU, as its place among the machine's. */
unsigned fg_model_node(const struct fg_model *model, unsigned pu);
/* Returns the links between two NUMA nodes. Without a matrix, two nodes are one link apart. */
unsigned fg_model_node_hops(const struct fg_model *model, unsigned from, unsigned to);
/* Returns the nanoseconds until a line is there from a memory so many links away. */
double fg_model_memory(const struct fg_model *model, unsigned hops, bool write);
