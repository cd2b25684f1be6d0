/* Elf_look: see elf_look.h. */
#include "elf_look.h"
#include "elf_file.h"
#include "platform/others.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
look_at_needs(const struct elf_file *elf, bool deep, struct elf_facts *facts)
{
	static const char mark[] = "\0FGOMP_1.0"; /* the version of symbols, which has a name of its own in the table */
	struct elf_dynamic dynamic;
	char name[sizeof facts->needs];
	elf_dynamic_read(elf, &dynamic);
	for (size_t at = 0; elf_dynamic_need(elf, &dynamic, &at, name, sizeof name);)
		if (fg_others_is_runtime(name))
			memcpy(facts->needs, name, sizeof name);
	if (facts->needs[0]) {
		uint64_t search = elf_dynamic_value(&dynamic, DT_RUNPATH);
		search = search ? search : elf_dynamic_value(&dynamic, DT_RPATH);
		elf_dynamic_name(elf, &dynamic, search, facts->search, sizeof facts->search);
	}
	char *all = deep ? elf_file_piece(elf, dynamic.names, dynamic.names_size) : NULL;
	facts->is_ours = all && memmem(all, dynamic.names_size, mark, sizeof mark);
	free(all);
	elf_dynamic_free(&dynamic);
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
look_at_comment(const struct elf_file *elf, struct elf_facts *facts)
{
	const Elf64_Ehdr *head = &elf->head;
	size_t n = head->e_shentsize == sizeof(Elf64_Shdr) ? head->e_shnum : 0;
	Elf64_Shdr *sections = (void *)elf_file_piece(elf, head->e_shoff, n * sizeof *sections);
	if (!sections || head->e_shstrndx >= n) {
		free(sections);
		return;
	}
	uint64_t size = sections[head->e_shstrndx].sh_size;
	char *names = elf_file_piece(elf, sections[head->e_shstrndx].sh_offset, size);
	for (size_t i = 0; names && i < n && !facts->compiler[0]; i++) {
		const char *name = sections[i].sh_name < size ? names + sections[i].sh_name : "";
		bool comment = strcmp(name, ".comment") == 0, notes = strcmp(name, ".gnu.build.attributes") == 0;
		char *text = comment || notes ? elf_file_piece(elf, sections[i].sh_offset, sections[i].sh_size) : NULL;
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
has_version(const struct elf_file *elf)
{
	static const char mark[] = "ForestGOMP " FG_VERSION;
	off_t size = lseek(elf->file, 0, SEEK_END);
	char *bytes = size > 0 ? malloc((size_t)size) : NULL;
	bool found =
		bytes && elf_file_read(elf, bytes, (size_t)size, 0) && memmem(bytes, (size_t)size, mark, sizeof mark);
	free(bytes);
	return found;
}

void
elf_look(const char *path, bool deep, struct elf_facts *facts)
{
	struct elf_file elf;
	*facts = (struct elf_facts){0};
	if (!elf_file_open(path, &elf))
		return;
	facts->is_elf = elf.is_elf;
	if (elf.is_elf)
		look_at_needs(&elf, deep, facts);
	if (elf.is_elf && deep)
		look_at_comment(&elf, facts);
	if (facts->is_ours)
		facts->this_version = has_version(&elf);
	elf_file_close(&elf);
}
