/* The parts of a scenario of the interleaving checker, and the functions that it may call. README.md tells how to
 * write one. */
#pragma once
#include "base/atomic.h"
#include "base/carrier.h"

#define MODEL_THREADS 6

struct model_scenario {
	const char *name;
	void (*setup)(void);		     /* before the threads; it sees and does everything at once */
	void (*thread[MODEL_THREADS])(void); /* the virtual kernel threads, run together */
	/* After all these threads have ended. Threads that carrier->start has made need not have ended. */
	void (*check)(void);
	/* Broken variants, NULL-terminated. The checker must catch each of them. "weaken FUNCTION:OPERATION" makes
	 * the operation relaxed (a fence: nothing). "drop FUNCTION:OPERATION" leaves it out. "fault NAME" makes
	 * model_broken("NAME") true. */
	const char *const *broken;
	const char *finds;  /* A litmus test. It passes when the checker finds a failure that says this. */
	bool timeouts;	    /* a timed wait ends when nothing else can run; else that is a lost wake-up */
	unsigned max_steps; /* Atomic operations in one run before it counts as a livelock. 0: 2000. */
	unsigned weight;    /* share of the time, 0: 1 */
};

/* MODEL_SCENARIO(name, .thread = {first, second}, .check = check ...) */
#define MODEL_SCENARIO(id, ...)                                                                                        \
	static const struct model_scenario scenario_##id = {.name = #id, __VA_ARGS__};                                 \
	static const struct model_scenario *const scenario_pointer_##id                                                \
		__attribute__((section("model_scenarios"), used)) = &scenario_##id
#define MODEL_BROKEN(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Ends the run as a failure. */
_Noreturn void model_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define model_assert(condition)                                                                                        \
	((condition) ? (void)0 : model_fail("%s:%d: %s: `%s' is false", __FILE__, __LINE__, __func__, #condition))

/* True in the broken variant "fault NAME". */
bool model_broken(const char *name);
/* A choice of 0..n-1 that the checker explores. Values other than 0 count against the bound on oddities. */
unsigned model_oddity(unsigned n);
/* A switch point of its own, for code without atomics (a stub that stands for a system call). */
void model_point(const char *what);
/* One line in the trace of a failing run. */
void model_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* model_self: number of the running virtual kernel thread. The others: memory of this run only, a free image of
 * thread-local storage (for fg_context_make), which follows the context, and a stack. */
unsigned model_self(void);
void *model_alloc(size_t size);
void *model_tls_new(void);
void *model_stack_new(size_t size);
/* Between true and false there are no switch points. This serves operations that the operating system does in one
 * step. */
void model_atomically(bool begin);
/* A full fence on every virtual thread, as the system call membarrier makes it. */
void model_fence_all(void);
/* Plain accesses to this memory may race. The authors of the code intend that. */
void model_racy(const void *address, size_t size);
/* Nanoseconds that one pause takes on the virtual clock. The default is 100. */
void model_pause_ns(uint64_t ns);

extern const struct fg_carrier model_carrier;
