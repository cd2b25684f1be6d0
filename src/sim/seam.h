/* Seam (floor: sim; used by preload.c and start.c): the functions that the preloaded library (preload.c) needs of the
 * simulated machine. That library has the table, and the runtime fills it in. Until then the library's functions are
 * those of the C library. */
#pragma once
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct fg_sim_seam {
	uint64_t (*now)(void);			       /* ns of virtual time since the start */
	void (*sleep_until)(uint64_t time);	       /* for a thread on the simulated machine */
	void (*let_others)(void);		       /* the caller waits for another thread */
	int (*is_here)(void);			       /* whether the caller is such a thread, outside the runtime */
	void (*affinity)(size_t size, cpu_set_t *set); /* all PUs of the machine */
	/* Threads of the program (threads.c). create: an errno value. join, detach: false, if the thread is not on the
	 * simulated machine. exit: returns if the caller is not. */
	int (*create)(pthread_t *thread, bool detached, void *(*start)(void *), void *arg);
	bool (*join)(pthread_t thread, void **result);
	bool (*detach)(pthread_t thread);
	void (*exit)(void *result);
};
