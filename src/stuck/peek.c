/* Peek (floor: stuck): see peek.h. */
#include "stuck/peek.h"

#include <fcntl.h>
#include <unistd.h>

#include "platform/file.h"
#include "stuck/library.h"

static int memory = -1;

bool
fg_peek_begin(void)
{
	memory = fg_library->sandbox_allows(FG_SANDBOX_FILES) ? fg_file_open("/proc/self/mem", O_RDONLY) : -1;
	return memory >= 0;
}

void
fg_peek_end(void)
{
	fg_file_close(memory);
	memory = -1;
}

bool
fg_peek(uintptr_t from, void *to, size_t size)
{
	return from <= INTPTR_MAX && fg_file_read_at(memory, to, size, from) == (ssize_t)size;
}
