/* A sandbox around a program: filter RULE ... -- COMMAND ...
 *   EPERM:call,call     these system calls fail with that error (EPERM, ENOSYS, EACCES, EAGAIN, ENOMEM)
 *   KILL:call,call      they end the process with SIGSYS
 *   noproc              /proc is empty (root only, as mounts are)
 * Exit status 77 and a line that says why, if the system allows no such sandbox. */
#include "sandbox.h"

#include <sched.h>
#include <sys/mount.h>

static void
hide_proc(void)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/proc", "tmpfs", MS_RDONLY, NULL))
		skip("/proc cannot be hidden: %s", strerror(errno));
}

int
main(int argc, char **argv)
{
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "noproc"))
			hide_proc();
		else
			sandbox(argv[i], 0);
	if (i + 1 >= argc) {
		fprintf(stderr, "usage: filter RULE ... -- COMMAND ...\n");
		return 2;
	}
	execvp(argv[i + 1], argv + i + 1);
	fprintf(stderr, "filter: %s: %s\n", argv[i + 1], strerror(errno));
	return 2;
}
