/* Perf file: is a descriptor still the file of perf_event_open(2) that was opened? (floor: platform; asked by
 * counters.c, platform/tick.c.)
 *
 * A program may close all descriptors that it has not opened. It may then have files of its own under their numbers.
 * The runtime must not read, set or close those. The kernel numbers the files of perf_event_open, and gives no number
 * twice. Any thread may ask anywhere. Nothing is kept. */
#pragma once
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* 0: it is no such file, or is closed. Keeps errno. */
static inline uint64_t
fg_perf_id(int file)
{
	uint64_t id = 0;
	int saved = errno;
	if (ioctl(file, PERF_EVENT_IOC_ID, &id) != 0)
		id = 0;
	errno = saved;
	return id;
}
