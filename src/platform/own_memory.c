/* Own memory (floor: platform): see own_memory.h. */
#define _GNU_SOURCE
#include "platform/own_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "platform/file.h"

void
fg_own_memory_begin(struct fg_own_memory *memory, bool may_read, bool may_open)
{
	*memory = (struct fg_own_memory){may_read ? getpid() : 0, -1, may_open};
}

void
fg_own_memory_end(struct fg_own_memory *memory)
{
	if (memory->file >= 0)
		fg_file_close(memory->file);
	memory->file = -1;
}

static bool
read_by_file(struct fg_own_memory *memory, uint64_t from, void *to, size_t size)
{
	if (memory->may_open) {
		memory->may_open = false; /* it is tried once */
		memory->file = fg_file_open("/proc/self/mem", O_RDONLY);
	}
	return memory->file >= 0 && from <= INT64_MAX && fg_file_read_at(memory->file, to, size, from) == (ssize_t)size;
}

bool
fg_own_memory_read(struct fg_own_memory *memory, uint64_t from, void *to, size_t size)
{
	if (memory->process) {
		struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};
		ssize_t done = process_vm_readv(memory->process, &here, 1, &there, 1, 0);
		if (done >= 0 || errno == EFAULT || errno == EINVAL || errno == ENOMEM)
			return done == (ssize_t)size;
		memory->process = 0;
	}
	return read_by_file(memory, from, to, size);
}
