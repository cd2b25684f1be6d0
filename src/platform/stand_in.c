/* Stand-ins (floor: platform): see stand_in.h. The object is a file in memory, because nothing must be left on a disk.
 * It has no code, so it may lie where nothing can be executed. */
#define _GNU_SOURCE
#include "platform/stand_in.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "platform/file.h"

#ifdef __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif
#define PAGE 0x10000 /* the largest of these machines */
/* A debugger opens the file by the name that the dynamic linker has, /proc/self/fd/N, but that is its own file N then.
 * It has none of such a high number. With a low one it may read from a pipe, and wait for ever. Where a process may
 * have no such number (`ulimit -n`), there is no stand-in. */
#define HIGH 1000

static unsigned made; /* each has a number of its own, because objects of one path are one object */

struct image {
	Elf64_Ehdr head;
	Elf64_Phdr parts[3];
	Elf64_Dyn dynamic[7];
	Elf64_Sym symbols[1]; /* the empty one, which each table begins with */
	char strings[2 * (FG_STAND_IN_NAME + 1) + 1];
};

static Elf64_Phdr
part(Elf64_Word type, size_t offset, size_t size, size_t align)
{
	return (Elf64_Phdr){.p_type = type,
			    .p_flags = PF_R | PF_W,
			    .p_offset = offset,
			    .p_vaddr = offset,
			    .p_paddr = offset,
			    .p_filesz = size,
			    .p_memsz = size,
			    .p_align = align};
}

/* The object's addresses are its offsets. Without PT_GNU_STACK the dynamic linker would make stacks executable. */
static void
fill(struct image *image, const char *name, const char *instead)
{
	size_t own = 1, needed = own + strlen(name) + 1;
	*image = (struct image){
		.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			 .e_type = ET_DYN,
			 .e_machine = MACHINE,
			 .e_version = EV_CURRENT,
			 .e_phoff = offsetof(struct image, parts),
			 .e_ehsize = sizeof(Elf64_Ehdr),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 3},
		.parts = {part(PT_LOAD, 0, sizeof *image, PAGE),
			  part(PT_DYNAMIC, offsetof(struct image, dynamic), sizeof image->dynamic, 8),
			  part(PT_GNU_STACK, 0, 0, 16)},
		.dynamic = {{DT_SONAME, {own}},
			    {DT_NEEDED, {needed}},
			    {DT_STRTAB, {offsetof(struct image, strings)}},
			    {DT_STRSZ, {sizeof image->strings}},
			    {DT_SYMTAB, {offsetof(struct image, symbols)}},
			    {DT_SYMENT, {sizeof(Elf64_Sym)}},
			    {DT_NULL, {0}}},
	};
	strcpy(image->strings + own, name);
	strcpy(image->strings + needed, instead);
}

static bool
is_loaded(const char *name)
{
	void *found = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	if (found)
		dlclose(found);
	return found;
}

bool
fg_stand_in_make(const char *name, const char *instead)
{
	struct image image;
	char path[32], label[FG_STAND_IN_NAME + 16];
	void *object = NULL;
	if (strlen(name) > FG_STAND_IN_NAME || strlen(instead) > FG_STAND_IN_NAME || is_loaded(name))
		return false;
	fill(&image, name, instead);
	snprintf(label, sizeof label, "instead of %s", name);
	int low = memfd_create(label, MFD_CLOEXEC);
	int file = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, HIGH + made);
	if (low >= 0)
		fg_file_close(low);
	if (file < 0)
		return false;
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	if (fg_file_write_at(file, &image, sizeof image, 0) == sizeof image)
		object = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	fg_file_close(file);
	made = (unsigned)file + 1 - HIGH;
	return object;
}
