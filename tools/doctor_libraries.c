/* `forestgomp doctor`: OpenMP libraries of a program, a process or a Python's packages (doctor.h). None is loaded. */
#include "command.h"
#include "doctor.h"
#include "elf_file.h"
#include "elf_look.h"
#include "platform/others.h"
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARIES "libraries"
#define PUT_BEFORE "`forestgomp run` puts ForestGOMP in its place"
#define NOT_SERVED "use a build of gcc's; regions of clang's and Intel's compilers do not run on ForestGOMP yet"

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool
is_libgomp(const char *path)
{
	return strncmp(base_of(path), "libgomp", 7) == 0;
}

/* ---- Packages of a Python ---- */

/* A package that brings a runtime, or needs one. */
struct user {
	char package[64], runtime[128];
	char path[512], compiler[64]; /* of the runtime that it brings; "": it brings none */
	unsigned modules;	      /* that need the runtime */
};
static struct user *users;
static unsigned n_users;

/* The package is the first folder of the path; the folder scikit_learn.libs is of scikit_learn. */
static void
package_of(const char *path, char *package, size_t size)
{
	size_t length = strcspn(path, "/");
	if (!path[length]) /* a module that lies in no folder */
		length = strcspn(path, ".");
	if (length > 5 && strncmp(path + length - 5, ".libs", 5) == 0)
		length -= 5;
	snprintf(package, size, "%.*s", (int)length, path);
}

static struct user *
user_of(const char *path, const char *runtime)
{
	char package[64];
	package_of(path, package, sizeof package);
	for (unsigned i = 0; i < n_users; i++)
		if (strcmp(users[i].package, package) == 0 && strcmp(users[i].runtime, runtime) == 0)
			return &users[i];
	users = realloc(users, (n_users + 1) * sizeof *users);
	if (!users)
		abort();
	struct user *user = &users[n_users++];
	*user = (struct user){0};
	snprintf(user->package, sizeof user->package, "%s", package);
	snprintf(user->runtime, sizeof user->runtime, "%s", runtime);
	return user;
}

/* The modules of sklearn look for libraries in "$ORIGIN/../scikit_learn.libs": "scikit_learn/". NULL: in no such
 * folder. */
static const char *
bringer_in(char *search)
{
	char *libs = strstr(search, ".libs");
	if (!libs)
		return NULL;
	libs[0] = '/';
	libs[1] = '\0';
	while (libs > search && libs[-1] != '/')
		libs--;
	return libs;
}

static void
look_at_file(const char *folder, const char *path)
{
	struct elf_facts facts;
	const char *inside = path + strlen(folder) + 1;
	bool runtime = fg_others_is_runtime(path);
	elf_look(path, runtime, &facts);
	if (!facts.is_elf || facts.is_ours)
		return;
	if (runtime) {
		struct user *user = user_of(inside, base_of(path));
		snprintf(user->path, sizeof user->path, "%s", inside);
		snprintf(user->compiler, sizeof user->compiler, "%s", facts.compiler);
	} else if (facts.needs[0]) {
		const char *libs = bringer_in(facts.search);
		user_of(libs ? libs : inside, facts.needs)->modules++;
	}
}

static void
look_at_folder(char *folder)
{
	char *const folders[] = {folder, NULL};
	FTS *tree = fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	for (FTSENT *entry; tree && (entry = fts_read(tree));) {
		if (entry->fts_info == FTS_D && strcmp(entry->fts_name, "__pycache__") == 0)
			fts_set(tree, entry, FTS_SKIP);
		const char *so = strstr(entry->fts_name, ".so");
		if (so && (!so[3] || so[3] == '.') && entry->fts_info != FTS_D && entry->fts_info != FTS_DP)
			look_at_file(folder, entry->fts_path);
	}
	if (tree)
		fts_close(tree);
}

static void
find_user(const struct user *user)
{
	bool served = is_libgomp(user->runtime);
	char uses[64] = "";
	if (user->modules)
		snprintf(uses, sizeof uses, ", for %u librar%s", user->modules, user->modules == 1 ? "y" : "ies");
	if (user->path[0])
		doctor_find(LIBRARIES, served ? "brings" : "brings_other", !served, served ? PUT_BEFORE : NOT_SERVED,
			    "%s brings %.*s%s%s as %s%s", user->package, (int)strcspn(user->runtime, "-."),
			    user->runtime, user->compiler[0] ? " of " : "", user->compiler, user->path, uses);
	else
		doctor_find(LIBRARIES, served ? "uses" : "uses_other", !served,
			    served ? "`forestgomp run` gives it ForestGOMP's" : NOT_SERVED, "%s uses the system's %s%s",
			    user->package, user->runtime, uses);
}

/* Another package of the same folder may bring the runtime: it is not the system's then. */
static bool
is_brought(const struct user *user)
{
	for (unsigned i = 0; i < n_users; i++)
		if (&users[i] != user && users[i].path[0] && strcmp(users[i].runtime, user->runtime) == 0)
			return true;
	return false;
}

static void
look_at_packages(const char *python)
{
	char *folders = python_folders(python), *save = NULL;
	if (!folders)
		doctor_find(LIBRARIES, "no_python", false, "", "%s does not tell where its packages lie", python);
	for (char *each = folders ? strtok_r(folders, "\n", &save) : NULL; each; each = strtok_r(NULL, "\n", &save))
		look_at_folder(each);
	for (unsigned i = 0; i < n_users; i++)
		if (users[i].path[0] || !is_brought(&users[i]))
			find_user(&users[i]);
	free(folders);
}

/* ---- A program ---- */

static void
find_loaded(const char *file, void *arg)
{
	struct elf_facts facts;
	const struct patient *patient = arg;
	if (!fg_others_is_runtime(file) || (patient->runtime && strcmp(file, patient->runtime) == 0))
		return;
	elf_look(file, true, &facts);
	if (facts.is_ours)
		return;
	if (is_libgomp(file))
		doctor_find(LIBRARIES, "loads", false, PUT_BEFORE, "%s loads %s%s%s", patient->program, file,
			    facts.compiler[0] ? " of " : "", facts.compiler);
	else
		doctor_find(LIBRARIES, "loads_other", true, NOT_SERVED, "%s loads %s", patient->program, file);
}

static bool
is_library(const char *path)
{
	struct elf_file elf;
	if (!elf_file_open(path, &elf))
		return false;
	bool is = elf.is_elf && !elf_file_part(&elf, PT_INTERP) && elf_file_part(&elf, PT_DYNAMIC);
	elf_file_close(&elf);
	return is;
}

static void
look_at_program(const struct patient *patient)
{
	struct program_facts facts;
	char *path = program_path(patient->program);
	const char *rights = path ? program_rights(path) : NULL;
	program_look(path, &facts);
	/* A library need not be executable. */
	if (path && access(path, X_OK) != 0 && !run_is_script(patient->program) && !is_library(path))
		doctor_find(LIBRARIES, "not_executable", true, "a program needs `chmod +x`", "%s cannot be run: %s",
			    patient->program, strerror(errno));
	if (rights)
		doctor_find(LIBRARIES, "set_uid", true, "run a copy without such rights, or give the caller's instead",
			    "%s has rights of its own (%s), so the system ignores LD_PRELOAD and LD_LIBRARY_PATH",
			    patient->program, rights);
	if (facts.is_static)
		doctor_find(LIBRARIES, "static", true, "link it without -static",
			    "%s is static and has an OpenMP runtime in it", patient->program);
	else if (facts.has_loader && !facts.of_glibc)
		doctor_find(LIBRARIES, "loader", true, "build it for glibc",
			    "%s is started by another dynamic linker than glibc's", patient->program);
	else if (path)
		program_loads(path, NULL, find_loaded, (void *)patient);
	free(path);
}

/* ---- A process ---- */

#define MAX_MAPPED 64

static unsigned
mapped_runtimes(int process, char *found[MAX_MAPPED])
{
	char path[64], line[4096 + 128];
	unsigned n = 0;
	snprintf(path, sizeof path, "/proc/%d/maps", process);
	FILE *file = fopen(path, "re");
	while (file && n < MAX_MAPPED && fgets(line, sizeof line, file)) {
		char *name = strchr(line, '/');
		if (!name || !fg_others_is_runtime(name))
			continue;
		name[strcspn(name, "\n")] = '\0';
		unsigned i = 0;
		while (i < n && strcmp(found[i], name) != 0)
			i++;
		if (i == n)
			found[n++] = strdup(name);
	}
	if (file)
		fclose(file);
	return n;
}

/* LD_PRELOAD names the library, perhaps by a link. */
static bool
is_preloaded(const char *preload, const char *library)
{
	struct stat own, other;
	char *words = strdup(preload), *save = NULL;
	bool found = false;
	for (char *word = strtok_r(words, ": ", &save); word; word = strtok_r(NULL, ": ", &save))
		found |= stat(word, &other) == 0 && stat(library, &own) == 0 && own.st_dev == other.st_dev &&
			 own.st_ino == other.st_ino;
	free(words);
	return found;
}

void
doctor_process(const struct patient *patient)
{
	char *found[MAX_MAPPED];
	const char *ours = NULL, *preload = doctor_variable(patient, "LD_PRELOAD");
	unsigned n = mapped_runtimes(patient->process, found), others = 0, unknown = 0;
	for (unsigned i = 0; i < n; i++) {
		struct elf_facts facts;
		elf_look(found[i], true, &facts);
		if (!facts.is_elf) { /* "PATH (deleted)", or the path of a container */
			unknown++;
			doctor_find(LIBRARIES, "mapped_unknown", false, "",
				    "process %d has %s, which cannot be read: it was replaced, or is in a container",
				    patient->process, found[i]);
			continue;
		}
		if (facts.is_ours) {
			ours = found[i];
			if (!facts.this_version)
				doctor_find(LIBRARIES, "version", false, "use the `forestgomp` of that installation",
					    "%s is of another version than this command", ours);
			continue;
		}
		others++;
		if (is_libgomp(found[i]))
			doctor_find(LIBRARIES, "mapped", false, "", "process %d has %s%s%s", patient->process, found[i],
				    facts.compiler[0] ? " of " : "", facts.compiler);
		else
			doctor_find(LIBRARIES, "mapped_other", true, NOT_SERVED, "process %d has %s", patient->process,
				    found[i]);
	}
	if (ours && preload && is_preloaded(preload, ours))
		doctor_find(LIBRARIES, "served", false, "", "process %d is served by ForestGOMP: %s", patient->process,
			    ours);
	else if (ours)
		doctor_find(LIBRARIES, "served_in_part", others != 0,
			    "start it by `forestgomp run`, which also serves its children",
			    "process %d has ForestGOMP (%s), but not preloaded", patient->process, ours);
	else if (others || !unknown)
		doctor_find(LIBRARIES, "not_served", others != 0, others ? "start it by `forestgomp run`" : "",
			    others ? "process %d is not served by ForestGOMP" : "process %d has no OpenMP runtime yet",
			    patient->process);
	while (n)
		free(found[--n]);
}

void
doctor_libraries(const struct patient *patient)
{
	const char *preloaded;
	if (!patient->runtime)
		doctor_find(LIBRARIES, "no_library", true, "run `make`, or install ForestGOMP again",
			    "libgomp.so.1 of ForestGOMP is not where it was built or installed");
	else if (!(preloaded = run_preloadable(patient->runtime)))
		doctor_find(LIBRARIES, "blank", true, "install it into a folder whose path has no blank and no colon",
			    "'%s' cannot be preloaded: packages with a libgomp of theirs are not served",
			    patient->runtime);
	else if (preloaded != patient->runtime)
		doctor_find(LIBRARIES, "blank", false, "a folder whose path has no blank and no colon needs no link",
			    "'%s' cannot be preloaded by its name, but by a link: %s", patient->runtime, preloaded);
	if (patient->process)
		doctor_process(patient);
	else if (patient->program && !patient->python)
		look_at_program(patient);
	else if (patient->python)
		look_at_packages(patient->python);
}
