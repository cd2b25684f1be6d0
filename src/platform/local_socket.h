/* Local sockets: messages to a server on the same machine (floor: platform; called by share/served.c and the
 * command).
 *
 * Only fg_local_await waits, and no thread ends in them: they are system calls. A message is whole or not there at all.
 * Another thread of the program may close all files, and open others under the same numbers. So fg_local_is_same
 * comes before each call. What is sent in the moment between the two goes to a socket of the program, or nowhere: a
 * file gets nothing. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform/file.h"

/* A socket that is connected to the server of this name in the folder, or at this path where folder < 0. Its number
 * is above those of the standard streams, and exec closes it. -1: no server listens there. */
int fg_local_connect(int folder, const char *name);
/* The user of the process that listens, or has connected; *process: its number, as this process sees it. */
bool fg_local_peer(int socket, unsigned *user, int *process);
/* False: there is no room for it now, or the other side is gone. */
bool fg_local_send(int socket, const void *message, size_t size);
/* Returns the size of the message, which is more than `size` if it had no room. 0: there is none now; -1: the other
 * side is gone. */
ssize_t fg_local_receive(int socket, void *message, size_t size);
/* Waits for a message, at most so long. False: none has come. */
bool fg_local_await(int socket, uint64_t ns);
bool fg_local_is_same(int socket, const struct fg_file_id *id);
