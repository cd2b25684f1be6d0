/* Extras (floor: team): see extras.h. */
#include "team/extras.h"

unsigned fg_extras;
