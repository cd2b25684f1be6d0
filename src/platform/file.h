/* Files by their names (floor: platform; called by trace/file.c and draw/trace_read.c). */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* The name belongs to a folder, a link, a device or the like. False: there is nothing of that name, too. */
bool fg_file_is_special(const char *path);

struct fg_file_view {
	void *bytes; /* the whole file, to be read; NULL: there are none, or they cannot be mapped */
	size_t size;
	bool ordinary;
};
/* False: the file cannot be opened, and errno tells why. */
bool fg_file_view_open(const char *path, struct fg_file_view *view);
void fg_file_view_close(struct fg_file_view *view);
