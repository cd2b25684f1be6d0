// With FGOMP_SHARE=server no server is there, or it is stopped, hangs, or says wrong things, or the program closes
// its files, forks or puts itself into a sandbox: the program runs as by the board. Nothing of the runtime reaches a
// file of the program, and no more than one socket is kept.
// finding: 28
// mode: none
// mode: sandbox KILL:socket
// mode: sandbox EPERM:connect
// mode: sandbox KILL:sendto
// mode: sandbox KILL:recvfrom noproc
// mode: file
// mode: pipe
// mode: owner
// mode: stopped
// mode: mute
// mode: closes
// mode: bytes
// mode: short
// mode: long
// mode: none_at_all
// mode: many
// mode: old
// mode: floods
// mode: dies
// mode: honest
// mode: closed
// mode: forks
// mode: filter
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "crowd.h"
#include "sandbox.h"

#define SECONDS 0.4
#define SIZE 192 /* of a message (src/share/message.h) */

extern const char *fgomp_version(void);
#pragma weak fgomp_version

struct message {
	uint32_t magic;
	uint16_t version, kind;
	uint32_t sequence, region;
	uint16_t optimal, most, pus, rows;
	uint8_t rest[SIZE - 24];
};

static char folder[] = "/tmp/fg-served-XXXXXX", path[64], came[64];
/* In memory that all processes here share. */
static volatile struct seen {
	int connections, requests;
} *seen;

static int
is(const char *mode, const char *word)
{
	return !strcmp(mode, word);
}

/* What the server of this mode answers. False: it closes the connection. */
static int
answer(const char *mode, int client, const struct message *request)
{
	static unsigned seed = 1;
	char many[4096] = "";
	struct message reply = {request->magic, request->version, 4, request->sequence, 0, 0, 0, 1, 0, {0}};

	if (is(mode, "mute"))
		return 1;
	if (is(mode, "closes"))
		return 0;
	if (is(mode, "dies"))
		_exit(0);
	if (is(mode, "none_at_all"))
		reply.pus = 0;
	if (is(mode, "many"))
		reply.pus = 65535;
	if (is(mode, "old"))
		reply.version = 0;
	if (is(mode, "bytes"))
		for (unsigned i = 0; i < sizeof reply; i++)
			((uint8_t *)&reply)[i] = (uint8_t)rand_r(&seed);
	if (is(mode, "long"))
		return send(client, many, sizeof many, MSG_NOSIGNAL) > 0;
	for (int i = 0; is(mode, "floods") && i < 5000; i++) {
		reply.pus = (uint16_t)(1 + i % 8);
		if (send(client, &reply, sizeof reply, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			return errno == EAGAIN;
	}
	return send(client, &reply, is(mode, "short") ? 8 : sizeof reply, MSG_NOSIGNAL) > 0;
}

/* Listens in the place of a server. */
static pid_t
serve(const char *mode)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0), there[2];
	char byte;

	strcpy(at.sun_path, path);
	CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 8) == 0 && pipe(there) == 0);
	pid_t pid = fork();

	if (pid) {
		close(listener);
		close(there[1]);
		CHECK(read(there[0], &byte, 1) == 1);
		close(there[0]);
		return pid;
	}
	if (is(mode, "owner") && (setgid(65534) || setuid(65534) || listen(listener, 8)))
		_exit(77);
	CHECK(write(there[1], "x", 1) == 1);
	if (is(mode, "stopped"))
		raise(SIGSTOP);
	for (;;) {
		struct message request;
		int client = accept(listener, NULL, NULL);

		seen->connections++;
		if (is(mode, "owner"))
			close(open(came, O_CREAT | O_RDWR, 0600));
		while (recv(client, &request, sizeof request, 0) > 0) {
			seen->requests++;
			close(open(came, O_CREAT | O_RDWR, 0600));
			if (!answer(mode, client, &request))
				break;
		}
		close(client);
	}
}

static int
sockets(void)
{
	int n = 0;
	char text[64];
	DIR *all = opendir("/proc/self/fd");

	for (struct dirent *each; all && (each = readdir(all)) != NULL;) {
		ssize_t length = readlinkat(dirfd(all), each->d_name, text, sizeof text);

		n += length > 7 && !strncmp(text, "socket:", 7);
	}
	if (all)
		closedir(all);
	return n;
}

/* For so long, and until the server has seen the program. */
static void
work(double seconds)
{
	double end = check_now() + seconds;

	do
		crowd_regions("spin", 4, 3);
	while (check_now() < end || (*came && access(came, F_OK) != 0));
}

/* Its files are in the place of those that were closed. Nothing comes there. */
static void
close_and_open(void)
{
	int pairs[20][2];
	char text[SIZE];

	for (int file = 3; file < 200; file++)
		close(file);
	for (int i = 0; i < 20; i++)
		CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pairs[i]) == 0);
	work(SECONDS);
	for (int i = 0; i < 20; i++)
		for (int k = 0; k < 2; k++)
			CHECK(recv(pairs[i][k], text, sizeof text, MSG_DONTWAIT) < 0 && errno == EAGAIN);
}

static void
run(const char *mode)
{
	int before = sockets();

	work(0.1);
	if (is(mode, "closed"))
		close_and_open();
	else if (is(mode, "forks")) {
		pid_t pid = fork();
		int status;

		work(SECONDS);
		if (pid == 0)
			_exit(check_end());
		waitpid(pid, &status, 0);
		CHECK(status == 0);
	} else if (is(mode, "filter")) {
		sandbox("KILL:socket,connect,sendto,recvfrom,getsockopt", SECCOMP_FILTER_FLAG_TSYNC);
		work(SECONDS);
	} else
		work(SECONDS);
	if (!is(mode, "closed"))
		CHECK(sockets() <= before + 1, "%d sockets, %d before", sockets(), before);
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "none";
	pid_t server = 0;
	int status = -1, bad = is(mode, "none") || is(mode, "sandbox") || is(mode, "file") || is(mode, "pipe");

	if (argc > 2) {
		if (fgomp_version && argv[2][0])
			snprintf(came, sizeof came, "%s", argv[2]);
		run(mode);
		return check_end();
	}
	if (is(mode, "forks") && !fgomp_version)
		skip("libgomp has no regions in the child of a fork");
	if (is(mode, "owner") && geteuid() != 0)
		skip("no server of another user: that needs root");
	seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/forestgomp-server", folder);
	snprintf(came, sizeof came, "%s.came", folder);
	if (is(mode, "file"))
		close(open(path, O_CREAT | O_RDWR, 0600));
	if (is(mode, "pipe"))
		CHECK(mkfifo(path, 0600) == 0);
	if (!bad)
		server = serve(mode);
	setenv("XDG_RUNTIME_DIR", folder, 1);
	setenv("FGOMP_SHARE", "server", 1);
	pid_t pid = fork();

	if (pid == 0) {
		execl(argv[0], argv[0], mode, server && !is(mode, "stopped") ? came : "", (char *)NULL);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: %x", mode, status);
	if (server && fgomp_version && !is(mode, "stopped")) {
		CHECK(seen->connections > 0, "%s: the program has not come", mode);
		CHECK((seen->requests == 0) == is(mode, "owner"), "%s: %d messages", mode, seen->requests);
		if (is(mode, "honest"))
			CHECK(seen->connections == 1, "%d connections", seen->connections);
	}
	if (server) {
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
	}
	unlink(came);
	unlink(path);
	snprintf(path, sizeof path, "%s/forestgomp-2", folder);
	unlink(path);
	CHECK(rmdir(folder) == 0);
	return check_end();
}
