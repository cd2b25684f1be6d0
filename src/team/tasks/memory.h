/* Memory that tasks cannot do without (floor: team; called by detach.c and gomp). Any thread may call, inside or
 * outside and with any lock, as platform/memory.h says. Nothing is kept here. */
#pragma once
#include <stddef.h>
#include "team/inside.h"

/* Returns zeroed memory, or ends the process with a message. */
FG_ANYWHERE void *fg_task_memory(size_t size);
