/* Record (floor: exec): see record.h. What a process has at its start needs no event. Anything else is said again now
 * and then, because a trace may keep the newest events only. */
#include "exec/grant/record.h"

#include "exec/ground/options.h"
#include "share/own_set.h"
#include "trace/trace.h"

#define AGAIN_NS 100000000

/* Of the thread that looks. */
static struct {
	unsigned pus; /* 0: as at the start */
	uint32_t set_changes;
	uint64_t set[FG_BOARD_PUS / 64];
	uint64_t again; /* when all was last said */
} told;

static void
record_set(bool again)
{
	told.set_changes = fg_own_set.changes;
	for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++) {
		uint64_t bits = fg_own_set_binds() ? fg_load_relaxed(&fg_own_set.cpus[i]) : 0;
		if (bits != told.set[i] || (again && bits))
			fg_trace(FG_EVENT_set, 0, 0, i, bits);
		told.set[i] = bits;
	}
}

void
fg_grant_record(unsigned pus, unsigned alone, uint64_t now)
{
	if (!fg_recording.trace)
		return;
	bool again = now - told.again >= AGAIN_NS;
	if (again)
		told.again = now;
	if (pus != (told.pus ? told.pus : fg_exec_options.n_pus) || (again && pus < fg_exec_options.n_pus)) {
		fg_trace(FG_EVENT_grant, 0, 0, pus, alone);
		told.pus = pus;
	}
	if (again || told.set_changes != fg_own_set.changes)
		record_set(again);
}
