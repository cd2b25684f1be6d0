/* Other OpenMP runtimes in the process (floor: platform): see others.h. */
#define _GNU_SOURCE
#include "platform/others.h"

#include <link.h>
#include <string.h>

bool
fg_others_is_runtime(const char *path)
{
	static const char *const names[] = {"libgomp", "libomp", "libiomp", "libnvomp", "libxlsmp"};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		size_t length = strlen(names[i]);
		if (strncmp(name, names[i], length))
			continue;
		const char *rest = name + length + strspn(name + length, "0123456789");
		return (*rest == '-' || *rest == '.' || *rest == '_') && strstr(rest, ".so");
	}
	return false;
}

/* The library's own segments contain this function. */
static bool
is_own(const struct dl_phdr_info *info)
{
	uintptr_t here = (uintptr_t)is_own;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_type == PT_LOAD && here >= start && here < start + segment->p_memsz)
			return true;
	}
	return false;
}

struct look {
	void (*tell)(const char *path);
	unsigned count;
};

static int
look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct look *look = arg;
	(void)size;
	if (!fg_others_is_runtime(info->dlpi_name) || is_own(info))
		return 0;
	look->count++;
	if (look->tell)
		look->tell(info->dlpi_name);
	return 0;
}

unsigned
fg_others_each(void (*tell)(const char *path))
{
	struct look look = {tell, 0};
	dl_iterate_phdr(look_at, &look);
	return look.count;
}
