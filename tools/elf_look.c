/* Elf_look: see elf_look.h. All offsets come from the file, so each read may fail, and no size is trusted. */
#include "elf_look.h"
#include "platform/others.h"
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST (4u << 20) /* bytes of one part */
#define MAX_PARTS 64

struct elf {
	int file;
	Elf64_Ehdr head;
	Elf64_Phdr parts[MAX_PARTS];
	unsigned n_parts;
};

static bool
read_at(const struct elf *elf, void *to, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(elf->file, to, size, (off_t)at) == (ssize_t)size;
}

/* The caller frees it. One byte of zero follows it. NULL: it is too large, or not there. */
static char *
read_part(const struct elf *elf, uint64_t at, uint64_t size)
{
	char *bytes = size && size <= MOST ? calloc(1, size + 1) : NULL;
	if (bytes && read_at(elf, bytes, size, at))
		return bytes;
	free(bytes);
	return NULL;
}

static bool
read_head(struct elf *elf)
{
	Elf64_Ehdr *head = &elf->head;
	if (!read_at(elf, head, sizeof *head, 0) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_phentsize != sizeof(Elf64_Phdr))
		return false;
	elf->n_parts = head->e_phnum < MAX_PARTS ? head->e_phnum : MAX_PARTS;
	return read_at(elf, elf->parts, elf->n_parts * sizeof *elf->parts, head->e_phoff);
}

/* Where in the file an address lies; UINT64_MAX: nowhere. */
static uint64_t
offset_of(const struct elf *elf, uint64_t address)
{
	for (unsigned i = 0; i < elf->n_parts; i++) {
		const Elf64_Phdr *part = &elf->parts[i];
		if (part->p_type == PT_LOAD && address >= part->p_vaddr && address - part->p_vaddr < part->p_filesz)
			return part->p_offset + (address - part->p_vaddr);
	}
	return UINT64_MAX;
}

static uint64_t
value_of(const Elf64_Dyn *entries, size_t n, int64_t tag)
{
	for (size_t i = 0; i < n && entries[i].d_tag != DT_NULL; i++)
		if (entries[i].d_tag == tag)
			return entries[i].d_un.d_val;
	return 0;
}

/* "": it has no such entry. */
static void
read_name(const struct elf *elf, uint64_t names, uint64_t at, char *name, size_t size)
{
	ssize_t got = at ? pread(elf->file, name, size - 1, (off_t)(names + at)) : 0;
	name[got > 0 ? got : 0] = '\0';
}

static void
look_at_needs(const struct elf *elf, const Elf64_Phdr *dynamic, bool deep, struct elf_facts *facts)
{
	Elf64_Dyn *entries = (void *)read_part(elf, dynamic->p_offset, dynamic->p_filesz);
	size_t n = entries ? dynamic->p_filesz / sizeof *entries : 0;
	uint64_t names = offset_of(elf, value_of(entries, n, DT_STRTAB)), size = value_of(entries, n, DT_STRSZ);
	char name[sizeof facts->needs];
	for (size_t i = 0; i < n && entries[i].d_tag != DT_NULL && names != UINT64_MAX; i++) {
		if (entries[i].d_tag != DT_NEEDED || entries[i].d_un.d_val >= size)
			continue;
		read_name(elf, names, entries[i].d_un.d_val, name, sizeof name);
		if (fg_others_is_runtime(name))
			memcpy(facts->needs, name, sizeof name);
	}
	if (facts->needs[0]) {
		uint64_t search = value_of(entries, n, DT_RUNPATH);
		search = search ? search : value_of(entries, n, DT_RPATH);
		read_name(elf, names, search < size ? search : 0, facts->search, sizeof facts->search);
	}
	char *all = deep && names != UINT64_MAX ? read_part(elf, names, size) : NULL;
	static const char mark[] = "\0FGOMP_1.0"; /* the version of symbols, which has a name of its own in the table */
	facts->is_ours = all && memmem(all, size, mark, sizeof mark);
	free(all);
	free(entries);
}

/* "GCC: (Debian 12.2.0-14) 12.2.0" is "gcc 12.2". */
static void
take_comment(const char *text, struct elf_facts *facts)
{
	unsigned major, minor;
	const char *clang = strstr(text, "clang version ");
	const char *gcc = strncmp(text, "GCC: (", 6) == 0 ? strchr(text, ')') : NULL;
	if (gcc && sscanf(gcc + 1, " %u.%u", &major, &minor) == 2)
		snprintf(facts->compiler, sizeof facts->compiler, "gcc %u.%u", major, minor);
	else if (clang && sscanf(clang, "clang version %u.%u", &major, &minor) == 2)
		snprintf(facts->compiler, sizeof facts->compiler, "clang %u.%u", major, minor);
}

/* Red Hat's libraries have no comment left, but notes: "running gcc 8.5.0 20210514". */
static void
take_notes(const char *bytes, size_t size, struct elf_facts *facts)
{
	static const char mark[] = "running gcc ";
	unsigned major, minor;
	const char *found = memmem(bytes, size, mark, sizeof mark - 1);
	if (found && sscanf(found + sizeof mark - 1, "%u.%u", &major, &minor) == 2)
		snprintf(facts->compiler, sizeof facts->compiler, "gcc %u.%u", major, minor);
}

static void
look_at_comment(const struct elf *elf, struct elf_facts *facts)
{
	const Elf64_Ehdr *head = &elf->head;
	size_t n = head->e_shentsize == sizeof(Elf64_Shdr) ? head->e_shnum : 0;
	Elf64_Shdr *sections = (void *)read_part(elf, head->e_shoff, n * sizeof *sections);
	if (!sections || head->e_shstrndx >= n) {
		free(sections);
		return;
	}
	uint64_t size = sections[head->e_shstrndx].sh_size;
	char *names = read_part(elf, sections[head->e_shstrndx].sh_offset, size);
	for (size_t i = 0; names && i < n && !facts->compiler[0]; i++) {
		const char *name = sections[i].sh_name < size ? names + sections[i].sh_name : "";
		bool comment = strcmp(name, ".comment") == 0, notes = strcmp(name, ".gnu.build.attributes") == 0;
		char *text = comment || notes ? read_part(elf, sections[i].sh_offset, sections[i].sh_size) : NULL;
		if (text && comment)
			take_comment(text, facts);
		else if (text)
			take_notes(text, sections[i].sh_size, facts);
		free(text);
	}
	free(names);
	free(sections);
}

/* The library tells its version by a text. */
static bool
has_version(const struct elf *elf)
{
	static const char mark[] = "ForestGOMP " FG_VERSION;
	off_t size = lseek(elf->file, 0, SEEK_END);
	char *bytes = size > 0 ? malloc((size_t)size) : NULL;
	bool found = bytes && read_at(elf, bytes, (size_t)size, 0) && memmem(bytes, (size_t)size, mark, sizeof mark);
	free(bytes);
	return found;
}

void
elf_look(const char *path, bool deep, struct elf_facts *facts)
{
	struct elf elf = {.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	*facts = (struct elf_facts){0};
	if (elf.file < 0)
		return;
	facts->is_elf = read_head(&elf);
	for (unsigned i = 0; facts->is_elf && i < elf.n_parts; i++)
		if (elf.parts[i].p_type == PT_DYNAMIC)
			look_at_needs(&elf, &elf.parts[i], deep, facts);
	if (facts->is_elf && deep)
		look_at_comment(&elf, facts);
	if (facts->is_ours)
		facts->this_version = has_version(&elf);
	close(elf.file);
}
