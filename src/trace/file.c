/* The file of a trace (floor: trace): see file.h.
 *
 * A writer takes space by an atomic addition to the file's end. The space gets real blocks on the disk before it is
 * mapped. Otherwise a store to a page that the disk has no room for would end the program. An old file of that name is
 * unlinked, not cut, because another process may have it mapped. A file that is no trace stays, and there is no trace.
 *
 * Nothing is written to the file once somebody has truncated it, because it may hold something else by then. */
#define _GNU_SOURCE
#include "trace/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/carrier.h"
#include "base/log.h"
#include "base/options.h"
#include "platform/clock.h"
#include "platform/file.h"
#include "platform/map.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/sandbox.h"
#include "trace/mapped.h"
#include "trace/path.h"

#define TRIES 3 /* another program makes the file at the same moment */

static struct {
	int file;
	const char *option;
	bool option_is_stats;
	struct fg_atomic_u64 end;     /* of the space that is taken */
	struct fg_atomic_u64 reached; /* the file is at least so long */
	struct fg_atomic_u32 cut;     /* it is not whole any more, so nothing is written to it */
	void (*stop)(void);	      /* ends the trace */
	struct fg_file_id id;
	struct fg_trace_head head;
	char path[FG_TRACE_PATH];    /* of the file */
	char link[FG_TRACE_PATH];    /* see link_stats */
	char another[FG_TRACE_PATH]; /* the name with a number, where another program writes a trace of that name */
} trace;

static size_t
rounded(size_t bytes)
{
	return (bytes + FG_TRACE_ALIGN - 1) & ~(size_t)(FG_TRACE_ALIGN - 1);
}

static const char *
recorded(void)
{
	return strcmp(trace.option, "FGOMP_TRACE") == 0 ? "traced" : "summed up";
}

/* Tells why nothing can be recorded. */
static bool
fails(const char *what, const char *path, const char *why)
{
	fg_error("%s: %s '%s': %s; nothing is %s", trace.option, what, path, why, recorded());
	return false;
}

/* It runs once, perhaps in a signal handler. */
static void
cut(void)
{
	if (fg_exchange_acq_rel(&trace.cut, 1))
		return;
	trace.stop();
	fg_error("%s: the file was truncated, or is another one now; nothing more is %s", trace.option, recorded());
}

/* The file has all that was put into it so far. Otherwise somebody has truncated it, or the program has closed it and
 * has a file of its own under that number. Such a file is not ours to write to. */
static bool
is_whole(void)
{
	/* It is read before the size, because another thread may make the file longer in between. */
	uint64_t reached = fg_load_acquire(&trace.reached);
	struct fg_file_id id;
	uint64_t size;
	char magic[sizeof trace.head.magic];
	return !fg_load_relaxed(&trace.cut) && fg_file_identify(trace.file, &id, &size) &&
	       id.device == trace.id.device && id.inode == trace.id.inode && size >= reached &&
	       fg_file_read_at(trace.file, magic, sizeof magic, 0) == sizeof magic &&
	       memcmp(magic, FG_TRACE_MAGIC, sizeof magic) == 0;
}

/* True: the file may be written. */
static bool
look(void)
{
	bool whole = is_whole();
	if (!whole)
		cut();
	return whole;
}

static void
reach(uint64_t end)
{
	uint64_t seen = fg_load_relaxed(&trace.reached);
	while (seen < end && !fg_cas_relaxed(&trace.reached, &seen, end))
		;
}

/* It may be the link of an earlier run. */
static bool
leads_to(const char *name, const char *target)
{
	char *found = fg_path_true_name(name);
	bool same = found && strcmp(found, target) == 0;
	free(found);
	return same;
}

/* The file of a trace has the sums, too. So the other name becomes a link to it. */
static void
link_stats(void)
{
	char *target;
	bool numbered = false, made = false;
	if (trace.option_is_stats || !fg_options.stats[0] || !(target = fg_path_true_name(trace.path)))
		return;
	for (unsigned number = 1; !made && number < FG_TRACE_NUMBERS; number++) {
		if (!fg_trace_path(fg_options.stats, number, trace.link, sizeof trace.link, &numbered))
			break;
		bool taken = fg_path_link(target, trace.link) != 0 && errno == EEXIST;
		made = !taken || !numbered;
		if (taken && !numbered && !leads_to(trace.link, target))
			fg_error("FGOMP_STATS: '%s' is there, so it stays as it is; the sums are in '%s'", trace.link,
				 target);
	}
	free(target);
}

/* With a number in its name, the file takes the first name that is free. So it does where another program is writing a
 * trace of this name: both are wanted. */
static bool
make(const char *name)
{
	const char *asked = name;
	int writer = 0;
	for (unsigned number = 1;; number++) {
		bool numbered = false;
		if (!fg_trace_path(name, number, trace.path, sizeof trace.path, &numbered))
			return fails("cannot make a name of", name, trace.path);
		const char *why = numbered ? NULL : fg_trace_path_refused(trace.path);
		if (why)
			return fails("cannot write", trace.path, why);
		if (!numbered && fg_sandbox_allows(FG_SANDBOX_BOARD) && fg_trace_path_is_written(trace.path, &writer) &&
		    snprintf(trace.another, sizeof trace.another, "%s%%n", name) < (int)sizeof trace.another) {
			name = trace.another;
			continue;
		}
		if (!numbered && fg_path_may_write(trace.path))
			fg_path_remove(trace.path);
		trace.file = fg_file_open(trace.path, O_RDWR | O_CREAT | O_EXCL);
		if (trace.file < 0 && errno == EEXIST && number < (numbered ? FG_TRACE_NUMBERS : TRIES))
			continue;
		if (trace.file < 0)
			return fails("cannot write", trace.path, strerror(errno));
		if (name == trace.another)
			fg_error("%s: process %d is writing '%s', so this one writes '%s'", trace.option, writer, asked,
				 trace.path);
		link_stats();
		return true;
	}
}

/* A program may have closed its standard descriptors. None of them may become the file, because the program would write
 * into it. */
static void
raise_number(void)
{
	if (trace.file > STDERR_FILENO)
		return;
	trace.file = fg_file_raise(trace.file);
}

bool
fg_trace_file_open(const char *name, const char *option, uint64_t loaded, void (*stop)(void))
{
	uint64_t size;
	trace.option = option;
	trace.option_is_stats = name == fg_options.stats;
	trace.stop = stop;
	if (!make(name))
		return false;
	raise_number();
	if (!fg_file_identify(trace.file, &trace.id, &size))
		return fails("cannot write", name, strerror(errno));
	trace.head = (struct fg_trace_head){.magic = FG_TRACE_MAGIC,
					    .version = FG_TRACE_VERSION,
					    .record_bytes = sizeof(struct fg_trace_record),
					    .start = fg_carrier->now(),
					    .loaded = loaded,
					    .wall = fg_clock_ns(CLOCK_REALTIME),
					    .pid = (uint32_t)fg_process_id()};
	fg_store_relaxed(&trace.end, FG_TRACE_ALIGN);
	if (fg_file_write_at(trace.file, &trace.head, sizeof trace.head, 0) != sizeof trace.head) {
		int error = errno;
		fg_path_remove(trace.path); /* without a head it is no trace, and would be kept */
		return fails("cannot write", name, strerror(error));
	}
	fg_mapped_begin(cut);
	return true;
}

struct fg_trace_block *
fg_trace_file_map(uint64_t offset, size_t bytes)
{
	struct fg_trace_block *block = look() ? fg_map_file(trace.file, offset, bytes) : NULL;
	if (!block || fg_mapped_add(block, bytes))
		return block;
	fg_unmap(block, bytes);
	return NULL;
}

void
fg_trace_file_unmap(struct fg_trace_block *block, size_t bytes)
{
	fg_mapped_remove(block);
	fg_unmap(block, bytes);
}

/* Space that was taken but cannot be used becomes a block of no kind. Without it, readers would not find the blocks
 * behind it. */
static void
leave_gap(uint64_t offset, size_t bytes)
{
	struct fg_trace_block gap = {.magic = "BLOC", .bytes = bytes};
	if (look())
		fg_file_write_at(trace.file, &gap, sizeof gap, offset);
}

struct fg_trace_block *
fg_trace_file_block(size_t bytes, uint64_t *offset)
{
	if (!fg_map_file_may_reach(fg_load_relaxed(&trace.end) + bytes) || !look())
		return NULL;
	*offset = fg_add_relaxed(&trace.end, bytes);
	struct fg_trace_block *block = NULL;
	if (fg_map_file_may_reach(*offset + bytes) && fg_file_reserve(trace.file, *offset, bytes)) {
		reach(*offset + bytes);
		block = fg_trace_file_map(*offset, bytes);
	}
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
	if (!fg_map_file_may_reach(fg_load_relaxed(&trace.end) + block.bytes) || !look())
		return;
	uint64_t offset = fg_add_relaxed(&trace.end, block.bytes);
	if (fg_file_write_at(trace.file, bytes, size, offset + sizeof block) != (ssize_t)size ||
	    fg_file_write_at(trace.file, &block, sizeof block, offset) != sizeof block)
		leave_gap(offset, block.bytes);
	else
		reach(offset + sizeof block + size);
}

/* The mapped blocks and the file stay as they are, because workers may still write. */
void
fg_trace_file_close(uint64_t now, uint64_t dropped, unsigned n_lanes)
{
	trace.head.end = now;
	trace.head.dropped = dropped;
	trace.head.n_lanes = n_lanes;
	if (look() && fg_file_write_at(trace.file, &trace.head, sizeof trace.head, 0) != sizeof trace.head)
		fg_error("%s: the file cannot be completed: %s", trace.option, strerror(errno));
}
