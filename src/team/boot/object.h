/* Object: a shared object beside the library, which the library opens when the user wants what it does (floor: team;
 * called by stuck.c and samples.c as the library starts). A program that may not or cannot have it goes on without it,
 * and one line says why. */
#pragma once

/* Opens the file and returns the address of the variable `name` in it. NULL: a line has said why there is none, which
 * begins with `no_effect` and ends with `goes_on`. */
const void *fg_object_open(const char *file, const char *name, const char *no_effect, const char *goes_on);
