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
#include "base/log.h"
#include "platform/file.h"
#include "platform/map.h"
#include "trace/names.h"

void (*fg_trace_describe)(void);

static struct {
	int file;
	struct fg_atomic_u64 end; /* of the space that is taken */
	struct fg_trace_head head;
} trace;

static size_t
rounded(size_t bytes)
{
	return (bytes + FG_TRACE_ALIGN - 1) & ~(size_t)(FG_TRACE_ALIGN - 1);
}

static bool
may_be_replaced(const char *path)
{
	if (!fg_file_is_special(path))
		return true;
	fg_error("FGOMP_TRACE: '%s' is there and is no ordinary file; give the name of a file; nothing is traced", path);
	return false;
}

bool
fg_trace_file_open(const char *path, uint64_t now)
{
	struct timespec wall;
	if (!may_be_replaced(path))
		return false;
	if (access(path, W_OK) == 0)
		unlink(path);
	trace.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (trace.file < 0) {
		fg_error("FGOMP_TRACE: cannot write '%s': %s; nothing is traced", path, strerror(errno));
		return false;
	}
	clock_gettime(CLOCK_REALTIME, &wall);
	trace.head = (struct fg_trace_head){.magic = FG_TRACE_MAGIC,
					    .version = FG_TRACE_VERSION,
					    .record_bytes = sizeof(struct fg_trace_record),
					    .start = now,
					    .wall = (uint64_t)wall.tv_sec * 1000000000 + (uint64_t)wall.tv_nsec,
					    .pid = (uint32_t)getpid()};
	fg_store_relaxed(&trace.end, FG_TRACE_ALIGN);
	if (pwrite(trace.file, &trace.head, sizeof trace.head, 0) != sizeof trace.head) {
		fg_error("FGOMP_TRACE: cannot write '%s': %s; nothing is traced", path, strerror(errno));
		return false;
	}
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
		fg_error("FGOMP_TRACE: the file cannot be completed: %s", strerror(errno));
}
