/* Options of exec: the part of the environment that exec needs (floor: exec; read by exec, sim and team, filled by
 * team/boot/start.c when the library is loaded). Nothing writes them once there are other threads, so any thread reads
 * them anywhere. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "machine/cpuset.h"

struct fg_exec_options {
	uint64_t spin_ns;     /* a worker without work spins so long, then sleeps */
	unsigned brief_turns; /* a docked wait first looks so many times at nothing but the word that it waits for */
	bool monitor;	      /* the monitor looks after workers that are blocked or compute too long */
	uint64_t slice_ns;    /* time slice of a thread while others wait for its PU; 0: none */
	uint64_t stack_size;  /* of donors and workers, bytes; 0: the system's default */
	int signal;	      /* number of the signal that preempts */
	bool binds;	      /* kernel threads are bound to places (OMP_PROC_BIND) */
	bool kernel_threads;  /* each member gets a kernel thread of its own */
	bool defer_tasks;     /* of a replay: no task runs at once because enough others wait */
	/* A PU of the simulated machine tells of a touch after so much time in its data (above.h); 0: it tells none. */
	uint64_t sample_ns;
	unsigned n_pus;	       /* number of PUs to use */
	struct fg_cpuset cpus; /* PUs of the process when the library was loaded: a bound thread has another mask */
};
extern struct fg_exec_options fg_exec_options;
