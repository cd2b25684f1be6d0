/* What exec needs to know of the environment (floor: exec; filled by the floor above when the library is loaded). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "machine/cpuset.h"

struct fg_exec_options {
	uint64_t spin_ns;      /* a worker without work spins so long, then sleeps */
	unsigned brief_turns;  /* a docked wait begins with so many looks at nothing but what it waits for */
	bool monitor;	       /* somebody looks after workers that are blocked or compute too long */
	uint64_t slice_ns;     /* time slice of a thread while others wait for its PU; 0: none */
	uint64_t stack_size;   /* of donors and workers, bytes; 0: the system's default */
	int signal;	       /* that preempts */
	bool kernel_threads;   /* each member gets a kernel thread of its own */
	unsigned n_pus;	       /* PUs to use */
	struct fg_cpuset cpus; /* of the process when the library was loaded: a thread that is bound has another mask */
};
extern struct fg_exec_options fg_exec_options;
