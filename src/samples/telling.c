/* Telling (floor: samples): see telling.h. */
#include "samples/telling.h"

#include "samples/library.h"
#include "trace/format.h"

#define UNIT 8
#define FASTEST 8 /* units a ns, which is more than a core goes through */
#define UNITS_MOST (UINT32_MAX / FG_TRACE_USE_ONE)
#define DOUBLINGS_MOST 20

static struct {
	uint64_t written, until; /* events so far, and those after which the period doubles */
	unsigned doubled;
	uint64_t chance;
} telling;

void
fg_telling_begin(void)
{
	if (telling.until) /* the sampler starts again, and the trace is the same */
		return;
	telling.until = fg_samples_host->uses / 2;
	telling.chance = 1;
}

uint64_t
fg_telling_period(uint64_t shortest)
{
	return shortest << telling.doubled;
}

static uint64_t
below(uint64_t n)
{
	telling.chance = telling.chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (telling.chance >> 32) % n;
}

static uint64_t
units_of(const struct fg_access *access)
{
	return ((uint64_t)access->bytes + UNIT - 1) / UNIT;
}

static uint32_t
stands_for(uint64_t units, unsigned instructions, uint64_t ns)
{
	uint64_t all = units < (uint64_t)FASTEST * instructions ? ns * units / instructions : ns * FASTEST;
	return all < 1 ? 1 : all < UNITS_MOST ? (uint32_t)all : UNITS_MOST;
}

void
fg_telling_note(const struct fg_sample *sample, const struct fg_walk *walk, uint64_t ns)
{
	uint64_t units = 0;
	for (unsigned i = 0; i < walk->count; i++)
		units += units_of(&walk->accesses[i]);
	if (!units || telling.written == fg_samples_host->uses)
		return;
	uint64_t left = below(units);
	const struct fg_access *access = walk->accesses;
	for (; left >= units_of(access); access++)
		left -= units_of(access);
	uint32_t how = FG_TRACE_USE_SAMPLED | (access->write ? FG_TRACE_USE_WRITES : 0);
	how += FG_TRACE_USE_ONE * stands_for(units, walk->instructions, ns);
	fg_samples_host->use(sample->bubble, sample->member, how, access->address + UNIT * left);
	if (++telling.written < telling.until || telling.doubled == DOUBLINGS_MOST)
		return;
	telling.doubled++;
	telling.until += (fg_samples_host->uses - telling.until) / 2;
}
