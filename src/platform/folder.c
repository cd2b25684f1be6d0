/* Folders (floor: platform): see folder.h. */
#define _GNU_SOURCE
#include "platform/folder.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/file.h"

/* As the kernel fills it. One has at most 280 bytes. */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

void
fg_folder_each(const char *path, void (*tell)(const char *path, const char *name, void *arg), void *arg)
{
	_Alignas(struct entry) char block[512];
	int folder = fg_file_open(path, O_RDONLY | O_DIRECTORY);
	for (long got; folder >= 0 && (got = syscall(SYS_getdents64, folder, block, sizeof block)) > 0;)
		for (long at = 0; at < got;) {
			const struct entry *entry = (const struct entry *)(block + at);
			tell(path, entry->name, arg);
			at += entry->size;
		}
	if (folder >= 0)
		fg_file_close(folder);
}
