/* The functions that floor.c offers the scenarios of exec. */
#pragma once
#include "exec/ground/above.h"
#include "exec/thread/root_state.h"
#include "exec/thread/worker.h"
#include "exec/roots/self.h"

/* Setup of a scenario: two PUs, and no spinning before sleep. */
void floor_setup(void);
/* The CPUs of each thread's mask, up to 64; 0: the system does not tell. */
extern struct fg_atomic_u64 floor_cpus;
/* The system binds kernel threads. All have the one mask floor_cpus, so only one of them may be bound. */
extern bool floor_binds;
/* The calling virtual thread becomes a thread of the program, as by fg_self_or_root(), and is inside the runtime. */
struct fg_root *floor_root(bool carries);
/* The tasks of the scenario, for which the floor team has functions in the runtime. It is set before other threads
 * run. */
extern const struct fg_help *floor_help;
