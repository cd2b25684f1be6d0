/* Report (floor: samples): see report.h. */
#include "samples/report.h"

#include <stdio.h>
#include <string.h>

#include "memory/where.h"
#include "samples/library.h"
#include "samples/mappings.h"
#include "samples/orders.h"
#include "samples/points.h"

struct sums {
	uintptr_t key, end;	   /* a region's function, or a mapping */
	float local[2], remote[2]; /* before the first move, and since the last */
	unsigned moved, refused, no_room;
	uint64_t users;
};

#define OTHERS UINTPTR_MAX

static struct sums regions[FG_REPORT_REGIONS], mappings[FG_MAPPINGS];
static unsigned n_regions, n_mappings;
static unsigned walks, closed_walks, moved;

unsigned char
fg_report_region(const void *region)
{
	unsigned i = 0;
	while (i < n_regions && regions[i].key != (uintptr_t)region)
		i++;
	if (i == n_regions && n_regions < FG_REPORT_REGIONS)
		regions[n_regions++].key = i + 1 < FG_REPORT_REGIONS ? (uintptr_t)region : OTHERS;
	return (unsigned char)(i < FG_REPORT_REGIONS ? i : FG_REPORT_REGIONS - 1);
}

void
fg_report_walk(bool closed)
{
	walks++;
	closed_walks += closed;
}

static struct sums *
sums_of(const struct fg_mapping *mapping)
{
	unsigned i = 0;
	while (i < n_mappings && (mappings[i].key >= mapping->end || mappings[i].end <= mapping->start))
		i++;
	if (i == n_mappings) {
		if (n_mappings == FG_MAPPINGS)
			return NULL;
		n_mappings++;
	}
	mappings[i].key = mapping->start;
	mappings[i].end = mapping->end;
	return &mappings[i];
}

static void
add(struct sums *sums, const struct fg_point *point)
{
	float *to = point->page == point->user ? sums->local : sums->remote;
	to[moved != 0] += point->share;
	sums->users |= UINT64_C(1) << point->user;
}

void
fg_report_point(const struct fg_point *point)
{
	const struct fg_mapping *mapping = fg_mapping_of(point->address);
	struct sums *sums = mapping && point->page >= 0 ? sums_of(mapping) : NULL;
	if (point->page < 0)
		return;
	add(&regions[point->region], point);
	if (sums)
		add(sums, point);
}

/* Points between two moves are neither before nor after. */
void
fg_report_order(const struct fg_order *order)
{
	if (!order->moved && !order->refused && !order->no_room)
		return;
	const struct fg_mapping *mapping = fg_mapping_of(order->low);
	struct sums *sums = mapping ? sums_of(mapping) : NULL;
	moved += order->moved;
	if (order->moved)
		for (unsigned i = 0; i < n_regions; i++)
			regions[i].local[1] = regions[i].remote[1] = 0;
	if (!sums)
		return;
	sums->moved += order->moved;
	sums->refused += order->refused;
	sums->no_room += order->no_room;
	sums->local[1] = sums->remote[1] = 0;
}

/* "75% remote, then 3%", or what there is of that. */
static void
shares(const struct sums *sums, char *text, size_t size)
{
	float all[2] = {sums->local[0] + sums->remote[0], sums->local[1] + sums->remote[1]};
	double share[2];
	for (unsigned i = 0; i < 2; i++)
		share[i] = all[i] > 0 ? 100.0 * (double)(sums->remote[i] / all[i]) : 0;
	if (all[0] > 0 && all[1] > 0)
		snprintf(text, size, "%.0f%% remote, then %.0f%%", share[0], share[1]);
	else
		snprintf(text, size, "%.0f%% remote", share[all[0] > 0 ? 0 : 1]);
}

static const char *
why_not(const struct sums *sums, const struct fg_mapping *mapping, bool moves)
{
	if (sums->moved)
		return "";
	if (!moves)
		return ", not moved: FGOMP_MEMORY=report";
	if (mapping && mapping->bound)
		return ", not moved: it has a memory policy of the program's";
	if (sums->refused)
		return ", not moved: the system refused";
	if (sums->no_room)
		return ", not moved: its nodes are full";
	return ", not moved: that would not have paid yet";
}

static void
print_mapping(const struct sums *sums, bool moves)
{
	char text[64], nodes[128] = "";
	const struct fg_mapping *mapping = fg_mapping_of(sums->key);
	shares(sums, text, sizeof text);
	for (unsigned i = 0; mapping && i < fg_samples_host->nodes && strlen(nodes) < sizeof nodes - 16; i++)
		snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes), "%s%u%%", i ? " " : ", on nodes ",
			 mapping->on[i] * 100 / 255);
	fg_samples_host->report("memory: mapping %zx-%zx (%zu MiB): %s%s; %u pages moved%s", (size_t)sums->key,
				(size_t)sums->end, (size_t)(sums->end - sums->key) >> 20, text, nodes, sums->moved,
				why_not(sums, mapping, moves));
}

void
fg_report_print(bool moves)
{
	char text[64];
	if (!walks) {
		fg_samples_host->report("memory: %s, so nothing was sampled",
					fg_mappings_hidden() ? "the system does not tell where pages lie"
							     : "nothing was suspect");
		return;
	}
	fg_mappings_look();
	if (fg_samples_host->simulated_ns)
		snprintf(text, sizeof text, "simulated");
	else
		snprintf(text, sizeof text, "%u%% of their walks closed", closed_walks * 100 / walks);
	fg_samples_host->report("memory: %u samples, %s; %u pages of 4 KiB moved", walks, text, moved);
	for (unsigned i = 0; i < n_regions; i++) {
		char name[256] = "the program outside regions";
		shares(&regions[i], text, sizeof text);
		if (regions[i].key == OTHERS)
			strcpy(name, "others");
		else if (regions[i].key)
			fg_samples_host->name(regions[i].key, name, sizeof name);
		fg_samples_host->report("memory: region %s: %s", name, text);
	}
	for (unsigned i = 0; i < n_mappings; i++)
		print_mapping(&mappings[i], moves);
}

void
fg_report_drop(void)
{
	memset(regions, 0, sizeof regions);
	memset(mappings, 0, sizeof mappings);
	n_regions = n_mappings = 0;
	walks = closed_walks = moved = 0;
}
