/* Samples: the two tables by which the library and the object of FGOMP_MEMORY and FGOMP_TRACE_USES use each other
 * (floor: team; called by boot/start.c, boot/process_fork.c, boot/hooks.c and boot/samples.c, used by the files of
 * src/samples).
 *
 * The object is a shared object beside the library, because few machines have several NUMA nodes. The library opens it
 * at its start where there are several and FGOMP_MEMORY wants it, or where FGOMP_TRACE_USES is on. Both tables are
 * constants. The object's own thread calls fg_samples_library. It has no identity and takes no lock that a member may
 * hold. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"
#include "platform/sandbox.h"

#define FG_SAMPLES_NODES 62 /* at most */

struct fg_carrier;
struct fg_identity;
struct fg_where;
struct fg_worker;

/* What the object uses of the library. */
struct fg_samples_library {
	struct fg_atomic_ptr *all_workers;
	const struct fg_carrier *carrier;
	void (*report)(const char *format, ...) __attribute__((format(printf, 1, 2)));
	/* The name of the function at this address. */
	void (*name)(uintptr_t function, char *name, size_t size);
	bool (*sandbox_allows)(enum fg_sandbox_call call);
	/* Starts the sampler's thread, with all signals blocked that the trace does not need. False: there is no thread
	 * for it now. */
	bool (*start)(void (*sampler_main)(void *));
	/* The kernel thread that carries the worker gets a signal each time it has used so much CPU time; 0: never.
	 * False: the system gives no timer. */
	bool (*timer)(struct fg_worker *worker, uint64_t period_ns);
	/* The next root that begins a flat region calls `repair`, before its workers begin. */
	void (*ask_root)(void);
	/* Writes the event `use` (trace/events.h). NULL: there is no FGOMP_TRACE_USES. Otherwise memory is left where
	 * it is. */
	void (*use)(uint32_t bubble, uint32_t member, uint32_t how, uintptr_t address);
	uint64_t uses; /* for so many of them the trace has room */
	const struct fg_where *where;
	unsigned nodes;	       /* of the machine, numbered from 0 */
	uint64_t simulated_ns; /* on the simulated machine: the time for which a sample stands; else 0 */
};

/* The object was built with the same structures. worker_bytes: of struct fg_whole_worker. */
#define FG_SAMPLES_LAYOUT(worker_bytes, identity_bytes)                                                                \
	(sizeof(struct fg_samples_library) + ((uint64_t)(identity_bytes) << 16) + ((uint64_t)(worker_bytes) << 32))

/* What the library uses of the object, which exports it by this one name. */
#define FG_SAMPLES_OBJECT "fg_samples_object"
struct fg_samples_object {
	uint64_t layout;
	const char *version;
	/* moves: pages may be moved. tells: a report is printed at the end. False: it cannot work here. */
	bool (*begin)(const struct fg_samples_library *library, bool moves, bool tells);
	/* A worker is going to be started, so there will be regions. */
	void (*made)(void);
	/* In the handler of a timer's signal, outside the runtime. */
	void (*tick)(const struct fg_identity *self, const void *signal_context);
	/* Instead of `made` and `tick` on the simulated machine: a PU of this node goes through the memory there for so
	 * many times the time of a sample. The region's function, or NULL. */
	void (*touched)(uintptr_t address, unsigned node, bool writes, const void *region, unsigned times);
	/* A root is about to begin a flat region, and its workers wait. */
	void (*repair)(void);
	/* The runtime's threads end. They may start again. */
	void (*stop)(void);
	void (*end)(void);
	void (*after_fork)(void);
};

/* Opens the object where FGOMP_TRACE_USES says so, or the machine has several nodes and FGOMP_MEMORY does. Called when
 * the library is loaded. */
void fg_samples_open(void);
void fg_samples_after_fork(void);
void fg_samples_end(void);
/* Each passes on to the object, if it is open. exec calls them through its table above.h. */
void fg_samples_made(void);
void fg_samples_tick(const struct fg_identity *self, const void *signal_context);
void fg_samples_touched(uintptr_t address, unsigned node, bool writes, unsigned times);
void fg_samples_repair(void);
void fg_samples_stop(void);
