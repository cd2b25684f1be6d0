/* The load of the machine by other processes (floor: machine): see load.h. */
#include "machine/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"
#include "platform/clock.h"
#include "platform/file.h"
#include "platform/host.h"
#include "platform/sandbox.h"

#define WINDOW 0.2 /* seconds from one look to the next: the kernel counts in ticks of 10 ms */
#define STALE 3.0  /* seconds: an older look says nothing about now */

#define FIELDS 8 /* user nice system idle iowait irq softirq steal; the first two include guests' time */
#define IDLE_FIRST 3
#define IDLE_LAST 4

static struct {
	struct fg_atomic_u32 looking; /* 1: one thread looks, and the data below are its own */
	struct fg_load last;
	struct fg_atomic_u32 others_milli;
	char text[1 << 18]; /* enough for the PUs of a big machine */
} load;

bool
fg_load_busy_ticks(const char *text, const struct fg_cpuset *mask, double *ticks)
{
	bool found = false;
	*ticks = 0;
	for (const char *line = text; line && !strncmp(line, "cpu", 3);
	     line = strchr(line, '\n'), line += line != NULL) {
		char *next;
		unsigned long cpu = strtoul(line + 3, &next, 10);
		if (line[3] == ' ' || !fg_cpuset_has(mask, (unsigned)cpu)) /* "cpu ": the sum over all */
			continue;
		for (int i = 0; i < FIELDS; i++) {
			unsigned long long value = strtoull(next, &next, 10);
			if (i < IDLE_FIRST || i > IDLE_LAST)
				*ticks += (double)value;
		}
		found = true;
	}
	return found;
}

double
fg_load_between(const struct fg_load *before, const struct fg_load *after)
{
	double busy = (after->busy - before->busy - (after->own - before->own)) / (after->when - before->when);
	return busy > 0 ? busy : 0;
}

static double
seconds(clockid_t clock)
{
	struct timespec now = fg_clock_time(clock);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool
read_text(const char *path)
{
	return fg_sandbox_allows(FG_SANDBOX_FILES) && fg_file_text(path, load.text, sizeof load.text);
}

static bool
look(const struct fg_cpuset *mask, struct fg_load *now)
{
	if (!read_text("/proc/stat") || !fg_load_busy_ticks(load.text, mask, &now->busy))
		return false;
	now->busy /= (double)fg_host_ticks();
	now->own = seconds(CLOCK_PROCESS_CPUTIME_ID);
	now->when = seconds(CLOCK_MONOTONIC);
	return true;
}

/* The part of the machine's runnable threads that falls on the PUs of the mask, without the caller. The file has three
 * averages, then RUNNABLE/ALL. */
static double
runnable(const struct fg_cpuset *mask)
{
	if (!read_text("/proc/loadavg"))
		return 0;
	const char *at = load.text;
	for (int i = 0; i < 3 && at; i++)
		at = strchr(at + 1, ' ');
	unsigned long running = at ? strtoul(at, NULL, 10) : 1;
	long online = fg_host_pus_online();
	double part = online > 0 ? (double)fg_cpuset_count(mask) / (double)online : 1;
	return running > 1 ? (double)(running - 1) * (part < 1 ? part : 1) : 0;
}

static void
look_again(const struct fg_cpuset *mask)
{
	struct fg_load now;
	bool recent = seconds(CLOCK_MONOTONIC) - load.last.when < STALE;
	if (!look(mask, &now))
		return;
	double others = load.last.when != 0 && recent ? fg_load_between(&load.last, &now) : runnable(mask);
	fg_store_relaxed(&load.others_milli, (uint32_t)(others * 1000));
	load.last = now;
}

bool
fg_load_since(struct fg_load *last, const struct fg_cpuset *mask, double *others)
{
	struct fg_load now;
	if (fg_exchange_acq_rel(&load.looking, 1) != 0)
		return false;
	bool known = look(mask, &now);
	fg_store_release(&load.looking, 0);
	bool recent = known && last->when != 0 && now.when - last->when < STALE;
	if (recent)
		*others = fg_load_between(last, &now);
	*last = known ? now : (struct fg_load){0};
	return recent;
}

/* The thread that was looking does not exist in the child, and may have been writing. The clock of the process begins
 * anew there. */
void
fg_load_after_fork(void)
{
	load.last = (struct fg_load){0};
	fg_store_relaxed(&load.looking, 0);
}

double
fg_load_others(const struct fg_cpuset *mask)
{
	int saved = errno;
	if (fg_exchange_acq_rel(&load.looking, 1) == 0) {
		if (load.last.when == 0 || seconds(CLOCK_MONOTONIC) - load.last.when >= WINDOW)
			look_again(mask);
		fg_store_release(&load.looking, 0);
	}
	errno = saved;
	return fg_load_relaxed(&load.others_milli) / 1000.0;
}
