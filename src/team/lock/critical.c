/* Critical: the process's two global locks (floor: team). */
#include "team/critical.h"

struct fg_global_lock fg_critical_lock, fg_atomic_lock;
