/* The kernel's performance counters (floor: platform): see counters.h. */
#include "platform/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/file.h"
#include "platform/perf_file.h"
#include "platform/sandbox.h"

const char *const fg_event_names[FG_COUNT_KINDS] = {"nothing", "remote accesses", "cache misses", "page faults"};

static const struct {
	uint32_t type;
	uint64_t config;
} events[FG_COUNT_KINDS] = {
	[FG_COUNT_REMOTE] = {PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_NODE | PERF_COUNT_HW_CACHE_OP_READ << 8 |
							 PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
	[FG_COUNT_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	[FG_COUNT_FAULTS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
};

/* A handle is the file's number; above that are as many bits of the kernel's own number for the file as fit. */
#define ID_SHIFT 32
#define ID_MASK INT64_C(0x7fffffff)

static int64_t
handle_of(int file)
{
	return ((int64_t)fg_perf_id(file) & ID_MASK) << ID_SHIFT | file;
}

static bool
is_open(int64_t handle)
{
	return handle >> ID_SHIFT > 0 && handle_of((int)handle) == handle;
}

static int64_t
kernel_open(enum fg_event_kind kind, int tid, unsigned pu)
{
	(void)pu;
	struct perf_event_attr wanted = {.size = sizeof wanted,
					 .type = events[kind].type,
					 .config = events[kind].config,
					 .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
					 .exclude_kernel = 1,
					 .exclude_hv = 1};
	int saved = errno;
	if (!fg_sandbox_allows(FG_SANDBOX_PERF))
		return -EPERM;
	long file = syscall(SYS_perf_event_open, &wanted, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	int64_t handle = file < 0 ? -errno : handle_of((int)file);
	errno = saved;
	return handle;
}

/* Where more is counted than there are counters for, the events take turns, and the count is scaled. */
static bool
kernel_read(int64_t handle, uint64_t *count)
{
	struct {
		uint64_t value, enabled, running;
	} told;
	int saved = errno;
	bool got = is_open(handle) && fg_file_read((int)handle, &told, sizeof told) == sizeof told;
	errno = saved;
	if (got)
		*count = told.running && told.running < told.enabled
				 ? (uint64_t)((double)told.value * (double)told.enabled / (double)told.running)
				 : told.value;
	return got;
}

static void
kernel_close(int64_t handle)
{
	if (is_open(handle))
		fg_file_close((int)handle);
}

static const struct fg_counters kernel = {.open = kernel_open, .read = kernel_read, .close = kernel_close};
const struct fg_counters *fg_counters = &kernel;
