/* Local sockets (floor: platform): see local_socket.h. */
#define _GNU_SOURCE
#include "platform/local_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static bool
address(int folder, const char *name, struct sockaddr_un *at)
{
	*at = (struct sockaddr_un){.sun_family = AF_UNIX};
	int length = folder < 0 ? snprintf(at->sun_path, sizeof at->sun_path, "%s", name)
				: snprintf(at->sun_path, sizeof at->sun_path, "/proc/self/fd/%d/%s", folder, name);
	return length > 0 && (size_t)length < sizeof at->sun_path;
}

int
fg_local_connect(int folder, const char *name)
{
	struct sockaddr_un at;
	if (!address(folder, name, &at))
		return -1;
	int file = (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (file >= 0 && syscall(SYS_connect, file, &at, sizeof at) != 0) {
		fg_file_close(file);
		file = -1;
	}
	return file < 0 ? -1 : fg_file_raise(file);
}

bool
fg_local_peer(int socket, unsigned *user, int *process)
{
	struct ucred peer;
	socklen_t size = sizeof peer;
	if (syscall(SYS_getsockopt, socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
		return false;
	*user = peer.uid;
	*process = peer.pid;
	return true;
}

bool
fg_local_send(int socket, const void *message, size_t size)
{
	return syscall(SYS_sendto, socket, message, size, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0) == (ssize_t)size;
}

ssize_t
fg_local_receive(int socket, void *message, size_t size)
{
	ssize_t got = syscall(SYS_recvfrom, socket, message, size, MSG_DONTWAIT | MSG_TRUNC, NULL, NULL);
	if (got > 0)
		return got;
	return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

bool
fg_local_await(int socket, uint64_t ns)
{
	struct pollfd ready = {socket, POLLIN, 0};
	struct timespec limit = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	return syscall(SYS_ppoll, &ready, 1, &limit, NULL, 0) == 1;
}

bool
fg_local_is_same(int socket, const struct fg_file_id *id)
{
	struct fg_file_id now;
	uint64_t size;
	return fg_file_identify(socket, &now, &size) && now.device == id->device && now.inode == id->inode;
}
