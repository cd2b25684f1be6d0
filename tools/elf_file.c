/* Elf_file: see elf_file.h. */
#include "elf_file.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST (4u << 20) /* bytes of one piece */

bool
elf_file_read(const struct elf_file *elf, void *to, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(elf->file, to, size, (off_t)at) == (ssize_t)size;
}

char *
elf_file_piece(const struct elf_file *elf, uint64_t at, uint64_t size)
{
	char *bytes = size && size <= MOST ? calloc(1, size + 1) : NULL;
	if (bytes && elf_file_read(elf, bytes, size, at))
		return bytes;
	free(bytes);
	return NULL;
}

static bool
read_head(struct elf_file *elf)
{
	Elf64_Ehdr *head = &elf->head;
	if (!elf_file_read(elf, head, sizeof *head, 0) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_phentsize != sizeof(Elf64_Phdr))
		return false;
	unsigned n = head->e_phnum < ELF_FILE_PARTS ? head->e_phnum : ELF_FILE_PARTS;
	if (!elf_file_read(elf, elf->parts, n * sizeof *elf->parts, head->e_phoff))
		return false;
	elf->n_parts = n;
	return true;
}

bool
elf_file_open(const char *path, struct elf_file *elf)
{
	*elf = (struct elf_file){.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	if (elf->file < 0)
		return false;
	elf->is_elf = read_head(elf);
	return true;
}

void
elf_file_close(struct elf_file *elf)
{
	close(elf->file);
}

const Elf64_Phdr *
elf_file_part(const struct elf_file *elf, uint32_t type)
{
	for (unsigned i = 0; i < elf->n_parts; i++)
		if (elf->parts[i].p_type == type)
			return &elf->parts[i];
	return NULL;
}

/* Where in the file an address lies; UINT64_MAX: nowhere. */
static uint64_t
offset_of(const struct elf_file *elf, uint64_t address)
{
	for (unsigned i = 0; i < elf->n_parts; i++) {
		const Elf64_Phdr *part = &elf->parts[i];
		if (part->p_type == PT_LOAD && address >= part->p_vaddr && address - part->p_vaddr < part->p_filesz)
			return part->p_offset + (address - part->p_vaddr);
	}
	return UINT64_MAX;
}

uint64_t
elf_dynamic_value(const struct elf_dynamic *dynamic, int64_t tag)
{
	for (size_t i = 0; i < dynamic->n; i++)
		if (dynamic->entries[i].d_tag == tag)
			return dynamic->entries[i].d_un.d_val;
	return 0;
}

void
elf_dynamic_read(const struct elf_file *elf, struct elf_dynamic *dynamic)
{
	const Elf64_Phdr *part = elf_file_part(elf, PT_DYNAMIC);
	*dynamic = (struct elf_dynamic){.names = UINT64_MAX};
	if (!part)
		return;
	dynamic->entries = (void *)elf_file_piece(elf, part->p_offset, part->p_filesz);
	size_t most = dynamic->entries ? part->p_filesz / sizeof *dynamic->entries : 0;
	while (dynamic->n < most && dynamic->entries[dynamic->n].d_tag != DT_NULL)
		dynamic->n++;
	dynamic->names = offset_of(elf, elf_dynamic_value(dynamic, DT_STRTAB));
	dynamic->names_size = elf_dynamic_value(dynamic, DT_STRSZ);
}

void
elf_dynamic_free(struct elf_dynamic *dynamic)
{
	free(dynamic->entries);
}

void
elf_dynamic_name(const struct elf_file *elf, const struct elf_dynamic *dynamic, uint64_t at, char *name, size_t size)
{
	bool there = at && at < dynamic->names_size && dynamic->names <= INT64_MAX - at;
	ssize_t got = there ? pread(elf->file, name, size - 1, (off_t)(dynamic->names + at)) : 0;
	name[got > 0 ? got : 0] = '\0';
}

bool
elf_dynamic_need(const struct elf_file *elf, const struct elf_dynamic *dynamic, size_t *at, char *name, size_t size)
{
	while (*at < dynamic->n) {
		const Elf64_Dyn *entry = &dynamic->entries[(*at)++];
		if (entry->d_tag != DT_NEEDED)
			continue;
		elf_dynamic_name(elf, dynamic, entry->d_un.d_val, name, size);
		if (name[0])
			return true;
	}
	return false;
}
