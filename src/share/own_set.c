/* Own set (floor: share): see own_set.h. */
#include "share/own_set.h"

#include <stdio.h>

#include "platform/file.h"
#include "platform/numa.h"
#include "platform/sandbox.h"
#include "share/entry.h"
#include "share/set.h"

#define NODES_MOST 16 /* of more no links are known: each pair is a look at files */

struct fg_own_set fg_own_set;

/* The thread that looks alone writes these; the tables, before the machine is published. */
static struct {
	struct fg_distances distances;
	uint8_t links[NODES_MOST * NODES_MOST];
	uint16_t pu[FG_BOARD_PUS]; /* the machine's number + 1; 0: the PU is not the process's */
	struct fg_set set;
	struct fg_cpuset chosen, lower, others; /* room for a look: the caller's stack may be small */
	bool told;
	unsigned last;		   /* its own PU when it last had a set, + 1; 0: it has had none */
	struct fg_atomic_u32 kept; /* 1: a machine was kept */
} own;

static unsigned
n_domains(const struct fg_machine *machine)
{
	unsigned caches = 0;
	for (unsigned i = 0; i < machine->n_levels; i++)
		caches += fg_level_is(machine->levels[i], FG_L3);
	return caches > machine->n_numa_nodes ? caches : machine->n_numa_nodes;
}

/* Firmware tells times between nodes, which count as links by their order: the shortest way to another node is one. */
static void
find_links(unsigned nodes)
{
	unsigned time[NODES_MOST];
	for (unsigned a = 0; a < nodes; a++) {
		for (unsigned b = 0; b < nodes; b++)
			time[b] = a == b ? 0 : fg_numa_distance(a, b);
		for (unsigned b = 0; b < nodes; b++) {
			unsigned links = a != b;
			for (unsigned c = 0; c < nodes; c++) {
				bool counts = c != a && time[c] < time[b];
				for (unsigned d = 0; counts && d < c; d++)
					counts = d == a || time[d] != time[c];
				links += counts;
			}
			own.links[a * nodes + b] = (uint8_t)links;
		}
	}
}

static void
find_distances(const struct fg_machine *machine)
{
	unsigned nodes = machine->n_numa_nodes > 1 ? fg_numa_nodes() : 0;
	own.distances = (struct fg_distances){.machine = machine};
	if (nodes > 1 && nodes <= NODES_MOST) {
		find_links(nodes);
		own.distances.links = own.links;
		own.distances.n_nodes = nodes;
		fg_distance_check(&own.distances);
	}
}

bool
fg_own_set_keep(const struct fg_machine *machine)
{
	if (!fg_own_set.on || n_domains(machine) < 2 || machine->n_pus > FG_CHOICE_PUS)
		return false;
	for (unsigned i = 0; i < machine->n_pus; i++)
		if (machine->pus[i]->os_index >= FG_BOARD_PUS)
			return false;
	if (fg_exchange_acq_rel(&own.kept, 1))
		return false;
	for (unsigned i = 0; i < machine->n_pus; i++)
		own.pu[machine->pus[i]->os_index] = (uint16_t)(i + 1);
	find_distances(machine);
	fg_store_release(&fg_own_set.machine, (void *)machine);
	return true;
}

/* One file tells whether all online PUs have one L3. */
static bool
has_several_domains(void)
{
	char shared[256], online[256];
	if (fg_numa_nodes() > 1)
		return true;
	return fg_file_text("/sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list", shared, sizeof shared) &&
	       fg_file_text("/sys/devices/system/cpu/online", online, sizeof online) && strcmp(shared, online) != 0;
}

void
fg_own_set_join(bool others)
{
	fg_store_relaxed(&fg_own_set.wants_levels, fg_sandbox_allows(FG_SANDBOX_FILES) && has_several_domains());
	fg_store_relaxed(&fg_own_set.company, others && fg_load_relaxed(&fg_own_set.machine));
}

/* PUs that the process does not know are nobody's loss. */
static struct fg_pus
by_machine(const struct fg_cpuset *cpus)
{
	struct fg_pus pus = {{0}};
	for (unsigned word = 0; word < FG_BOARD_PUS / 64; word++)
		for (uint64_t left = cpus->bits[word]; left; left &= left - 1) {
			unsigned pu = own.pu[word * 64 + (unsigned)__builtin_ctzll(left)];
			if (pu)
				fg_pus_add(&pus, pu - 1);
		}
	return pus;
}

static void
add_missing(struct fg_pus *taken, const struct fg_machine *machine, const struct fg_cpuset *cpus)
{
	for (unsigned pu = 0; pu < machine->n_pus; pu++)
		if (!fg_cpuset_has(cpus, machine->pus[pu]->os_index))
			fg_pus_add(taken, pu);
}

static bool
is_published(const struct fg_cpuset *cpus, unsigned pus, unsigned own_pu)
{
	bool is = fg_load_relaxed(&fg_own_set.pus) == pus && fg_load_relaxed(&fg_own_set.own_pu) == own_pu;
	for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++)
		is &= fg_load_relaxed(&fg_own_set.cpus[i]) == cpus->bits[i];
	return is;
}

static void
publish(const struct fg_cpuset *cpus, unsigned pus, unsigned own_pu, bool company)
{
	if (is_published(cpus, pus, own_pu) && fg_load_relaxed(&fg_own_set.company) == company)
		return;
	for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++)
		fg_store_relaxed(&fg_own_set.cpus[i], cpus->bits[i]);
	fg_store_relaxed(&fg_own_set.own_pu, own_pu);
	fg_store_relaxed(&fg_own_set.pus, pus);
	fg_store_relaxed(&fg_own_set.company, company);
	fg_own_set.changes++;
}

/* Around this PU a set is chosen. */
static unsigned
first_pu(const struct fg_own_request *request, const struct fg_pus *others)
{
	if (own.last && !fg_pus_has(others, own.last - 1))
		return own.last - 1;
	unsigned pu = request->root >= 0 && request->root < FG_BOARD_PUS ? own.pu[request->root] : 0;
	if (!pu)
		pu = own.pu[fg_cpuset_next(request->cpus, 0) % FG_BOARD_PUS];
	return pu ? pu - 1 : 0;
}

unsigned
fg_own_set_look(struct fg_board *board, unsigned entry, uint64_t now, const struct fg_own_request *request)
{
	const struct fg_machine *machine = fg_load_acquire(&fg_own_set.machine);
	if (!machine)
		return request->granted;
	fg_entry_read_sets(board, entry, now, &own.lower, &own.others);
	struct fg_pus lower = by_machine(&own.lower), others = by_machine(&own.others);
	add_missing(&lower, machine, request->cpus);
	add_missing(&others, machine, request->cpus);
	/* No more than the share: who comes last must find as much. */
	struct fg_request wish = {.largest = request->granted};
	wish.pu =
		fg_set_origin(&own.set, &own.distances, first_pu(request, &others), request->granted, &lower, &others);
	fg_set_look(&own.set, FG_CHOICE_ENHANCED, &own.distances, &wish, request->granted, &lower, &others);
	fg_cpuset_clear(&own.chosen);
	for (unsigned i = 0; i < own.set.n; i++)
		fg_cpuset_add(&own.chosen, machine->pus[own.set.pus[i]]->os_index);
	fg_entry_tell_set(board, entry, &own.chosen);
	own.told = true;
	own.last = own.set.pus[0] + 1u;
	unsigned uses = fg_set_uses(&own.set, request->granted), binds = own.set.n >= uses ? own.set.n : 0;
	unsigned own_pu = machine->pus[own.set.pus[0]]->os_index;
	publish(&own.chosen, binds, own_pu, true);
	return uses;
}

void
fg_own_set_pause(void)
{
	fg_cpuset_clear(&own.chosen);
	if (fg_load_relaxed(&fg_own_set.machine))
		publish(&own.chosen, 0, 0, true);
}

void
fg_own_set_forget(struct fg_board *board, unsigned entry)
{
	if (!fg_load_relaxed(&fg_own_set.machine))
		return;
	fg_cpuset_clear(&own.chosen);
	if (own.told && entry != FG_ENTRY_NONE)
		fg_entry_tell_set(board, entry, &own.chosen);
	own.told = false;
	own.set.n = 0;
	publish(&own.chosen, 0, 0, false);
}

void
fg_own_set_after_fork(void)
{
	own.told = false;
	own.set.n = own.last = 0;
	fg_cpuset_clear(&own.chosen);
	publish(&own.chosen, 0, 0, false);
}

void
fg_own_set_narrow(struct fg_cpuset *cpus)
{
	for (unsigned i = 0; i < FG_CPUSET_WORDS; i++)
		cpus->bits[i] &= i < FG_BOARD_PUS / 64 ? fg_load_relaxed(&fg_own_set.cpus[i]) : 0;
}
