/* What `forestgomp pin` has found. */
#include "pin.h"
#include "command.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ALIKE 1.02 /* times so near say nothing */

static const char *
time_text(double ns, char *text, size_t size)
{
	return sim_time_text((uint64_t)ns, text, size);
}

static void
print_candidates(const struct pin *pin, const struct pin_verdict *verdict)
{
	char least[24], median[24];
	double own = pin_median(&pin->candidate[0]);
	printf("%-20s %5s %12s %12s %9s\n", "placement", "runs", "least", "median", "by itself");
	for (unsigned i = 0; i < pin->n; i++) {
		const struct pin_candidate *one = &pin->candidate[i];
		if (!one->runs)
			continue;
		printf("%s%-20s%s %5u %12s %12s %9.2f\n", verdict->certain && i == verdict->best ? bold : "", one->name,
		       plain, one->runs, time_text(pin_least(one), least, sizeof least),
		       time_text(pin_median(one), median, sizeof median), own / pin_median(one));
	}
}

/* The line was measured itself, but on a simulated machine. */
static void
print_places(const struct pin *pin, const struct pin_verdict *verdict)
{
	const char *bind = "OMP_PROC_BIND=close OMP_PLACES=";
	char *places = pin_places(pin, &pin->candidate[verdict->best]);
	if (verdict->places && !verdict->holds)
		printf("By %s... it is only %.2f times as fast, so it needs the pin file%s.\n", bind,
		       pin_median(&pin->candidate[0]) / pin_median(&pin->candidate[verdict->places]),
		       verdict->written ? "" : ": -o FILE");
	else
		printf("%s'%s'\n", bind, places ? places : "");
	free(places);
}

/* Which of the paper's five conditions fails for a placement by region to pay: (1) much sharing, (2) not alike between
 * all members, (3) different from region to region, (4) regions that are long against the moves, (5) pages that stay
 * near. */
static void
print_conditions(const struct pin *pin, const struct pin_verdict *verdict)
{
	const struct pin_candidate *best = &pin->candidate[verdict->best];
	double least[2] = {0, 0}, most = 0; /* of placements for all regions, and by region */
	for (unsigned i = 0; i < pin->n; i++) {
		const struct pin_candidate *one = &pin->candidate[i];
		if (!one->runs)
			continue;
		double time = pin_least(one), *of = &least[one->by_region];
		*of = *of <= 0 || time < *of ? time : *of;
		most = time > most ? time : most;
	}
	bool by_region = least[1] > 0;
	if (most <= ALIKE * least[0] && (!by_region || most <= ALIKE * least[1]))
		printf("Where its threads sit makes no difference: they share little, or all alike.\n");
	else if (!verdict->best)
		printf("Its threads sit as well by themselves.\n");
	if (by_region && least[1] > ALIKE * least[0])
		printf("Placements for single regions are slower: moves cost more than they bring.\n");
	else if (!by_region && verdict->certain && !best->by_region && pin->n_regions > 1)
		printf("One placement is the best for all regions.\n");
}

/* The candidate that has this layout for all regions; NULL: none. */
static const struct pin_candidate *
owner_of(const struct pin *pin, const uint16_t *pu)
{
	for (unsigned i = 1; i < pin->n; i++)
		if (!pin->candidate[i].by_region && pin->candidate[i].pu == pu)
			return &pin->candidate[i];
	return NULL;
}

static void
print_pus(const uint16_t *pu, unsigned n)
{
	for (unsigned k = 0; k < n && k < 16; k++)
		printf(" %u", pu[k]);
	fputs(n > 16 ? " ..." : "", stdout);
}

static void
print_regions(const struct pin *pin, unsigned best)
{
	char before[24], after[24];
	const struct pin_candidate *candidate = &pin->candidate[best];
	for (unsigned r = 0, shown = 0; r < pin->n_regions && shown < 5; r++) {
		const struct pin_region *region = &pin->region[r];
		if (region->time[0] <= 0 || region->time[best] <= 0)
			continue;
		printf("  %s: %s -> %s", region->label, time_text(region->time[0], before, sizeof before),
		       time_text(region->time[best], after, sizeof after));
		const struct pin_candidate *owner = owner_of(pin, candidate->of_region[r]);
		if (owner)
			printf(", %s", owner->name);
		else if (candidate->of_region[r]) {
			printf(", on PUs");
			print_pus(candidate->of_region[r], candidate->size);
		}
		putchar('\n');
		shown++;
	}
}

void
pin_print(const struct pin *pin, const struct pin_verdict *verdict)
{
	const struct pin_candidate *best = &pin->candidate[verdict->best];
	printf("%u threads on %u PUs%s%s, %u runs\n", pin->threads, pin->tree->n_pus, pin->machine ? " of " : "",
	       pin->machine ? pin->model.name : "", pin->runs);
	print_candidates(pin, verdict);
	print_conditions(pin, verdict);
	if (pin->unsure)
		printf("%" PRIu64 " samples do not tell who shares data with whom: a longer run would.\n",
		       pin->sharing.samples);
	if (!verdict->best)
		return;
	if (!verdict->certain) {
		printf("%s seems faster, but the runs do not tell (chance %.0f%%): try --runs %u.\n", best->name,
		       100 * verdict->chance, 2 * pin->budget);
		return;
	}
	printf("%s%s%s: %.2f times as fast (chance %.1f%%).\n", bold, best->name, plain,
	       pin_median(&pin->candidate[0]) / pin_median(best), 100 * verdict->chance);
	print_regions(pin, verdict->best);
	if (verdict->written)
		printf("%s is written: forestgomp run --pin %s %s\n", pin->output, pin->output, pin->program[0]);
	else if (best->by_region)
		printf("-o FILE writes it, for forestgomp run --pin FILE %s\n", pin->program[0]);
	if (!best->by_region)
		print_places(pin, verdict);
}

static void
print_json_list(const char *name, const double *times, unsigned n)
{
	printf("\"%s\": [", name);
	for (unsigned i = 0; i < n; i++)
		printf("%s%.0f", i ? ", " : "", times[i]);
	printf("]");
}

void
pin_print_json(const struct pin *pin, const struct pin_verdict *verdict)
{
	printf("{\"threads\": %u, \"pus\": %u, \"runs\": %u, \"best\": ", pin->threads, pin->tree->n_pus, pin->runs);
	fg_json_string(stdout, pin->candidate[verdict->best].name);
	printf(", \"certain\": %s, \"chance\": %.6f, \"written\": %s, \"candidates\": [",
	       verdict->certain ? "true" : "false", verdict->chance, verdict->written ? "true" : "false");
	for (unsigned i = 0; i < pin->n; i++) {
		const struct pin_candidate *one = &pin->candidate[i];
		printf("%s\n {\"name\": ", i ? "," : "");
		fg_json_string(stdout, one->name);
		printf(", \"by_region\": %s, ", one->by_region ? "true" : "false");
		print_json_list("times_ns", one->time, one->runs);
		printf(", \"pus\": [");
		for (unsigned k = 0; k < one->size; k++)
			printf("%s%u", k ? ", " : "", one->pu[k]);
		printf("]}");
	}
	printf("],\n \"regions\": [");
	for (unsigned r = 0; r < pin->n_regions; r++) {
		const struct pin_region *region = &pin->region[r];
		printf("%s\n {\"code\": ", r ? "," : "");
		fg_json_string(stdout, region->name);
		printf(", \"label\": ");
		fg_json_string(stdout, region->label);
		printf(", ");
		print_json_list("times_ns", region->time, pin->n);
		printf("}");
	}
	printf("]");
	if (verdict->places)
		printf(",\n \"places_hold\": %s", verdict->holds ? "true" : "false");
	if (pin->shares) {
		printf(",\n \"planned\": ");
		pin_plan_print_json(pin);
	}
	printf("}\n");
}
