/* Paths (floor: platform): see path.h. */
#include "platform/path.h"

#include <stdlib.h>
#include <unistd.h>

bool
fg_path_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool
fg_path_may_write(const char *path)
{
	return access(path, W_OK) == 0;
}

void
fg_path_remove(const char *path)
{
	unlink(path);
}

int
fg_path_link(const char *target, const char *name)
{
	return symlink(target, name);
}

bool
fg_path_leads_to(const char *name, char *target, size_t size)
{
	ssize_t length = readlink(name, target, size - 1);
	if (length <= 0)
		return false;
	target[length] = '\0';
	return true;
}

char *
fg_path_true_name(const char *name)
{
	return realpath(name, NULL);
}
