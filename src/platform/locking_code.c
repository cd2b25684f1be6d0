/* Code of the C library and the allocator (floor: platform): see locking_code.h. */
#define _GNU_SOURCE
#include "platform/locking_code.h"

#include <link.h>
#include <pthread.h>
#include <stdlib.h>

#define OBJECTS_MAX 3

static struct {
	struct text {
		uintptr_t begin, end;
	} texts[OBJECTS_MAX];
	unsigned n_texts;
} locking;

static bool
holds(const struct dl_phdr_info *info, uintptr_t address)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		if (segment->p_type == PT_LOAD && address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
			return true;
	}
	return false;
}

static void
add(const struct dl_phdr_info *info)
{
	for (unsigned i = 0; i < info->dlpi_phnum && locking.n_texts < OBJECTS_MAX; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
			locking.texts[locking.n_texts++] = (struct text){begin, begin + segment->p_memsz};
	}
}

/* The program itself, which may have an allocator of its own, is left out, because most of it is not such code. */
static int
look(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	void *(*allocate)(size_t) = malloc;
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = pthread_create;
	if (info->dlpi_name && info->dlpi_name[0] != '\0' &&
	    (holds(info, (uintptr_t)allocate) || holds(info, (uintptr_t)create) || holds(info, _r_debug.r_brk)))
		add(info);
	return 0;
}

void
fg_locking_code_find(void)
{
	if (locking.n_texts == 0)
		dl_iterate_phdr(look, NULL);
}

bool
fg_is_locking_code(uintptr_t address)
{
	for (unsigned i = 0; i < locking.n_texts; i++)
		if (address - locking.texts[i].begin < locking.texts[i].end - locking.texts[i].begin)
			return true;
	return false;
}
