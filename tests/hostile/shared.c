// With FGOMP_SHARE=on the file that programs share is bad, cannot be made, is removed, or has any bytes, or another
// program limits this one all the time: the program runs as without it. Where it shares nothing it says so with
// FGOMP_VERBOSE.
// finding: 28
// mode: joins
// mode: sandbox KILL:linkat
// mode: sandbox KILL:mkdirat,fallocate,getpriority
// mode: sandbox KILL:kill
// mode: sandbox EPERM:linkat
// mode: sandbox KILL:linkat noproc
// mode: size
// mode: kind
// mode: link
// mode: pipe
// mode: open
// mode: owner
// mode: full
// mode: removed
// mode: bytes
// mode: limits
// mode: closed
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "crowd.h"

#define SIZE 98304

extern const char *fgomp_version(void);
#pragma weak fgomp_version

static char folder[] = "/tmp/fg-shared-XXXXXX", path[64], said[64];

static int
is(const char *mode, const char *word)
{
	return !strcmp(mode, word);
}

static void
put(size_t size)
{
	int file = open(path, O_RDWR | O_CREAT, 0600);

	CHECK(file >= 0 && ftruncate(file, (off_t)size) == 0);
	close(file);
}

/* Other folders do not serve in place of the bad one. */
static void
mount_small(const char *where, const char *size)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("fg", where, "tmpfs", 0, size))
		skip("no file system of its own: %s", strerror(errno));
	chmod(where, 0700);
}

static void
prepare(const char *mode)
{
	if (is(mode, "size"))
		put(SIZE - 1);
	if (is(mode, "kind"))
		put(SIZE);
	if (is(mode, "link"))
		CHECK(symlink("/etc/passwd", path) == 0);
	if (is(mode, "pipe"))
		CHECK(mkfifo(path, 0600) == 0);
	if (is(mode, "open")) {
		put(SIZE);
		CHECK(chmod(path, 0666) == 0);
	}
	if (is(mode, "full"))
		mount_small(folder, "size=16k");
	if (is(mode, "owner")) {
		mount_small("/dev/shm", "size=0,nr_inodes=1"); /* there is no room for a folder */
		if (chown(folder, 1, 1))
			skip("no folder of another user: %s", strerror(errno));
	}
}

/* Writes any bytes into the file while the program runs. */
static pid_t
scribbler(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	int file;

	while ((file = open(path, O_RDWR)) < 0)
		usleep(100);
	uint64_t *words = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	struct timespec now;

	for (unsigned i = 0, seed = 1;; i++) {
		unsigned at = 4 + (unsigned)rand_r(&seed) % (SIZE / 8 - 4); /* the header stays, and so joins go on */

		clock_gettime(CLOCK_MONOTONIC, &now);
		words[at] = i % 4	? (uint64_t)rand_r(&seed) << 32 | (unsigned)rand_r(&seed)
			    : i % 8	? UINT64_MAX
					: 0;
		/* A young stamp in each entry, and an owner. */
		words[192 + 48 * (at % 252)] = at + 1;
		words[193 + 48 * (at % 252)] = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
		usleep(10);
	}
}

/* Limits each program to any number of PUs, all the time, as `forestgomp limit` does it. */
static pid_t
limiter(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	int file;

	while ((file = open(path, O_RDWR)) < 0)
		usleep(100);
	uint64_t *words = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	for (unsigned seed = 1;;) {
		unsigned most = rand_r(&seed) % 2 ? 4 : 65536;

		for (unsigned entry = 192; entry < SIZE / 8; entry += 48)
			if (words[entry])
				words[entry + 6] = words[entry] << 16 | (unsigned)rand_r(&seed) % most;
		__atomic_fetch_add((uint32_t *)&words[4], 1, __ATOMIC_RELEASE);
		usleep(rand_r(&seed) % 3000);
	}
}

static void
run(const char *mode)
{
	pid_t other = is(mode, "bytes") ? scribbler() : is(mode, "limits") ? limiter() : 0;

	crowd_regions("spin", 4, 3);
	if (is(mode, "removed"))
		CHECK(unlink(path) == 0);
	for (int file = 3; is(mode, "closed") && file < 200; file++)
		close(file);
	for (int i = 0; i < 10; i++)
		crowd_regions(i % 2 ? "spin" : "cond", 4, 3);
	if (other)
		kill(other, SIGKILL);
}

static int
line_is_there(void)
{
	static char text[65536];
	int file = open(said, O_RDONLY);
	ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : 0;

	close(file);
	return got > 0 && strstr(text, "shares its PUs with no other: ") != NULL;
}

static int
clean(const char *mode, int status)
{
	int shares = is(mode, "joins") || is(mode, "removed") || is(mode, "bytes") || is(mode, "limits") ||
		     is(mode, "closed");

	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: %x", mode, status);
	if (fgomp_version)
		CHECK(line_is_there() == !shares, "%s: there is %s", mode, shares ? "a line" : "no line");
	unlink(path);
	unlink(said);
	if (is(mode, "full"))
		umount(folder);
	CHECK(rmdir(folder) == 0);
	return check_end();
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "joins";

	if (argc > 2) {
		strcpy(path, argv[2]);
		run(mode);
		return check_end();
	}
	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/forestgomp-2", folder);
	snprintf(said, sizeof said, "%s.said", folder);
	prepare(mode);
	setenv("XDG_RUNTIME_DIR", folder, 1);
	setenv("FGOMP_SHARE", "on", 1);
	setenv("FGOMP_VERBOSE", "true", 1);
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		int file = open(said, O_RDWR | O_CREAT, 0600);

		dup2(file, STDERR_FILENO);
		execl(argv[0], argv[0], mode, path, (char *)NULL);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	return clean(mode, status);
}
