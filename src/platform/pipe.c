/* Pipe (floor: platform): see pipe.h. Whether a read waits belongs to the open file, which others share. So the pipe is
 * opened anew. */
#define _GNU_SOURCE
#include "platform/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool
fg_pipe_is(int file, bool *reads, bool *writes, struct fg_file_id *id)
{
	struct stat found;
	int flags = fcntl(file, F_GETFL);
	if (flags < 0 || fstat(file, &found) != 0 || !S_ISFIFO(found.st_mode))
		return false;
	*reads = (flags & O_ACCMODE) != O_WRONLY;
	*writes = (flags & O_ACCMODE) != O_RDONLY;
	*id = (struct fg_file_id){found.st_dev, found.st_ino};
	return true;
}

int
fg_pipe_open(const char *path, struct fg_file_id *id)
{
	bool reads, writes;
	int file = fg_file_open(path, O_RDWR | O_NONBLOCK);
	if (file >= 0 && file <= STDERR_FILENO)
		file = fg_file_raise(file);
	if (file < 0 || fg_pipe_is(file, &reads, &writes, id))
		return file;
	fg_file_close(file);
	errno = ENOTSUP;
	return -1;
}

/* A program may have closed the number, and have a file of its own under it. */
bool
fg_pipe_get(int file, const struct fg_file_id *id, char *byte)
{
	int saved = errno;
	bool got = fg_file_is(file, id) && fg_file_read(file, byte, 1) == 1;
	errno = saved;
	return got;
}

bool
fg_pipe_put(int file, const struct fg_file_id *id, char byte)
{
	int saved = errno;
	bool put = fg_file_is(file, id) && syscall(SYS_write, file, &byte, 1) == 1;
	errno = saved;
	return put;
}
