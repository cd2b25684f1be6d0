/* Files (floor: platform; called by each floor that reads or writes one).
 *
 * The C library's open, read, write and close are cancellation points: a thread with a pending pthread_cancel ends
 * there. Within a region that would end the program. These functions make the system calls themselves, so no thread
 * ends there. A signal handler may call all of them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As open with O_CLOEXEC; a new file has the mode 0666. */
int fg_file_open(const char *path, int flags);
void fg_file_close(int file);
ssize_t fg_file_read(int file, void *to, size_t size);
ssize_t fg_file_read_at(int file, void *to, size_t size, uint64_t offset);
ssize_t fg_file_write_at(int file, const void *from, size_t size, uint64_t offset);
/* Gives the range real blocks on the disk. */
bool fg_file_reserve(int file, uint64_t offset, size_t size);
/* Tells which file it is, however it is named, and its size. False: it is closed. */
struct fg_file_id {
	uint64_t device, inode;
};
bool fg_file_identify(int file, struct fg_file_id *id, uint64_t *size);
/* The descriptor still is of this file. */
bool fg_file_is(int file, const struct fg_file_id *id);

/* A file that is read from its beginning on. A program may close all numbers that it has not opened, those of the
 * runtime, too, and get one of them for a file of its own. So each call looks first whether it still is the file. A
 * pipe in its place would not be read from even then, because it has no offsets. (Between the look and the `close`
 * there is a moment in which the program might do that.) */
struct fg_file_reading {
	int file;
	struct fg_file_id id;
	uint64_t at;
};
/* For ordinary files. False: it cannot be opened, or the number is another file's by now. Then nothing else may be
 * called. */
bool fg_file_reading_begin(struct fg_file_reading *reading, const char *path);
/* As read(2). */
ssize_t fg_file_reading_next(struct fg_file_reading *reading, void *to, size_t size);
void fg_file_reading_end(const struct fg_file_reading *reading);
/* The beginning of a file, as a string. Returns its length; 0: there is none. Keeps errno. */
size_t fg_file_text(const char *path, char *text, size_t size);

/* From now on, the calling thread has descriptors of its own, and none yet. Those of the process stay open, and no
 * other thread closes or reuses one of this thread's. False: the kernel is older than Linux 5.9, and nothing has
 * changed. */
bool fg_file_part(void);

/* Moves a file to a number above those of the standard streams. Returns that number, or -1 and sets errno. */
int fg_file_raise(int file);

/* Gives a file of that name this content at once: another program sees the old one or the new one. The new one has
 * another name first, under which there must be none. A limit on the size of files (map.h) must allow it. False: errno
 * tells why, and nothing has changed. */
bool fg_file_replace(const char *path, const char *fresh, const void *bytes, size_t size);

/* Why an ordinary file of this name cannot be read; NULL: it can, now. */
const char *fg_file_unreadable(const char *path);

/* The name belongs to a folder, a link, a device or the like. False: there is nothing of that name, too. */
bool fg_file_is_special(const char *path);

struct fg_file_view {
	void *bytes; /* the whole file; NULL: there are none, or there is no memory for them */
	size_t size;
	size_t room; /* of the memory */
	bool ordinary;
};
/* False: the file cannot be opened, and errno tells why. */
bool fg_file_view_open(const char *path, struct fg_file_view *view);
void fg_file_view_close(struct fg_file_view *view);
