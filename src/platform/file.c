/* Files by their names (floor: platform): see file.h. */
#define _GNU_SOURCE
#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK 4096

/* Headers of older systems lack them. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2u
#endif

int
fg_file_open(const char *path, int flags)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
}

void
fg_file_close(int file)
{
	syscall(SYS_close, file);
}

ssize_t
fg_file_read(int file, void *to, size_t size)
{
	return syscall(SYS_read, file, to, size);
}

ssize_t
fg_file_read_at(int file, void *to, size_t size, uint64_t offset)
{
	return syscall(SYS_pread64, file, to, size, offset);
}

ssize_t
fg_file_write_at(int file, const void *from, size_t size, uint64_t offset)
{
	return syscall(SYS_pwrite64, file, from, size, offset);
}

/* Writes a byte to each block of the disk, where the file system has no call for it. Nothing else is there yet. */
static bool
reserve_by_writing(int file, uint64_t offset, size_t size)
{
	for (size_t at = BLOCK - 1; at < size; at += BLOCK)
		if (fg_file_write_at(file, "", 1, offset + at) != 1)
			return false;
	return true;
}

bool
fg_file_reserve(int file, uint64_t offset, size_t size)
{
	if (syscall(SYS_fallocate, file, 0, offset, size) == 0)
		return true;
	return errno == EOPNOTSUPP && reserve_by_writing(file, offset, size);
}

bool
fg_file_part(void)
{
	return syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE) == 0;
}

bool
fg_file_identify(int file, struct fg_file_id *id, uint64_t *size)
{
	struct stat found;
	if (fstat(file, &found) != 0)
		return false;
	*id = (struct fg_file_id){found.st_dev, found.st_ino};
	*size = (uint64_t)found.st_size;
	return true;
}

bool
fg_file_is(int file, const struct fg_file_id *id)
{
	struct fg_file_id now;
	uint64_t size;
	return fg_file_identify(file, &now, &size) && now.device == id->device && now.inode == id->inode;
}

/* Files of the program are rarely ordinary ones on the file system of this path. An emulator of single programs gives a
 * file of its own for one of /proc, without a name. */
static bool
is_of(const char *path, const struct stat *here)
{
	struct stat there;
	return S_ISREG(here->st_mode) &&
	       (here->st_nlink == 0 || stat(path, &there) != 0 || there.st_dev == here->st_dev);
}

bool
fg_file_reading_begin(struct fg_file_reading *reading, const char *path)
{
	struct stat here;
	*reading = (struct fg_file_reading){.file = fg_file_open(path, O_RDONLY)};
	if (reading->file < 0 || fstat(reading->file, &here) != 0 || !is_of(path, &here))
		return false;
	reading->id = (struct fg_file_id){here.st_dev, here.st_ino};
	return true;
}

ssize_t
fg_file_reading_next(struct fg_file_reading *reading, void *to, size_t size)
{
	ssize_t got =
		fg_file_is(reading->file, &reading->id) ? fg_file_read_at(reading->file, to, size, reading->at) : -1;
	reading->at += got > 0 ? (uint64_t)got : 0;
	return got;
}

void
fg_file_reading_end(const struct fg_file_reading *reading)
{
	if (fg_file_is(reading->file, &reading->id))
		fg_file_close(reading->file);
}

size_t
fg_file_text(const char *path, char *text, size_t size)
{
	int saved = errno;
	struct fg_file_reading reading;
	size_t used = 0;
	if (fg_file_reading_begin(&reading, path)) {
		for (ssize_t got;
		     used < size - 1 && (got = fg_file_reading_next(&reading, text + used, size - 1 - used)) > 0;)
			used += (size_t)got;
		fg_file_reading_end(&reading);
	}
	text[used] = '\0';
	errno = saved;
	return used;
}

/* Another thread of the program may close the file meanwhile. (Between a look and the call there is a moment.) */
static bool
write_whole(int file, const void *bytes, size_t size)
{
	struct fg_file_id id;
	uint64_t now;
	if (!fg_file_identify(file, &id, &now) || now != 0)
		return false;
	bool right = fg_file_write_at(file, bytes, size, 0) == (ssize_t)size;
	if (fg_file_is(file, &id))
		fg_file_close(file);
	return right;
}

bool
fg_file_replace(const char *path, const char *fresh, const void *bytes, size_t size)
{
	int file = fg_file_open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
	if (file < 0)
		return false;
	errno = 0;
	if (write_whole(file, bytes, size) && syscall(SYS_renameat2, AT_FDCWD, fresh, AT_FDCWD, path, 0) == 0)
		return true;
	int error = errno ? errno : ENOSPC;
	syscall(SYS_unlinkat, AT_FDCWD, fresh, 0);
	errno = error;
	return false;
}

const char *
fg_file_unreadable(const char *path)
{
	struct stat found;
	if (stat(path, &found) == 0 && S_ISDIR(found.st_mode))
		return strerror(EISDIR);
	return access(path, R_OK) == 0 ? NULL : strerror(errno);
}

bool
fg_file_is_special(const char *path)
{
	struct stat found;
	return lstat(path, &found) == 0 && !S_ISREG(found.st_mode);
}

/* The file is read, not mapped: somebody may truncate it meanwhile. */
static void
view_read(int file, struct fg_file_view *view)
{
	size_t size = view->size;
	ssize_t got;
	view->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	view->room = size;
	view->size = 0;
	if (view->bytes == MAP_FAILED)
		view->bytes = NULL;
	while (view->bytes && view->size < size &&
	       (got = fg_file_read(file, (char *)view->bytes + view->size, size - view->size)) > 0)
		view->size += (size_t)got;
}

bool
fg_file_view_open(const char *path, struct fg_file_view *view)
{
	struct stat status;
	int file = fg_file_open(path, O_RDONLY | O_NONBLOCK); /* a FIFO has no writer, perhaps for ever */
	if (file < 0)
		return false;
	if (fstat(file, &status) != 0) {
		int error = errno;
		fg_file_close(file);
		errno = error;
		return false;
	}
	bool ordinary = S_ISREG(status.st_mode);
	*view = (struct fg_file_view){.size = ordinary ? (size_t)status.st_size : 0, .ordinary = ordinary};
	if (view->size)
		view_read(file, view);
	fg_file_close(file);
	return true;
}

void
fg_file_view_close(struct fg_file_view *view)
{
	if (view->bytes)
		munmap(view->bytes, view->room);
}

int
fg_file_raise(int file)
{
	int high = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	fg_file_close(file);
	return high;
}
