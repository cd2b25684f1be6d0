/* Bubble: the entities of one parallel region, populated lazily (floor: forest; design D2). Made by team, born by exec. */
#pragma once
#include "base/atomic.h"

struct fg_runqueue;

struct fg_bubble {
	struct fg_bubble *prev, *next; /* in the holder's list; under the holder's lock */
	struct fg_atomic_ptr holder;   /* the runqueue it lies on, NULL: none; changed under that runqueue's lock */
	unsigned size;		       /* members, the encountering thread included */
	unsigned born;		       /* members born so far; under the holder's lock */
	/* Members whose end is still to come, the encountering thread's own share included (see exec/birth.c). */
	struct fg_atomic_u32 unfinished;
};
