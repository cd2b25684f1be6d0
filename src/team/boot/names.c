/* Names of other copies of libgomp (floor: team): see names.h.
 *
 * The wheel of scikit-learn brings libgomp as scikit_learn.libs/libgomp-e985bcbb.so.1.0.0. Its modules ask for that
 * name, so the dynamic linker would load it, too. It would not serve, because this library comes first. But programs
 * would find it: threadpoolctl lists it beside this one, dlsym finds its functions in a module, and it takes up static
 * TLS. So an object of that name is made that leads here (platform/stand_in.h). Where that fails, all is as before. */
#define _GNU_SOURCE
#include "team/boot/names.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/uncancelled.h"
#include "platform/folder.h"
#include "platform/others.h"
#include "platform/path.h"
#include "platform/sandbox.h"
#include "platform/stand_in.h"

#define OWN "libgomp.so.1"
#define MOST 32

/* A plug-in of libgomp for a device is no copy of it. */
static bool
is_copy(const char *name)
{
	return strncmp(name, "libgomp", 7) == 0 && strncmp(name, "libgomp-plugin", 14) != 0 && strcmp(name, OWN) != 0 &&
	       fg_others_is_runtime(name);
}

static void
look_at_file(const char *folder, const char *name, void *arg)
{
	unsigned *taken = arg;
	if (!is_copy(name) || *taken == MOST || !fg_stand_in_make(name, OWN))
		return;
	++*taken;
	if (fg_options.verbose)
		fg_note("stands for %s/%s, which is not loaded", folder, name);
}

/* auditwheel puts what the package NAME brings into the folder NAME.libs beside it. */
static void
look_at_package(const char *folder, const char *name, void *arg)
{
	size_t length = strlen(name);
	char *path;
	if (length <= 5 || strcmp(name + length - 5, ".libs") != 0 || asprintf(&path, "%s/%s", folder, name) < 0)
		return;
	fg_folder_each(path, look_at_file, arg);
	free(path);
}

/* Takes the last name off the path. */
static void
go_up(char *path)
{
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
}

void
fg_names_take(const char *loaded)
{
	unsigned taken = 0;
	char *first = NULL, *path = dlsym(RTLD_DEFAULT, "Py_IsInitialized") ? fg_path_true_name(loaded) : NULL;
	if (!path)
		return;
	go_up(path);
	go_up(path); /* .../site-packages/forestgomp/lib/libgomp.so.1 */
	int cancel = fg_uncancelled_begin();
	if (asprintf(&first, "%s/__init__.py", path) >= 0 && fg_path_exists(first) &&
	    fg_sandbox_allows(FG_SANDBOX_STAND_INS)) {
		go_up(path);
		fg_folder_each(path, look_at_package, &taken);
	}
	fg_uncancelled_end(cancel);
	free(first);
	free(path);
}
