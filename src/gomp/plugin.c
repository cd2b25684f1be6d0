/* ABI: libgomp's functions for its device plug-ins (floor: gomp). The library loads no plug-ins. The functions for
 * memory and messages work for any caller. All others end the program with a message. No lock of the runtime is held,
 * and nothing is kept. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/export.h"
#include "base/log.h"
#include "team/tasks/memory.h"

_Noreturn static void
no_plugin(const char *name)
{
	fg_fatal("%s was called, but this runtime has no devices and loads no plug-ins for them", name);
}

static char *
text_of(const char *format, va_list arguments)
{
	char *text;
	if (vasprintf(&text, format, arguments) < 0)
		fg_fatal("Out of memory for a message");
	return text;
}

FG_EXPORT void *
GOMP_PLUGIN_malloc(size_t size)
{
	void *memory = malloc(size);
	if (!memory && size)
		fg_fatal("Out of memory allocating %zu bytes", size);
	return memory;
}

FG_EXPORT void *
GOMP_PLUGIN_malloc_cleared(size_t size)
{
	return fg_task_memory(size);
}

FG_EXPORT void *
GOMP_PLUGIN_realloc(void *old, size_t size)
{
	void *memory = realloc(old, size);
	if (!memory && size)
		fg_fatal("Out of memory allocating %zu bytes", size);
	return memory;
}

FG_EXPORT void
GOMP_PLUGIN_debug(int kind, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = text_of(format, arguments);
	va_end(arguments);
	fg_note("%s", text);
	free(text);
}

FG_EXPORT void
GOMP_PLUGIN_error(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = text_of(format, arguments);
	va_end(arguments);
	fg_program_says("%s", text);
	free(text);
}

FG_EXPORT void
GOMP_PLUGIN_fatal(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fg_program_says("%s", text_of(format, arguments));
	exit(EXIT_FAILURE);
}

FG_EXPORT void
GOMP_PLUGIN_async_unmap_vars(void *variables, int async)
{
	no_plugin("GOMP_PLUGIN_async_unmap_vars");
}

FG_EXPORT void *
GOMP_PLUGIN_acc_thread(void)
{
	no_plugin("GOMP_PLUGIN_acc_thread");
}

FG_EXPORT void
GOMP_PLUGIN_target_task_completion(void *task)
{
	no_plugin("GOMP_PLUGIN_target_task_completion");
}

FG_EXPORT int
GOMP_PLUGIN_acc_default_dim(unsigned dimension)
{
	no_plugin("GOMP_PLUGIN_acc_default_dim");
}

FG_EXPORT void
GOMP_PLUGIN_goacc_profiling_dispatch(void *info, void *event, void *api)
{
	no_plugin("GOMP_PLUGIN_goacc_profiling_dispatch");
}

FG_EXPORT void *
GOMP_PLUGIN_goacc_thread(void)
{
	no_plugin("GOMP_PLUGIN_goacc_thread");
}

FG_EXPORT void
GOMP_PLUGIN_target_rev(uint64_t fn, uint64_t count, uint64_t addresses, uint64_t sizes, uint64_t kinds, int device,
		       void *async)
{
	no_plugin("GOMP_PLUGIN_target_rev");
}
