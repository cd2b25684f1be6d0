/* Memory that tasks cannot do without (floor: team); see memory.h. */
#include "team/tasks/memory.h"

#include "base/log.h"
#include "platform/memory.h"

void *
fg_task_memory(size_t size)
{
	void *memory = fg_memory_zeroed(size);
	if (!memory)
		fg_fatal("Out of memory allocating %zu bytes", size);
	return memory;
}
