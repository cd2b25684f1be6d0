/* Critical: the process's two global locks (floor: team). */
#include "team/lock/critical.h"

struct fg_global_locks fg_global_locks;
