/* Served: the program's side of the server, with FGOMP_SHARE=server (floor: share; called by share.c, grant.c,
 * start.c and tests).
 *
 * The program is on the board as with FGOMP_SHARE=on, and its looks are the same. The monitor alone talks to the
 * server, before and after its look, each 2 ms at most. It waits for the first reply of a region alone, and not long.
 * The server's number is one word that the looks read: one more limit. So no region waits for the server, and where
 * it is silent the board's share holds.
 *
 *     Invariant: `pus` != 0 after the monitor's look  =>  the server has answered in this region, and no request was
 *     without an answer for more than SILENT_NS.
 *
 * Requests are repeated each RENEW_NS. So a server that dies, hangs or is stopped is found out after RENEW_NS +
 * SILENT_NS and one look: 27 ms. If its connection is closed, the next look finds out. Then the program connects
 * again, each RETRY_NS. A server that was stopped answers what has waited meanwhile, and that counts again.
 *
 * `told`, `outside` and `pus` each have one writer at a time, and are read by others. They need not fit each other: a
 * number that is old costs 2 ms. The rest belongs to the monitor. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "machine/cpuset.h"

extern struct fg_serving {
	bool on;		      /* written at the start only */
	struct fg_atomic_u64 told;    /* what the look has told the board (fg_entry_pack); 0: in no region */
	struct fg_atomic_u32 outside; /* thousandths of PUs; as told */
	struct fg_atomic_u32 pus;     /* by the server; 0: it says nothing */
} fg_serving __attribute__((visibility("hidden")));

/* The library is loaded, and there is one thread. runtime_folder: $XDG_RUNTIME_DIR or NULL. */
void fg_served_start(const char *runtime_folder);
/* The monitor alone calls these two, before its look and after it. cpus: the process's mask, with `pus` PUs in it.
 * True: the server has answered already, so the monitor must look again. */
void fg_served_hear(uint64_t now);
bool fg_served_ask(uint64_t now, const struct fg_cpuset *cpus, unsigned pus);
/* Those of looks, one at a time. */
static inline void
fg_served_tell(uint64_t told, unsigned outside)
{
	fg_store_relaxed(&fg_serving.told, told);
	fg_store_relaxed(&fg_serving.outside, outside);
}
/* Any thread may ask anywhere. */
static inline unsigned
fg_served_pus(void)
{
	return fg_load_relaxed(&fg_serving.pus);
}
/* In the child of a fork: the connection is the parent's. */
void fg_served_after_fork(void);
