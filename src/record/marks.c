/* Marks of a program that runs under QEMU (floor: record; preloaded there, called by the library): see mark.h. */
#define _GNU_SOURCE
#include "record/mark.h"

#include <dlfcn.h>
#include <link.h>

static inline __attribute__((always_inline)) void
mark(const void *told, unsigned char sign)
{
	__asm__ volatile("testb %0, 0x46474F4D(%%rdi)" : : "i"(sign), "D"((uintptr_t)told - MARK_TAG) : "cc", "memory");
}

static void
runs(const struct fgomp_part *part)
{
	static const struct fgomp_part none;
	mark(part ? part : &none, MARK_PART);
}

static int
tell_code(struct dl_phdr_info *object, size_t size, void *address)
{
	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *piece = &object->dlpi_phdr[i];
		struct mark_code code = {object->dlpi_addr + piece->p_vaddr, 0};
		code.high = code.low + piece->p_memsz;
		if (piece->p_type != PT_LOAD || !(piece->p_flags & PF_X) || (uintptr_t)address < code.low ||
		    (uintptr_t)address >= code.high)
			continue;
		mark(&code, MARK_CODE);
		return 1;
	}
	return 0;
}

__attribute__((constructor)) static void
begin(void)
{
	static struct fgomp_recorder recorder = {.runs = runs};
	void *add = dlsym(RTLD_DEFAULT, "fgomp_record");
	if (!add)
		return;
	dl_iterate_phdr(tell_code, add);
	((const struct fgomp_recording *(*)(struct fgomp_recorder *, unsigned))add)(&recorder, FGOMP_RECORD_VERSION);
}
