/* Memory that tasks cannot do without (floor: team; called by detach.c and gomp). */
#pragma once
#include <stddef.h>

/* Zeroed memory, or a fatal message. */
void *fg_task_memory(size_t size);
