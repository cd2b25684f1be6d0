/* Private files (floor: platform): see private_file.h. */
#define _GNU_SOURCE
#include "platform/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/file.h"
#include "platform/map.h"

#define OF_OTHERS (S_IRWXG | S_IRWXO)

unsigned
fg_private_user(void)
{
	return (unsigned)geteuid();
}

static int
refuse(int file, int error)
{
	fg_file_close(file);
	errno = error;
	return -1;
}

static int
open_at(int folder, const char *name, int flags)
{
	return (int)syscall(SYS_openat, folder, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0600);
}

int
fg_private_folder(const char *path, bool make)
{
	struct stat found;
	if (make && syscall(SYS_mkdirat, AT_FDCWD, path, 0700) != 0 && errno != EEXIST)
		return -1;
	int folder = open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
	if (folder < 0)
		return -1;
	if (fstat(folder, &found) != 0)
		return refuse(folder, errno);
	if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() || found.st_mode & OF_OTHERS)
		return refuse(folder, EPERM);
	return folder;
}

int
fg_private_file(int folder, const char *name, uint64_t size)
{
	struct stat found;
	int file = open_at(folder, name, O_RDWR);
	if (file < 0)
		return -1;
	if (fstat(file, &found) != 0)
		return refuse(file, errno);
	if (!S_ISREG(found.st_mode) || found.st_uid != geteuid() || found.st_mode & OF_OTHERS || found.st_nlink != 1)
		return refuse(file, EPERM);
	return (uint64_t)found.st_size == size ? file : refuse(file, EFBIG);
}

/* A file of the program that came under this number meanwhile has a name, or bytes. */
int
fg_private_new(int folder, uint64_t size)
{
	struct stat found;
	int file = open_at(folder, ".", O_RDWR | O_TMPFILE);
	if (file < 0)
		return -1;
	if (fstat(file, &found) != 0 || found.st_nlink != 0 || found.st_size != 0)
		return refuse(file, EBADF);
	if (!fg_map_file_may_reach(size)) /* a limit on the size of files: SIGXFSZ would end the program */
		return refuse(file, EFBIG);
	return fg_file_reserve(file, 0, size) ? file : refuse(file, errno);
}

bool
fg_private_name(int folder, int file, const char *name)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	return syscall(SYS_linkat, AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) == 0;
}

void
fg_private_remove(int folder, const char *name)
{
	syscall(SYS_unlinkat, folder, name, 0);
}

bool
fg_private_is(int file, const struct fg_file_id *id, uint64_t size)
{
	struct fg_file_id now;
	uint64_t found;
	return fg_file_identify(file, &now, &found) && now.device == id->device && now.inode == id->inode &&
	       found == size;
}

int
fg_private_nice(void)
{
	int saved = errno, nice;
	errno = 0;
	nice = getpriority(PRIO_PROCESS, 0);
	if (errno)
		nice = 0;
	errno = saved;
	return nice;
}
