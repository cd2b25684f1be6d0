/* The file of a trace (floor: trace): see file.h.
 *
 * A writer takes space by an atomic addition to the file's end. The space gets real blocks on the disk before it is
 * mapped. Otherwise a store to a page that the disk has no room for would end the program. An old file of that name is
 * unlinked, not cut, because another process may have it mapped. */
#define _GNU_SOURCE
#include "trace/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/carrier.h"
#include "base/log.h"
#include "base/options.h"
#include "platform/file.h"
#include "platform/map.h"
#include "trace/names.h"
#include "trace/path.h"

void (*fg_trace_describe)(void);

static struct {
	int file;
	const char *option;
	bool option_is_stats;
	struct fg_atomic_u64 end; /* of the space that is taken */
	struct fg_trace_head head;
} trace;

static size_t
rounded(size_t bytes)
{
	return (bytes + FG_TRACE_ALIGN - 1) & ~(size_t)(FG_TRACE_ALIGN - 1);
}

/* Tells why nothing can be recorded. */
static bool
fails(const char *what, const char *path, const char *why)
{
	fg_error("%s: %s '%s': %s; nothing is %s", trace.option, what, path, why,
		 strcmp(trace.option, "FGOMP_TRACE") == 0 ? "traced" : "summed up");
	return false;
}

/* The file of a trace has the sums, too. So the other name becomes a link to it. */
static void
link_stats(const char *path)
{
	char name[FG_TRACE_PATH], *target;
	bool numbered = false, made = false;
	if (trace.option_is_stats || !fg_options.stats[0] || !(target = realpath(path, NULL)))
		return;
	for (unsigned number = 1; !made && number < FG_TRACE_NUMBERS; number++) {
		if (!fg_trace_path(fg_options.stats, number, name, sizeof name, &numbered))
			break;
		made = symlink(target, name) == 0 || errno != EEXIST || !numbered;
	}
	free(target);
}

/* With a number in its name, the file takes the first name that is free. */
static bool
make(const char *name)
{
	char path[FG_TRACE_PATH];
	for (unsigned number = 1;; number++) {
		bool numbered = false;
		if (!fg_trace_path(name, number, path, sizeof path, &numbered))
			return fails("cannot make a name of", name, path);
		if (!numbered && fg_file_is_special(path))
			return fails("cannot write", path,
				     "it is there and is no ordinary file; give the name of a file");
		if (!numbered && access(path, W_OK) == 0)
			unlink(path);
		trace.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (trace.file < 0 && errno == EEXIST && numbered && number < FG_TRACE_NUMBERS)
			continue;
		if (trace.file < 0)
			return fails("cannot write", path, strerror(errno));
		link_stats(path);
		return true;
	}
}

bool
fg_trace_file_open(const char *name, const char *option, uint64_t loaded)
{
	struct timespec wall;
	trace.option = option;
	trace.option_is_stats = name == fg_options.stats;
	if (!make(name))
		return false;
	/* A program may have closed its standard descriptors. None of them may become the file, because the program would
	 * write into it. */
	if (trace.file <= STDERR_FILENO) {
		int high = fcntl(trace.file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(trace.file);
		trace.file = high;
	}
	clock_gettime(CLOCK_REALTIME, &wall);
	trace.head = (struct fg_trace_head){.magic = FG_TRACE_MAGIC,
					    .version = FG_TRACE_VERSION,
					    .record_bytes = sizeof(struct fg_trace_record),
					    .start = fg_carrier->now(),
					    .loaded = loaded,
					    .wall = (uint64_t)wall.tv_sec * 1000000000 + (uint64_t)wall.tv_nsec,
					    .pid = (uint32_t)getpid()};
	fg_store_relaxed(&trace.end, FG_TRACE_ALIGN);
	if (pwrite(trace.file, &trace.head, sizeof trace.head, 0) != sizeof trace.head)
		return fails("cannot write", name, strerror(errno));
	fg_trace_modules_write();
	if (fg_trace_describe)
		fg_trace_describe();
	return true;
}

struct fg_trace_block *
fg_trace_file_map(uint64_t offset, size_t bytes)
{
	return fg_map_file(trace.file, offset, bytes);
}

void
fg_trace_file_unmap(struct fg_trace_block *block)
{
	fg_unmap(block, block->bytes);
}

/* Space that was taken but cannot be used becomes a block of no kind. Without it, readers would not find the blocks
 * behind it. */
static void
leave_gap(uint64_t offset, size_t bytes)
{
	struct fg_trace_block gap = {.magic = "BLOC", .bytes = bytes};
	ssize_t ignored = pwrite(trace.file, &gap, sizeof gap, (off_t)offset);
	(void)ignored;
}

struct fg_trace_block *
fg_trace_file_block(size_t bytes, uint64_t *offset)
{
	if (!fg_map_file_may_reach(fg_load_relaxed(&trace.end) + bytes))
		return NULL;
	*offset = fg_add_relaxed(&trace.end, bytes);
	struct fg_trace_block *block = NULL;
	if (fg_map_file_may_reach(*offset + bytes) && posix_fallocate(trace.file, (off_t)*offset, (off_t)bytes) == 0)
		block = fg_trace_file_map(*offset, bytes);
	if (!block) {
		leave_gap(*offset, bytes);
		return NULL;
	}
	memcpy(block->magic, "BLOC", sizeof block->magic);
	block->kind = FG_TRACE_EVENTS;
	block->bytes = bytes;
	return block;
}

void
fg_trace_file_append(enum fg_trace_kind kind, uint64_t count, const void *bytes, size_t size)
{
	struct fg_trace_block block = {
		.magic = "BLOC", .kind = kind, .bytes = rounded(sizeof block + size), .count = count};
	if (!fg_map_file_may_reach(fg_load_relaxed(&trace.end) + block.bytes))
		return;
	off_t offset = (off_t)fg_add_relaxed(&trace.end, block.bytes);
	if (pwrite(trace.file, bytes, size, offset + (off_t)sizeof block) != (ssize_t)size ||
	    pwrite(trace.file, &block, sizeof block, offset) != sizeof block)
		leave_gap((uint64_t)offset, block.bytes);
}

/* The mapped blocks and the file stay as they are, because workers may still write. */
void
fg_trace_file_close(uint64_t now, uint64_t dropped, unsigned n_lanes)
{
	trace.head.end = now;
	trace.head.dropped = dropped;
	trace.head.n_lanes = n_lanes;
	if (pwrite(trace.file, &trace.head, sizeof trace.head, 0) != sizeof trace.head)
		fg_error("%s: the file cannot be completed: %s", trace.option, strerror(errno));
}
