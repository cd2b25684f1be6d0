/* A file that is compressed while it is written (compressed.h). */
#define _GNU_SOURCE
#include "compressed.h"
#include <errno.h>
#include <string.h>
#ifdef FG_HAVE_ZLIB
#include <zlib.h>
#endif

bool
compressed_asked(const char *path)
{
	size_t length = strlen(path);
	return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

#ifdef FG_HAVE_ZLIB
static ssize_t
put(void *file, const char *text, size_t size)
{
	int n = gzwrite(file, text, (unsigned)size);
	return n > 0 ? n : 0; /* 0: an error, as fopencookie has it */
}

static int
end(void *file)
{
	return gzclose(file) == Z_OK ? 0 : EOF;
}

FILE *
compressed_open(const char *path)
{
	gzFile file = gzopen(path, "wb6");
	FILE *stream = file ? fopencookie(file, "w", (cookie_io_functions_t){.write = put, .close = end}) : NULL;
	if (file && !stream)
		gzclose(file);
	return stream;
}
#else
FILE *
compressed_open(const char *path)
{
	(void)path;
	errno = ENOSYS;
	return NULL;
}
#endif
