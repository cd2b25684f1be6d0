/* Where the command lets the library write traces: their names, and whether there is room (command.h). */
#include "command.h"
#include "trace/format.h"
#include "trace/path.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A sign in the names of traces is doubled. */
char *
trace_name_of(const char *path)
{
	char *name = malloc(2 * strlen(path) + 1), *to = name;
	for (; name && *path; path++) {
		if (*path == '%')
			*to++ = '%';
		*to++ = *path;
	}
	if (name)
		*to = '\0';
	return name;
}

/* The library writes a trace by blocks of this size. A limit of the size of files must not end the command. */
const char *
trace_no_room(const char *folder)
{
	static const char block[FG_TRACE_ALIGN];
	char path[FG_TRACE_PATH];
	size_t written = 0;
	ssize_t n = 1;
	int error = 0;
	if (snprintf(path, sizeof path, "%s/.forestgomp-XXXXXX", folder) >= (int)sizeof path)
		return strerror(ENAMETOOLONG);
	int file = mkstemp(path);
	if (file < 0)
		return strerror(errno);
	unlink(path);
	void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
	while (written < sizeof block && n > 0) {
		n = write(file, block + written, sizeof block - written);
		written += n > 0 ? (size_t)n : 0;
	}
	if (written < sizeof block)
		error = n < 0 ? errno : ENOSPC;
	if (close(file) != 0 && !error)
		error = errno;
	signal(SIGXFSZ, before);
	return error ? strerror(error) : NULL;
}

const char *
file_no_room(const char *path)
{
	struct stat found;
	if (stat(path, &found) == 0 && S_ISDIR(found.st_mode))
		return strerror(EISDIR);
	if (access(path, F_OK) == 0)
		return access(path, W_OK) == 0 ? NULL : strerror(errno);
	char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
	if (slash)
		slash[slash == folder] = '\0';
	const char *why = trace_no_room(slash ? folder : ".");
	free(folder);
	return why;
}

/* An old file goes, because a run without regions writes none. */
int
trace_prepare(const char *command, const char *name)
{
	int process, file;
	const char *why;
	if (strchr(name, '%'))
		return 0;
	if ((why = fg_trace_path_refused(name)))
		return complain(command, "--trace %s: %s", name, why);
	if (fg_trace_path_is_written(name, &process))
		return complain(command, "--trace %s: process %d is writing it; give another name", name, process);
	if ((file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) < 0)
		return complain(command, "--trace %s: %s", name, strerror(errno));
	close(file);
	unlink(name);
	char *folder = strdup(name), *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	why = trace_no_room(slash ? folder : ".");
	free(folder);
	return why ? complain(command, "--trace %s: cannot write there: %s", name, why) : 0;
}
