/* Where `forestgomp serve` listens (serve.h).
 *
 * A server holds a lock of a file beside its socket while it runs. The system takes the lock from a process that
 * ends, in whatever way. So a socket without a server behind it is known as such, and a second server does not take
 * the place of the first one. */
#define _GNU_SOURCE
#include "serve.h"
#include "command.h"
#include "platform/local_socket.h"
#include "view.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define WAITING 128 /* programs that have connected, and are not heard yet */

static bool
fail(const struct serve_place *place, const char *what)
{
	complain("serve", "%s %s: %s", what, place->path, strerror(errno));
	return false;
}

/* A folder of root's that nobody else may change. */
static int
open_all(struct serve_place *place)
{
	struct stat found;
	snprintf(place->path, sizeof place->path, "%s", FG_SERVER_FOLDER);
	bool made = mkdir(FG_SERVER_FOLDER, 0755) == 0;
	int folder = open(FG_SERVER_FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0 || (made && fchmod(folder, 0755) != 0) || fstat(folder, &found) != 0) /* whatever the umask is */
		fail(place, "cannot use the folder");
	else if (found.st_uid == 0 && !(found.st_mode & (S_IWGRP | S_IWOTH)))
		return folder;
	else
		complain("serve", "the folder %s is not root's alone", FG_SERVER_FOLDER);
	if (folder >= 0)
		close(folder);
	return -1;
}

static int
open_own(struct serve_place *place)
{
	char link[64];
	int folder = fg_board_folder(view_folder(), true);
	if (folder < 0) {
		complain("serve", "no folder belongs to the user alone: neither $XDG_RUNTIME_DIR nor one in /dev/shm");
		return -1;
	}
	snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
	ssize_t length = readlink(link, place->path, sizeof place->path - 32);
	place->path[length > 0 ? length : 0] = '\0';
	return folder;
}

/* Another server holds the lock as long as it runs. */
static bool
lock(struct serve_place *place)
{
	char name[32];
	snprintf(name, sizeof name, "%s.lock", place->name);
	place->lock = openat(place->folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (place->lock < 0)
		return fail(place, "cannot make the lock of");
	if (flock(place->lock, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (errno != EWOULDBLOCK)
		return fail(place, "cannot lock");
	complain("serve", "another server runs already: %s", place->path);
	return false;
}

/* The name is within the folder that was opened, whatever its path leads to by now. */
static bool
bind_there(struct serve_place *place)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/%s", place->folder, place->name);
	place->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (place->socket < 0)
		return fail(place, "cannot make a socket for");
	if (unlinkat(place->folder, place->name, 0) != 0 && errno != ENOENT)
		return fail(place, "cannot take the place of");
	mode_t before = umask(place->all ? 0111 : 0177);
	bool bound = bind(place->socket, (struct sockaddr *)&at, sizeof at) == 0;
	umask(before);
	return (bound && listen(place->socket, WAITING) == 0) || fail(place, "cannot listen at");
}

static void
forget(struct serve_place *place)
{
	int *files[] = {&place->socket, &place->lock, &place->folder};
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
		if (*files[i] >= 0)
			close(*files[i]);
}

bool
serve_listen(const struct serve_call *call, struct serve_place *place)
{
	*place = (struct serve_place){.socket = -1, .lock = -1, .all = geteuid() == 0 && !call->own};
	place->name = place->all ? FG_SERVER_ALL : FG_SERVER_OWN;
	place->folder = place->all ? open_all(place) : open_own(place);
	if (place->folder < 0)
		return false;
	size_t length = strlen(place->path);
	snprintf(place->path + length, sizeof place->path - length, "/%s", place->name);
	if (lock(place) && bind_there(place))
		return true;
	forget(place);
	return false;
}

/* The lock stays until the process ends, so the name is this server's. Its file stays too: a program that has opened
 * it just now must not lock one without a name. */
void
serve_leave(const struct serve_place *place)
{
	unlinkat(place->folder, place->name, 0);
}

int
serve_connect(const struct serve_call *call)
{
	int folder = fg_board_folder(view_folder(), false), file = -1;
	if (folder >= 0) {
		file = fg_local_connect(folder, FG_SERVER_OWN);
		close(folder);
	}
	return file >= 0 || call->own ? file : fg_local_connect(-1, FG_SERVER_FOLDER "/" FG_SERVER_ALL);
}
