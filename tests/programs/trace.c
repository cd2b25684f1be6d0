// FGOMP_TRACE: a flat and a nested region leave their events in the file, those of each worker in the order of time.
// threads: 4
// env: -
// env: FGOMP_THREADS=kernel
// env: FGOMP_CARRIER=virtual:7
// stock: fails (it knows no traces)
#include <omp.h>
#include <string.h>
#include <sys/wait.h>

#include "../../src/trace/format.h"
#include "../../src/trace/events.h"
#include "check.h"

static void
regions(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
#pragma omp parallel num_threads(3)
		check_burn(10);
	}
}

static int found[FG_EVENT_COUNT];

/* The events of a block. */
static void
read_events(FILE *file, const struct fg_trace_block *block)
{
	struct fg_trace_record record;
	uint64_t last = 0;

	for (uint64_t i = 0; i < block->count; i++) {
		CHECK(fread(&record, sizeof record, 1, file) == 1);
		CHECK(record.event < FG_EVENT_COUNT && record.time >= last, "%d", record.event);
		last = record.time;
		found[record.event % FG_EVENT_COUNT]++;
	}
}

static void
read_trace(const char *path)
{
	struct fg_trace_head head = {0};
	struct fg_trace_block block = {0};
	FILE *file = fopen(path, "r");

	CHECK(file != NULL, "%s", path);
	if (!file)
		return;
	CHECK(fread(&head, sizeof head, 1, file) == 1 && !memcmp(head.magic, FG_TRACE_MAGIC, 8));
	CHECK(head.end > head.start);
	for (uint64_t at = FG_TRACE_ALIGN;
	     fseek(file, (long)at, SEEK_SET) == 0 && fread(&block, sizeof block, 1, file) == 1; at += block.bytes) {
		CHECK(!memcmp(block.magic, "BLOC", 4) && block.bytes % FG_TRACE_ALIGN == 0);
		if (memcmp(block.magic, "BLOC", 4))
			break;
		if (block.kind == FG_TRACE_EVENTS)
			read_events(file, &block);
	}
	fclose(file);
}

int
main(int argc, char **argv)
{
	char path[] = "/tmp/fgomp-trace-XXXXXX";

	if (argc > 1) {
		regions();
		return 0;
	}
	int file = mkstemp(path);
	CHECK(file >= 0);
	close(file);
	pid_t child = fork();
	if (child == 0) {
		setenv("FGOMP_TRACE", path, 1);
		execl("/proc/self/exe", argv[0], "traced", (char *)NULL);
		_exit(127);
	}
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	read_trace(path);
	CHECK(found[FG_EVENT_meet] == 3 && found[FG_EVENT_team] == 3 && found[FG_EVENT_join] == 3);
	CHECK(found[FG_EVENT_begin] == 8 && found[FG_EVENT_end] == 8, "%d %d", found[FG_EVENT_begin],
	      found[FG_EVENT_end]);
	const char *kind = getenv("FGOMP_THREADS");
	int queued = kind && !strcmp(kind, "kernel") ? 0 : 2;
	CHECK(found[FG_EVENT_put] == queued && found[FG_EVENT_take] == queued);
	unlink(path);
	return check_end();
}
