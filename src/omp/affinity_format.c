/* Routines that set and print the affinity format (floor: omp; OpenMP 5.2, 18.3.8 to 18.3.11). A Fortran string comes
 * with a length and has no closing zero. A result for Fortran is padded with blanks. The program calls these on any
 * pthread, outside the runtime. Only the format is written (team/places/affinity_format.h). */
#include "team/places/affinity_format.h"

#include <stdlib.h>
#include <string.h>

#include "base/export.h"
#include "base/log.h"

FG_EXPORT void
omp_set_affinity_format(const char *format)
{
	fg_affinity_format_set(format, strlen(format));
}

FG_EXPORT void
omp_set_affinity_format_(const char *format, size_t length)
{
	fg_affinity_format_set(format, length);
}

FG_EXPORT size_t
omp_get_affinity_format(char *buffer, size_t size)
{
	return fg_affinity_format_get(buffer, size);
}

static void *
allocate(size_t size)
{
	void *memory = malloc(size);
	if (!memory)
		fg_fatal("Out of memory allocating %zu bytes", size);
	return memory;
}

FG_EXPORT int32_t
omp_get_affinity_format_(char *buffer, size_t size)
{
	size_t length = fg_affinity_format_get(NULL, 0);
	char *text = allocate(length + 1);
	fg_affinity_format_get(text, length + 1);
	size_t kept = length < size ? length : size;
	memcpy(buffer, text, kept);
	memset(buffer + kept, ' ', size - kept);
	free(text);
	return (int32_t)length;
}

FG_EXPORT void
omp_display_affinity(const char *format)
{
	fg_affinity_display(format);
}

/* Copies a Fortran string to a C string. */
static char *
c_string(const char *text, size_t length)
{
	char *copy = allocate(length + 1);
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

FG_EXPORT void
omp_display_affinity_(const char *format, size_t length)
{
	char *copy = c_string(format, length);
	fg_affinity_display(copy);
	free(copy);
}

FG_EXPORT size_t
omp_capture_affinity(char *buffer, size_t size, const char *format)
{
	size_t length = fg_affinity_print(buffer, size, format);
	if (size)
		buffer[length < size ? length : size - 1] = '\0';
	return length;
}

FG_EXPORT int32_t
omp_capture_affinity_(char *buffer, const char *format, size_t size, size_t format_length)
{
	char *copy = c_string(format, format_length);
	size_t length = fg_affinity_print(buffer, size, copy);
	free(copy);
	if (length < size)
		memset(buffer + length, ' ', size - length);
	return (int32_t)length;
}
