/* Names of functions (floor: platform): see symbol.h. The file may be anything, so each offset is checked. */
#define _GNU_SOURCE
#include "platform/symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/file.h"

struct image {
	const unsigned char *bytes;
	size_t size;
};

static const void *
part(const struct image *image, uint64_t offset, uint64_t size, size_t align)
{
	if (offset > image->size || size > image->size - offset || offset % align)
		return NULL;
	return image->bytes + offset;
}

static const char *
string(const struct image *image, const Elf64_Shdr *strings, uint64_t at)
{
	const char *text = part(image, strings->sh_offset, strings->sh_size, 1);
	if (!text || at >= strings->sh_size || !memchr(text + at, '\0', strings->sh_size - at))
		return NULL;
	return text + at;
}

static const char *
find_in(const struct image *image, const Elf64_Shdr *table, const Elf64_Shdr *strings, bool data, uint64_t address,
	uint64_t *offset)
{
	const Elf64_Sym *symbols = part(image, table->sh_offset, table->sh_size, _Alignof(Elf64_Sym));
	for (size_t i = 0; symbols && i < table->sh_size / sizeof *symbols; i++) {
		const Elf64_Sym *symbol = &symbols[i];
		unsigned type = ELF64_ST_TYPE(symbol->st_info);
		if ((data ? type == STT_OBJECT || type == STT_COMMON : type == STT_FUNC) &&
		    symbol->st_shndx != SHN_UNDEF &&
		    (address == symbol->st_value || address - symbol->st_value < symbol->st_size)) {
			*offset = address - symbol->st_value;
			return string(image, strings, symbol->st_name);
		}
	}
	return NULL;
}

/* The full table, where it has not been stripped, names more than the dynamic one. */
static const char *
find(const struct image *image, uint64_t address, enum fg_symbol_kind what, uint64_t *offset)
{
	const Elf64_Ehdr *head = part(image, 0, sizeof *head, 1);
	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    head->e_shentsize != sizeof(Elf64_Shdr))
		return NULL;
	const Elf64_Shdr *sections =
		part(image, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections, _Alignof(Elf64_Shdr));
	for (unsigned kind = what == FG_SYMBOL_EXPORTED ? SHT_DYNSYM : SHT_SYMTAB; sections; kind = SHT_DYNSYM) {
		for (unsigned i = 0; i < head->e_shnum; i++) {
			if (sections[i].sh_type != kind || sections[i].sh_link >= head->e_shnum)
				continue;
			const char *name = find_in(image, &sections[i], &sections[sections[i].sh_link],
						   what == FG_SYMBOL_DATA, address, offset);
			if (name)
				return name;
		}
		if (kind == SHT_DYNSYM)
			break;
	}
	return NULL;
}

bool
fg_symbol_find(const char *path, uint64_t address, enum fg_symbol_kind kind, char *name, size_t size, uint64_t *offset)
{
	const char *found = NULL, *file_name = path + strlen(path);
	while (file_name > path && file_name[-1] != '/')
		file_name--;
	struct stat status;
	struct image image = {NULL, 0};
	snprintf(name, size, "%s+0x%" PRIx64, file_name, address);
	int file = fg_file_open(path, O_RDONLY | O_NONBLOCK);
	if (file < 0)
		return false;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
		image.size = (size_t)status.st_size;
		void *memory = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0);
		image.bytes = memory == MAP_FAILED ? NULL : memory;
	}
	fg_file_close(file);
	if (!image.bytes)
		return false;
	found = find(&image, address, kind, offset);
	if (found)
		snprintf(name, size, "%s", found);
	munmap((void *)image.bytes, image.size);
	return found;
}

bool
fg_symbol_name(const char *path, uint64_t address, char *name, size_t size)
{
	uint64_t offset;
	return fg_symbol_find(path, address, FG_SYMBOL_FUNCTION, name, size, &offset);
}
