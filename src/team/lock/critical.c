/* Critical: the process's two global locks (floor: team). */
#include "team/lock/critical.h"

struct fg_global_lock fg_critical_lock, fg_atomic_lock;
