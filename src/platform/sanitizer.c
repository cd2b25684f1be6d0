/* Which tools watch the process, and where the code of a leak checker lies (floor: platform): see sanitizer.h. A tool
 * that is linked into the program itself cannot be told from the program. */
#include "platform/sanitizer.h"

#include <link.h>
#include <string.h>
#include <unistd.h>

static struct {
	uintptr_t low, size;
} checker;

static int
look(struct dl_phdr_info *library, size_t bytes, void *arg)
{
	(void)bytes, (void)arg;
	for (unsigned i = 0; i < library->dlpi_phnum && library->dlpi_name[0]; i++) {
		const ElfW(Phdr) *part = &library->dlpi_phdr[i];
		uintptr_t from = library->dlpi_addr + part->p_vaddr;
		if (part->p_type != PT_LOAD || (uintptr_t)__lsan_do_leak_check - from >= part->p_memsz)
			continue;
		checker.low = from;
		checker.size = part->p_memsz;
		return 1;
	}
	return 0;
}

/* valgrind shows itself by the libraries that it preloads. */
bool
fg_on_valgrind(void)
{
	for (char **e = environ; e && *e; e++)
		if (!strncmp(*e, "LD_PRELOAD=", 11) && strstr(*e, "vgpreload"))
			return true;
	return false;
}

void
fg_sanitizer_find(void)
{
	if (__lsan_do_leak_check)
		dl_iterate_phdr(look, NULL);
}

bool
fg_sanitizer_has(const void *code)
{
	return (uintptr_t)code - checker.low < checker.size;
}
