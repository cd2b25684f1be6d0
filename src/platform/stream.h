/* Streams of the C library (floor: platform; called by sim, with the model's file and the report). They may meet a
 * cancellation point, so the runtime itself reads and writes with file.h. The caller is outside the runtime. */
#pragma once
#include <stdio.h>

static inline FILE *
fg_stream_open(const char *path, const char *mode)
{
	return fopen(path, mode);
}
