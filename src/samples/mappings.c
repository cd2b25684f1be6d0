/* Mappings (floor: samples): see mappings.h. */
#include "samples/mappings.h"

#include <string.h>

#include "memory/where.h"
#include "platform/file.h"
#include "samples/library.h"
#include "samples/map_line.h"

#define AT_LEAST (1u << 20)
#define PAGES 64 /* asked for a mapping */
#define PAGE 4096

static struct fg_mapping mappings[FG_MAPPINGS], before[FG_MAPPINGS];
static unsigned n, n_before;
static uint64_t looks;
static struct fg_nodes usual; /* those that may be used, and have PUs; if none has, all that may be used */
static bool all_usual;	      /* the system does not say which */
static bool told, hidden;     /* the system has told where pages lie; it did not, when it was asked first */

static uint64_t
scatter(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

/* Asks for some pages, spread over the mapping by chance. */
static void
measure(struct fg_mapping *mapping)
{
	void *page[PAGES];
	int node[PAGES];
	unsigned char count[FG_MAPPING_NODES] = {0}; /* at most PAGES */
	unsigned found = 0, most = 0, used = 0;
	size_t pages = (mapping->end - mapping->start) / PAGE;
	for (unsigned i = 0; i < PAGES; i++) {
		size_t from = pages / PAGES * i, room = pages / PAGES ? pages / PAGES : 1;
		page[i] = (void *)(mapping->start + (from + scatter(i + pages + looks) % room) * PAGE);
	}
	if (hidden || !fg_samples_host->where->ask(PAGES, page, node)) {
		hidden |= !told;
		return;
	}
	told = true;
	for (unsigned i = 0; i < PAGES; i++)
		if (node[i] >= 0 && node[i] < FG_MAPPING_NODES) {
			found++;
			count[node[i]]++;
		}
	for (unsigned i = 0; i < FG_MAPPING_NODES; i++) {
		mapping->on[i] = (unsigned char)(found ? count[i] * 255u / found : 0);
		most = count[i] > most ? count[i] : most;
		used += count[i] != 0 && fg_mappings_may_use(i);
	}
	mapping->bytes = pages * PAGE / PAGES * found;
	/* Less than twice its share, and nearer to its share than to all of them. */
	unsigned nodes = fg_mappings_nodes();
	mapping->even =
		nodes < 2 || (used >= nodes && most * nodes < 2 * found && 2 * most * nodes < (nodes + 1) * found);
	mapping->bound = fg_samples_host->where->unbound && !fg_samples_host->where->unbound(page[0]);
}

static void
add(uintptr_t start, uintptr_t end)
{
	if (n == FG_MAPPINGS || end - start < AT_LEAST)
		return;
	struct fg_mapping *mapping = &mappings[n];
	*mapping = (struct fg_mapping){.start = start, .end = end};
	measure(mapping);
	if (mapping->bytes < AT_LEAST)
		return;
	for (unsigned i = 0; i < n_before; i++)
		if (before[i].start == start && before[i].end == end) {
			mapping->stays = before[i].stays - (before[i].stays != 0);
			mapping->again = before[i].again;
			mapping->moved = before[i].moved;
		}
	n++;
}

static void
look_at_nodes(void)
{
	const struct fg_where *where = fg_samples_host->where;
	struct fg_nodes with_pus, both;
	unsigned long any = 0;
	all_usual = !where->allowed || !where->allowed(&usual);
	if (!where->with_pus || !where->with_pus(&with_pus))
		return;
	for (size_t i = 0; i < sizeof both.bits / sizeof *both.bits; i++)
		any |= both.bits[i] = with_pus.bits[i] & (all_usual ? ~0ul : usual.bits[i]);
	if (any) {
		usual = both;
		all_usual = false;
	}
}

unsigned
fg_mappings_look(void)
{
	static char text[8192];
	size_t have = 0;
	memcpy(before, mappings, sizeof *before * n);
	n_before = n;
	n = 0;
	looks++;
	look_at_nodes();
	if (hidden)
		return 0;
	struct fg_file_reading maps;
	if (!fg_samples_host->sandbox_allows(FG_SANDBOX_FILES) || !fg_file_reading_begin(&maps, "/proc/self/maps"))
		return 0;
	for (ssize_t got; (got = fg_file_reading_next(&maps, text + have, sizeof text - 1 - have)) > 0;) {
		have += (size_t)got;
		text[have] = '\0';
		char *line = text, *newline;
		for (; (newline = strchr(line, '\n')); line = newline + 1) {
			uintptr_t start, end;
			*newline = '\0';
			if (fg_map_line_read(line, &start, &end))
				add(start, end);
		}
		have = strlen(line) < sizeof text / 2 ? strlen(line) : 0;
		memmove(text, line, have);
	}
	fg_file_reading_end(&maps);
	unsigned suspect = 0;
	for (unsigned i = 0; i < n; i++)
		suspect += !mappings[i].even && !mappings[i].bound && !mappings[i].stays;
	return suspect;
}

bool
fg_mappings_hidden(void)
{
	return hidden;
}

bool
fg_mappings_may_use(unsigned node)
{
	enum { BITS = 8 * sizeof *usual.bits };
	return all_usual || usual.bits[node / BITS] >> node % BITS & 1;
}

unsigned
fg_mappings_nodes(void)
{
	unsigned nodes = 0;
	for (unsigned node = 0; node < fg_samples_host->nodes; node++)
		nodes += fg_mappings_may_use(node);
	return nodes;
}

void
fg_mapping_stays(struct fg_mapping *mapping)
{
	enum { FIRST = 64, LAST = 1 << 16 };
	mapping->again = mapping->again ? mapping->again : FIRST;
	mapping->stays = mapping->again;
	if (mapping->again < LAST)
		mapping->again *= 2;
}

unsigned
fg_mappings_count(void)
{
	return n;
}

struct fg_mapping *
fg_mapping(unsigned i)
{
	return &mappings[i];
}

/* They are in the order of their addresses, as the kernel tells them. */
struct fg_mapping *
fg_mapping_of(uintptr_t address)
{
	unsigned low = 0, high = n;
	while (low < high) {
		unsigned middle = (low + high) / 2;
		if (mappings[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && mappings[low].start <= address ? &mappings[low] : NULL;
}
