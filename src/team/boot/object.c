/* Objects beside the library (floor: team): see object.h. */
#define _GNU_SOURCE
#include "team/boot/object.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/uncancelled.h"
#include "platform/path.h"

/* Returns the path of the object, which lies beside the library's file: links to the library may lie anywhere. NULL:
 * there is no memory. */
static char *
path_make(const char *file)
{
	Dl_info info;
	char *path = NULL;
	const char *loaded = dladdr(&fg_log_ends, &info) && info.dli_fname ? info.dli_fname : "";
	char *real = fg_path_true_name(loaded);
	const char *library = real ? real : loaded, *slash = strrchr(library, '/');
	if (asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - library) : 0, library, file) < 0)
		path = NULL;
	free(real);
	return path;
}

const void *
fg_object_open(const char *file, const char *name, uint64_t layout, const char *no_effect, const char *goes_on)
{
	int cancel = fg_uncancelled_begin();
	char *path = path_make(file);
	const char *told = path ? path : file;
	void *opened = dlopen(told, RTLD_NOW | RTLD_LOCAL);
	const struct fg_object_head *found = opened ? dlsym(opened, name) : NULL;
	bool is_ours = found && found->layout == layout && strcmp(found->version, FG_VERSION) == 0;
	if (!goes_on || is_ours)
		;
	else if (!opened)
		fg_error("%s%s; %s", no_effect, dlerror(), goes_on);
	else if (!found)
		fg_error("%s%s does not define %s; %s", no_effect, told, name, goes_on);
	else
		fg_error("%s%s is of another build than the library; %s", no_effect, told, goes_on);
	free(path);
	fg_uncancelled_end(cancel);
	return is_ours ? found : NULL;
}
