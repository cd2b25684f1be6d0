/* Seam: what the preloaded library (preload.c) asks of the simulated machine (floor: sim). It has a table of its own, which the runtime
 * fills in; until then its functions are those of the C library. */
#pragma once
#include <sched.h>
#include <stdint.h>

struct fg_sim_seam {
	uint64_t (*now)(void);			       /* ns of virtual time since the start */
	void (*sleep_until)(uint64_t time);	       /* the caller is a thread on the simulated machine */
	void (*let_others)(void);		       /* it waits for something that another has to do */
	int (*is_here)(void);			       /* it is one, and not within the runtime */
	void (*affinity)(size_t size, cpu_set_t *set); /* all PUs of the machine */
};
