/* The place of a function in its source (command): see source.h. libdw is opened at the first use, so that the
 * command starts as fast without it, and works where it is missing. */
#define _GNU_SOURCE
#include "draw/source.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<elfutils/libdwfl.h>)
#include <elfutils/libdwfl.h>

#include "platform/file.h"
#include "platform/path.h"

#define FUNCTIONS(X)                                                                                                   \
	X(dwfl_begin)                                                                                                  \
	X(dwfl_end)                                                                                                    \
	X(dwfl_report_offline)                                                                                         \
	X(dwfl_report_end)                                                                                             \
	X(dwfl_module_getelf)                                                                                          \
	X(dwfl_module_getsrc)                                                                                          \
	X(dwfl_lineinfo)                                                                                               \
	X(dwfl_getmodules)                                                                                             \
	X(dwfl_build_id_find_elf)                                                                                      \
	X(dwfl_standard_find_debuginfo)                                                                                \
	X(dwfl_offline_section_address)

static struct {
#define DECLARE(name) __typeof__(&name) name;
	FUNCTIONS(DECLARE)
#undef DECLARE
} dw;

/* The file that was asked for last. */
static struct {
	char path[4096];
	Dwfl *dwfl;
	Dwfl_Module *module;
} last;

static bool
dw_open(void)
{
	static int state; /* 1: it is there; -1: it is not */
	if (state)
		return state > 0;
	void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
	state = library ? 1 : -1;
#define FIND(name)                                                                                                     \
	if (library && !(dw.name = (__typeof__(&name))dlsym(library, #name)))                                          \
		state = -1;
	FUNCTIONS(FIND)
#undef FIND
	unsetenv("DEBUGINFOD_URLS"); /* a table must not wait for a network */
	return state > 0;
}

static int
first_module(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr start, void *arg)
{
	(void)user, (void)name, (void)start;
	*(Dwfl_Module **)arg = module;
	return DWARF_CB_ABORT;
}

static Dwfl_Module *
module_of(const char *path)
{
	static Dwfl_Callbacks callbacks;
	if (strcmp(path, last.path) == 0)
		return last.module;
	if (last.dwfl)
		dw.dwfl_end(last.dwfl);
	callbacks = (Dwfl_Callbacks){.find_elf = dw.dwfl_build_id_find_elf,
				     .find_debuginfo = dw.dwfl_standard_find_debuginfo,
				     .section_address = dw.dwfl_offline_section_address};
	snprintf(last.path, sizeof last.path, "%s", path);
	last.module = NULL;
	char *file = fg_path_true_name(path); /* a library may be a link, but a FIFO would be waited for */
	last.dwfl = file && !fg_file_is_special(file) ? dw.dwfl_begin(&callbacks) : NULL;
	free(file);
	if (last.dwfl && dw.dwfl_report_offline(last.dwfl, "", path, -1)) {
		dw.dwfl_report_end(last.dwfl, NULL, NULL);
		dw.dwfl_getmodules(last.dwfl, first_module, &last.module, 0);
	}
	return last.module;
}

static void
look_up(const char *path, uint64_t address, char *file, size_t size, unsigned *line)
{
	GElf_Addr bias;
	int number = 0;
	Dwfl_Module *module = dw_open() ? module_of(path) : NULL;
	if (!module || !dw.dwfl_module_getelf(module, &bias))
		return;
	Dwfl_Line *found = dw.dwfl_module_getsrc(module, bias + address);
	const char *name = found ? dw.dwfl_lineinfo(found, NULL, &number, NULL, NULL, NULL) : NULL;
	if (!name || number <= 0)
		return;
	snprintf(file, size, "%s", name);
	*line = (unsigned)number;
}

const char *
fg_trace_source_missing(void)
{
	return dw_open() ? NULL : "libdw.so.1 (elfutils) is not installed";
}
#else
static void
look_up(const char *path, uint64_t address, char *file, size_t size, unsigned *line)
{
	(void)path, (void)address, (void)file, (void)size, (void)line;
}

const char *
fg_trace_source_missing(void)
{
	return "the command was built without libdw (scripts/install-deps build)";
}
#endif

void
fg_trace_source(const struct fg_trace *trace, uint64_t function, char *file, size_t size, unsigned *line)
{
	file[0] = '\0';
	*line = 0;
	for (size_t i = 0; i < trace->n_modules; i++) {
		const struct fg_trace_module *module = &trace->modules[i];
		if (function < module->low || function >= module->high)
			continue;
		look_up(module->path, function - module->bias, file, size, line);
		return;
	}
}
