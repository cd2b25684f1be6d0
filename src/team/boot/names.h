/* Names of other copies of libgomp, for which this library stands (floor: team; called by start.c in a constructor). */
#pragma once

/* Where the library is that of a Python package, and the process is Python: no copy of libgomp that a package beside
 * it brings is loaded, whatever its name. `loaded` is the library's name, as it was loaded. */
void fg_names_take(const char *loaded);
