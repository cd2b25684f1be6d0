/* What a program's file tells about OpenMP in it: does ForestGOMP serve it? */
#include "command.h"
#include "elf_file.h"
#include "platform/file.h"
#include "platform/others.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

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
look_at_needs(const struct elf_file *elf, struct program_facts *facts)
{
	struct elf_dynamic dynamic;
	char name[sizeof facts->other];
	elf_dynamic_read(elf, &dynamic);
	for (size_t at = 0; elf_dynamic_need(elf, &dynamic, &at, name, sizeof name);) {
		needs_mpi(name, facts);
		if (!fg_others_is_runtime(name))
			continue;
		if (strncmp(name, "libgomp", 7) == 0)
			facts->needs_openmp = true;
		else
			memcpy(facts->other, name, sizeof name);
	}
	elf_dynamic_free(&dynamic);
}

/* libgomp's messages are in it. */
static bool
has_runtime(const char *path)
{
	static const char mark[] = "libgomp: ";
	struct fg_file_view file;
	if (!fg_file_view_open(path, &file))
		return false;
	bool has = file.bytes && memmem(file.bytes, file.size, mark, sizeof mark - 1);
	fg_file_view_close(&file);
	return has;
}

/* The dynamic linker that a program names; NULL: none. The caller frees it. */
static char *
loader_of(const struct elf_file *elf)
{
	const Elf64_Phdr *loader = elf_file_part(elf, PT_INTERP);
	return loader ? elf_file_piece(elf, loader->p_offset, loader->p_filesz) : NULL;
}

/* musl's is called ld-musl, and runs the program instead. */
static bool
is_of_glibc(const char *loader)
{
	const char *slash = strrchr(loader, '/');
	return slash && (strncmp(slash, "/ld-linux", 9) == 0 || strncmp(slash, "/ld64.so", 8) == 0);
}

/* A program can name any file as its linker, and asking that would run it. This command has run its own already. */
static bool
is_own_loader(const char *loader)
{
	struct elf_file own;
	if (!elf_file_open("/proc/self/exe", &own))
		return false;
	char *path = loader_of(&own);
	bool same = path && same_file(path, loader);
	free(path);
	elf_file_close(&own);
	return same;
}

void
program_look(const char *path, struct program_facts *facts)
{
	struct elf_file elf;
	*facts = (struct program_facts){0};
	if (!path || !elf_file_open(path, &elf))
		return;
	facts->has_loader = elf_file_part(&elf, PT_INTERP) != NULL;
	char *loader = loader_of(&elf);
	facts->of_glibc = loader && is_of_glibc(loader);
	facts->tells_loads = facts->of_glibc && is_own_loader(loader);
	free(loader);
	if (facts->has_loader)
		look_at_needs(&elf, facts);
	else if (elf.is_elf)
		facts->is_static = has_runtime(path);
	elf_file_close(&elf);
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
		if (access(path, X_OK) == 0 && is_file(path))
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
