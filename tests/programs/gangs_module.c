/* The scheduler of gangs.c is the example. */
#include "../../include/forestgomp/sched.h"

#include "../../examples/scheduler/gangs.c"
