// Code that must not run with another's rights: it leaves a mark. The name that it is built under makes it one of
// hwloc's plug-ins, too.
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void
loaded(void)
{
	close(open(MARK, O_CREAT | O_WRONLY, 0666));
}
