/* Stand-ins: an object of this process that has a library's name and nothing in it (floor: platform; called by
 * team/boot/names.c). The dynamic linker does not load a library where an object of its name is there already.
 *
 * A constructor calls this, outside, because the dynamic linker has a lock. */
#pragma once
#include <stdbool.h>

#define FG_STAND_IN_NAME 127

/* Makes an object called `name` that needs the library `instead`, by the name under which that is loaded. So whatever
 * asks for `name` finds the functions of `instead`. False: there is a library of that name, the name is too long, or
 * there is no object: then nothing has changed. */
bool fg_stand_in_make(const char *name, const char *instead);
