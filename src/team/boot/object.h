/* Object: a shared object beside the library, which the library opens when the user wants what it does (floor: team;
 * called by stuck.c and samples.c as the library starts). A program that may not or cannot have it goes on without it,
 * and one line says why. */
#pragma once
#include <stdint.h>

/* How the table of each object begins. */
struct fg_object_head {
	uint64_t layout;
	const char *version;
};

/* Opens the file and returns the address of the table `name` in it. NULL: a line has said why there is none, which
 * begins with `no_effect` and ends with `goes_on`; where that is NULL, no line says so. layout: an object of this build
 * has the same number in its head. */
const void *fg_object_open(const char *file, const char *name, uint64_t layout, const char *no_effect,
			   const char *goes_on);
