/* What a program's file tells about OpenMP in it: does ForestGOMP serve it? */
#include "command.h"
#include "platform/file.h"
#include "platform/others.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The parts of a file that was mapped. All offsets come from the file, so each is checked. */
struct parts {
	const unsigned char *bytes;
	size_t size;
	const Elf64_Phdr *headers;
	unsigned n;
};

static bool
parts_of(const struct fg_file_view *file, struct parts *parts)
{
	const Elf64_Ehdr *head = file->bytes;
	if (file->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_phentsize != sizeof(Elf64_Phdr) ||
	    head->e_phoff > file->size || head->e_phoff % 8 ||
	    (file->size - head->e_phoff) / sizeof(Elf64_Phdr) < head->e_phnum)
		return false;
	*parts = (struct parts){file->bytes, file->size,
				(const void *)((const unsigned char *)file->bytes + head->e_phoff), head->e_phnum};
	return true;
}

static const Elf64_Phdr *
part_of(const struct parts *parts, uint32_t type)
{
	for (unsigned i = 0; i < parts->n; i++)
		if (parts->headers[i].p_type == type && parts->headers[i].p_offset <= parts->size &&
		    parts->headers[i].p_filesz <= parts->size - parts->headers[i].p_offset)
			return &parts->headers[i];
	return NULL;
}

/* The text at this address of the loaded program. NULL: it lies in no part of the file. */
static const char *
text_at(const struct parts *parts, uint64_t address)
{
	for (unsigned i = 0; i < parts->n; i++) {
		const Elf64_Phdr *part = &parts->headers[i];
		if (part->p_type != PT_LOAD || address < part->p_vaddr || address - part->p_vaddr >= part->p_filesz)
			continue;
		uint64_t at = part->p_offset + (address - part->p_vaddr);
		if (at < parts->size && memchr(parts->bytes + at, '\0', parts->size - at))
			return (const char *)parts->bytes + at;
	}
	return NULL;
}

/* MPI libraries by the names that they need. Open MPI's have had libmpi.so.40 since 2017. */
static const struct {
	const char *name, *mpi;
} mpi_libraries[] = {
	{"libmpi.so.40", "openmpi"},   {"libmpi_mpifh.so.", "openmpi"}, {"libmpi_usempi", "openmpi"},
	{"libmpich.so.", "mpich"},     {"libmpichfort.so.", "mpich"},	{"libmpi.so.12", "mpich"},
	{"libmpifort.so.12", "mpich"},
};

static void
needs_mpi(const char *library, struct program_facts *facts)
{
	for (size_t i = 0; i < sizeof mpi_libraries / sizeof *mpi_libraries; i++)
		if (strncmp(library, mpi_libraries[i].name, strlen(mpi_libraries[i].name)) == 0)
			facts->mpi = mpi_libraries[i].mpi;
}

static void
needed(const struct parts *parts, const Elf64_Phdr *dynamic, struct program_facts *facts)
{
	uint64_t names = 0;
	size_t n = dynamic->p_offset % 8 ? 0 : dynamic->p_filesz / sizeof(Elf64_Dyn);
	const Elf64_Dyn *entries = (const void *)(parts->bytes + dynamic->p_offset);
	for (size_t i = 0; i < n && entries[i].d_tag != DT_NULL; i++)
		if (entries[i].d_tag == DT_STRTAB)
			names = entries[i].d_un.d_ptr;
	for (size_t i = 0; names && i < n && entries[i].d_tag != DT_NULL; i++) {
		const char *name = entries[i].d_tag == DT_NEEDED ? text_at(parts, names + entries[i].d_un.d_val) : NULL;
		if (name)
			needs_mpi(name, facts);
		if (!name || !fg_others_is_runtime(name))
			continue;
		if (strncmp(name, "libgomp", 7) == 0)
			facts->needs_openmp = true;
		else
			snprintf(facts->other, sizeof facts->other, "%s", name);
	}
}

void
program_look(const char *path, struct program_facts *facts)
{
	static const char mark[] = "libgomp: "; /* in libgomp's messages */
	struct fg_file_view file;
	struct parts parts;
	*facts = (struct program_facts){0};
	if (!path || !fg_file_view_open(path, &file))
		return;
	if (file.bytes && parts_of(&file, &parts)) {
		const Elf64_Phdr *dynamic = part_of(&parts, PT_DYNAMIC);
		facts->has_loader = part_of(&parts, PT_INTERP) != NULL;
		if (!facts->has_loader)
			facts->is_static = memmem(file.bytes, file.size, mark, sizeof mark - 1) != NULL;
		else if (dynamic)
			needed(&parts, dynamic, facts);
	}
	fg_file_view_close(&file);
}

char *
program_path(const char *name)
{
	char *path = NULL;
	if (strchr(name, '/'))
		return strdup(name);
	const char *folder = getenv("PATH");
	for (size_t length; folder && *folder; folder += length + (folder[length] == ':')) {
		length = strcspn(folder, ":");
		if (asprintf(&path, "%.*s/%s", length ? (int)length : 1, length ? folder : ".", name) < 0)
			return NULL;
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

char *
program_unserved(const char *name)
{
	struct program_facts facts;
	char *path = program_path(name), *text = NULL;
	program_look(path, &facts);
	if (facts.is_static &&
	    asprintf(&text, "'%s' is static and has an OpenMP runtime in it: its regions do not run on ForestGOMP",
		     name) < 0)
		text = NULL;
	else if (facts.other[0] && !facts.needs_openmp &&
		 asprintf(&text,
			  "'%s' brings %s with it, as a program of another compiler: its regions do not run on "
			  "ForestGOMP",
			  name, facts.other) < 0)
		text = NULL;
	free(path);
	return text;
}

/* See base/secure.h. */
const char *
program_rights(const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return NULL;
	if (status.st_mode & S_ISUID && status.st_uid != getuid())
		return "set-user-ID";
	if (status.st_mode & S_ISGID && status.st_mode & S_IXGRP && status.st_gid != getgid())
		return "set-group-ID";
	if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
		return "capabilities";
	return NULL;
}
