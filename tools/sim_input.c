/* Standard input of a run that must leave it to other runs. A file is opened anew, and read from the same point on. A
 * pipe or a terminal can be read only once: the run gets one empty line instead, and the caller learns if it took
 * it. */
#include "sim.h"
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
same_file_again(int *descriptor)
{
	struct stat input;
	if (fstat(STDIN_FILENO, &input) != 0)
		return false;
	if (!S_ISREG(input.st_mode) && !(S_ISCHR(input.st_mode) && !isatty(STDIN_FILENO)))
		return false;
	off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	*descriptor = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
	if (*descriptor >= 0 && at > 0)
		lseek(*descriptor, at, SEEK_SET);
	return *descriptor >= 0;
}

static bool
open_empty_line(int *descriptor)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	bool written = write(ends[1], "\n", 1) == 1;
	close(ends[1]);
	*descriptor = ends[0];
	return written;
}

struct sim_input
sim_input_again(void)
{
	struct sim_input input = {-1, false};
	if (!same_file_again(&input.descriptor))
		input.empty_line = open_empty_line(&input.descriptor);
	return input;
}

bool
sim_input_close(struct sim_input *input)
{
	int left = 0;
	bool taken = input->empty_line && ioctl(input->descriptor, FIONREAD, &left) == 0 && left == 0;
	if (input->descriptor >= 0)
		close(input->descriptor);
	return taken;
}
