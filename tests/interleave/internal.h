/* Things that the files of the interleaving checker share: virtual threads, clocks, choices. */
#pragma once
#include "interleave/model.h"

/* Clocks have one component per virtual thread. The last component counts sequentially consistent accesses. `hb` is
 * happens-before. `seen` is hb and all that seq_cst fences make visible besides. It bounds the values that a load
 * may return, but orders no data. */
#define MODEL_SC 7
struct model_clock {
	uint32_t hb[8], seen[8];
};

enum model_state { MODEL_RUN, MODEL_BLOCKED, MODEL_DONE };

struct model_thread {
	void *sp;
	void *tls; /* the image that lies in the thread-local storage while this thread runs */
	char *stack;
	void (*body)(void);
	void (*start)(void *); /* of a thread that carrier->start has made */
	void *start_arg;
	enum model_state state;
	bool fresh;	  /* A switch went to its start, so its first operation is no new switch point. */
	bool paused;	  /* since paused_writes and paused_turn */
	bool on_deadline; /* blocked at most until deadline */
	bool timed_out;
	uint64_t paused_writes, paused_turn, deadline;
	/* Threads that ran since the last pause, and threads that must run before this one. */
	uint8_t scheduled, starved;
	void *word;		    /* the word that it waits for */
	uint64_t wait_turn;	    /* waiters wake in this order */
	struct model_clock now, release_fence, acquire_pending;
	void (*callback)(void *); /* of the fg_context_switch under way */
	void *callback_arg;
};

struct model_run {
	struct model_thread thread[MODEL_THREADS];
	unsigned threads, current;
	unsigned own_threads; /* of the scenario; these have started the others */
	bool atomically;
	bool inside; /* virtual threads are running: not in setup or check */
	bool tracing;
	uint64_t steps, writes, turn, clock;
	uint64_t pause_ns;
	const struct model_scenario *scenario;
	uint32_t sc_count;
	char failure[512];
	bool failed;
};
extern struct model_run model_run;

enum model_budget { MODEL_PREEMPTION, MODEL_ODDITY };
/* Takes one of n options. The first `free` of them cost nothing. `threads`, if not NULL, names the threads for which
 * they stand. */
unsigned model_choose(unsigned n, unsigned free, enum model_budget budget, const uint8_t *threads);
void model_choose_yield(void); /* the running thread spins: it goes behind the others */
bool model_spinning(unsigned thread);
/* The same for a switch before an operation at `address`. An exhaustive search offers it only where threads
 * conflict. */
unsigned model_choose_at(const void *address, bool write, unsigned n, const uint8_t *threads);
void model_switch_point(const void *address, bool write); /* before an operation of the running thread */
void model_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *model_name(const void *address);

void model_memory_reset(void);
void model_plain_reset(void);
void model_spawn(void (*body)(void), void (*start)(void *), void *arg);
void model_give_way(void); /* the running thread cannot or should not go on: the next one runs */
void model_abandon(void) __attribute__((noreturn));
const char *model_where(const void *code);

static inline struct model_thread *
model_current(void)
{
	return &model_run.thread[model_run.current];
}

static inline void
model_clock_join(struct model_clock *to, const struct model_clock *from)
{
	for (unsigned i = 0; i < 8; i++) {
		to->hb[i] = to->hb[i] > from->hb[i] ? to->hb[i] : from->hb[i];
		to->seen[i] = to->seen[i] > from->seen[i] ? to->seen[i] : from->seen[i];
	}
}
void model_plain_tls(const char *low, const char *high);
void model_plain_touch(const void *address, size_t size, bool write, void *code);
void model_plain_alive(const void *address, const void *code);

/* Contexts. */
void model_swap(void **from, void *to);
void *model_stack_begin(char *top, void (*entry)(void)); /* returns the stack pointer for model_swap */
void model_callback_run(void);				 /* of the switch that has just come here */
void model_tls_init(void);
/* model_tls_out saves the thread-local storage in the image of the running thread. model_tls_in fills it from an
 * image; NULL: from the first one. */
void model_tls_out(void);
void model_tls_in(const void *image);

void model_threads_init(void);
void model_threads_run(void);
void model_aside(void (*function)(void));
extern bool model_wake_dropped;
void model_site_note(const struct model_site *site);

/* Maps addresses to small numbers, dense in each run, so that tables by number stay in the cache. */
struct model_index {
	struct {
		uintptr_t key;
		uint32_t run, number;
	} *slot;
	uint32_t size, run, count;
};
void model_index_init(struct model_index *index, uint32_t size); /* a power of two */
static inline void
model_index_reset(struct model_index *index)
{
	index->run++;
	index->count = 0;
}
/* The key's number. *fresh: it is new in this run. With more than 3/4 of `size` keys, the result is `size`. */
static inline uint32_t
model_index_get(struct model_index *index, uintptr_t key, bool *fresh)
{
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) & (index->size - 1);
	while (index->slot[i].run == index->run && index->slot[i].key != key)
		i = (i + 1) & (index->size - 1);
	*fresh = index->slot[i].run != index->run;
	if (*fresh) {
		if (index->count >= index->size / 4 * 3)
			return index->size;
		index->slot[i].key = key;
		index->slot[i].run = index->run;
		index->slot[i].number = index->count++;
	}
	return index->slot[i].number;
}
