/* Timers (floor: samples): see timers.h. Periods are by chance, so that none is in step with the program. */
#include "samples/timers.h"

#include "base/carrier.h"
#include "exec/thread/all_workers.h"
#include "exec/thread/whole_worker.h"
#include "samples/library.h"

#define MS UINT64_C(1000000)
#define PERIOD_NS (10 * MS) /* of CPU time, between two samples of a worker */
#define SAMPLES_MAX 1000    /* a second, of all workers */

static struct fg_worker *
first_worker(void)
{
	return fg_load_acquire(fg_samples_host->all_workers);
}

static uint64_t
by_chance(uint64_t period, uint64_t *chance)
{
	*chance = (*chance * 1664525 + 1013904223) & UINT32_MAX;
	return period * 6 / 10 + (*chance * (period * 8 / 10) >> 32);
}

uint64_t
fg_timers_period(void)
{
	uint64_t n = 0;
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next)
		n += worker->tid != 0;
	uint64_t least = n * 1000 * MS / SAMPLES_MAX;
	return least > PERIOD_NS ? least : PERIOD_NS;
}

bool
fg_timers_scatter(uint64_t period)
{
	uint64_t chance = fg_samples_host->carrier->now();
	bool given = false;
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next)
		given |= worker->tid && fg_samples_host->timer(worker, by_chance(period, &chance));
	return given;
}

uint64_t
fg_timers_level(uint64_t period)
{
	uint64_t chance = fg_samples_host->carrier->now(), same = by_chance(period, &chance);
	bool given = false;
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next)
		given |= worker->tid && fg_samples_host->timer(worker, same);
	return given ? same : 0;
}

void
fg_timers_end(void)
{
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next)
		if (worker->tid)
			fg_samples_host->timer(worker, 0);
}

uint64_t
fg_timers_digest(void)
{
	uint64_t digest = 0;
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next)
		digest = digest * 31 + (uint64_t)worker->tid;
	return digest;
}
