/* Pipe: one that another program has made (floor: platform; called by share/jobserver.c). A signal handler may call
 * these, and no thread ends in one by pthread_cancel. */
#pragma once
#include <stdbool.h>

#include "platform/file.h"

/* The file is a pipe or a fifo. *reads, *writes: how this process may use it; *id: equal for both ends of a pipe. */
bool fg_pipe_is(int file, bool *reads, bool *writes, struct fg_file_id *id);
/* Opens a pipe by a name, to read and to write, so that neither waits. The number is above those of the standard
 * streams, and exec closes it. Others that have the pipe open notice nothing. -1, with errno set: it cannot be opened,
 * or is no pipe. */
int fg_pipe_open(const char *path, struct fg_file_id *id);
/* Reads or writes one byte. False: there is none now, or no room; or the file is another one by now.
 * Both keep errno. */
bool fg_pipe_get(int file, const struct fg_file_id *id, char *byte);
bool fg_pipe_put(int file, const struct fg_file_id *id, char byte);
