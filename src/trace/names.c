/* Functions and their names (floor: trace): see names.h. The dynamic linker does not know the names of the compiler's
 * outlined functions. So the symbol tables of the files are read at the end (platform/symbol.h). */
#define _GNU_SOURCE
#include "trace/names.h"

#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"
#include "platform/path.h"
#include "platform/symbol.h"
#include "trace/file.h"

#define PLACES 4096 /* at most half of them are used; further functions have no name */

static struct {
	struct fg_atomic_u64 noted[PLACES];
	struct fg_atomic_u32 n_noted;
	char path[4096]; /* of the last module: one thread at a time looks, at the start of the trace and at its end */
	char name[1024];
} names;

void
fg_trace_names_note(uintptr_t address)
{
	uint64_t hash = (uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 52;
	for (;; hash = (hash + 1) % PLACES) {
		uint64_t seen = fg_load_relaxed(&names.noted[hash]);
		if (seen == address)
			return;
		if (seen)
			continue;
		if (fg_load_relaxed(&names.n_noted) >= PLACES / 2)
			return;
		if (fg_cas_relaxed(&names.noted[hash], &seen, address)) {
			fg_add_relaxed(&names.n_noted, 1);
			return;
		}
		if (seen == address)
			return;
	}
}

struct modules {
	FILE *text;
	uint64_t address; /* to be found; 0: list all */
	uint64_t bias;
	bool found;
};

static bool
module_path(const struct dl_phdr_info *info)
{
	if (info->dlpi_name[0])
		return snprintf(names.path, sizeof names.path, "%s", info->dlpi_name) < (int)sizeof names.path;
	return fg_path_leads_to("/proc/self/exe", names.path, sizeof names.path);
}

static int
module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct modules *modules = arg;
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uint64_t low = info->dlpi_addr + part->p_vaddr, high = low + part->p_memsz;
		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		if (modules->address && (modules->address < low || modules->address >= high))
			continue;
		if (!module_path(info))
			continue;
		modules->bias = info->dlpi_addr;
		modules->found = true;
		if (modules->text)
			fprintf(modules->text, "%" PRIx64 " %" PRIx64 " %" PRIx64 " %s\n", low, high, modules->bias,
				names.path);
		else
			return 1;
	}
	return 0;
}

static void
append_text(enum fg_trace_kind kind, FILE *stream, char **text, size_t *size)
{
	if (fclose(stream) == 0)
		fg_trace_file_append(kind, *size, *text, *size);
	free(*text);
}

void
fg_trace_modules_write(void)
{
	char *text = NULL;
	size_t size = 0;
	struct modules modules = {.text = open_memstream(&text, &size)};
	if (!modules.text)
		return;
	dl_iterate_phdr(module, &modules);
	append_text(FG_TRACE_MODULES, modules.text, &text, &size);
}

void
fg_trace_names_write(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return;
	for (unsigned i = 0; i < PLACES; i++) {
		struct modules modules = {.address = fg_load_relaxed(&names.noted[i])};
		if (modules.address && dl_iterate_phdr(module, &modules) &&
		    fg_symbol_name(names.path, modules.address - modules.bias, names.name, sizeof names.name))
			fprintf(stream, "%" PRIx64 " %s\n", modules.address, names.name);
	}
	append_text(FG_TRACE_NAMES, stream, &text, &size);
	fg_trace_modules_write();
}
