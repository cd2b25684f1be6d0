/* Place: where a thread stands in the program, seen from the runtime or the C library that it has called (floor:
 * stuck; used by stand.c, reason.c and tell.c). It needs fg_objects_find (object.h) first. */
#pragma once
#include "stuck/unwind.h"

#define FG_PLACE_FUNCTIONS 24

struct fg_place {
	uintptr_t pc;	  /* in the program: where it goes on; 0: nowhere, or not known */
	uintptr_t caller; /* the call of that function, in the program too; 0: not known */
	bool called;	  /* pc is behind a call */
	bool near;	  /* pc is a guess: the stack only looks like it */
	bool end;	  /* its stack has been seen to its end: it runs nothing of the program's */
	uintptr_t entry;  /* in the function that the program has called; 0: none */
	/* A signal met the thread while it waited for this futex, and it will wait again; 0: it did not wait for
	 * one. */
	uintptr_t futex;
	/* The start of each function of the runtime and the C library that has not returned, innermost first. */
	unsigned n_functions;
	uintptr_t function[FG_PLACE_FUNCTIONS];
};

/* Finds the place from where the thread stands. */
void fg_place_find(struct fg_unwind *unwind, struct fg_place *place);
/* How many of these functions lie within that one, which has not returned; -1: it is none of them. */
int fg_place_within(const struct fg_place *place, uintptr_t function);
/* The name under which the function that begins there is exported; false: it is not. */
bool fg_place_exported(uintptr_t function, char *name, size_t size);
/* "function+0x12 (program+0x1234)". */
void fg_place_name(uintptr_t pc, bool called, char *text, size_t size);
/* Objects may come and go from now on. */
void fg_place_forget(void);
/* The name of the function that the program has called, without underscores around it; false: not known. */
bool fg_place_entry(const struct fg_place *place, char *name, size_t size);
/* The variable of the program at this address: "name" or "name+0x8"; false: none has it. */
bool fg_place_variable(uintptr_t address, char *name, size_t size);
