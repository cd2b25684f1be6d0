/* Files by their names (floor: platform): see file.h. */
#define _GNU_SOURCE
#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool
fg_file_is_special(const char *path)
{
	struct stat found;
	return lstat(path, &found) == 0 && !S_ISREG(found.st_mode);
}

bool
fg_file_view_open(const char *path, struct fg_file_view *view)
{
	struct stat status;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	if (fstat(file, &status) != 0) {
		int error = errno;
		close(file);
		errno = error;
		return false;
	}
	bool ordinary = S_ISREG(status.st_mode);
	size_t size = ordinary ? (size_t)status.st_size : 0;
	void *bytes = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
	close(file);
	*view = (struct fg_file_view){bytes == MAP_FAILED ? NULL : bytes, size, ordinary};
	return true;
}

void
fg_file_view_close(struct fg_file_view *view)
{
	if (view->bytes)
		munmap(view->bytes, view->size);
}
