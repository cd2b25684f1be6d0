/* Routines for interoperability objects (floor: omp; OpenMP 5.2, 18.12). Only devices have foreign runtimes, and the
 * host is the only device here. So every object is omp_interop_none. The program calls these on any pthread, outside
 * the runtime. Nothing is written. */
#include <string.h>

#include "base/export.h"

/* omp_interop_rc_t */
enum { RC_NO_VALUE = 1, RC_SUCCESS = 0, RC_EMPTY = -1, RC_OUT_OF_RANGE = -2, RC_OTHER = -6 };

static void *
empty(int *code)
{
	if (code)
		*code = RC_EMPTY;
	return NULL;
}

FG_EXPORT int
omp_get_num_interop_properties(const void *interop)
{
	return 0;
}

FG_EXPORT intptr_t
omp_get_interop_int(const void *interop, int property, int *code)
{
	empty(code);
	return 0;
}

FG_EXPORT void *
omp_get_interop_ptr(const void *interop, int property, int *code)
{
	return empty(code);
}

FG_EXPORT const char *
omp_get_interop_str(const void *interop, int property, int *code)
{
	return empty(code);
}

/* Properties have the numbers -1 and downwards. */
FG_EXPORT const char *
omp_get_interop_name(const void *interop, int property)
{
	static const char *const names[] = {"fr_id",	"fr_name", "vendor",	     "vendor_name", "device_num",
					    "platform", "device",  "device_context", "targetsync"};
	unsigned index = (unsigned)(-1 - property);
	return index < sizeof names / sizeof *names ? names[index] : NULL;
}

FG_EXPORT const char *
omp_get_interop_type_desc(const void *interop, int property)
{
	return NULL;
}

FG_EXPORT const char *
omp_get_interop_rc_desc(const void *interop, int code)
{
	static const char *const texts[] = {
		"the property has no value",	  "success",
		"the object is omp_interop_none", "no property has this number",
		"the property is an integer",	  "the property is a pointer",
		"the property is a string",	  "other error",
	};
	return code <= RC_NO_VALUE && code >= RC_OTHER ? texts[RC_NO_VALUE - code] : NULL;
}

/* A Fortran function that returns a string gets references to its address and its length. It gets its arguments by
 * value. */
static void
give(const char **result, size_t *length, const char *text)
{
	*result = text;
	*length = text ? strlen(text) : 0;
}

FG_EXPORT void
omp_get_interop_str_(const char **result, size_t *length, const void *interop, int property, int *code)
{
	give(result, length, omp_get_interop_str(interop, property, code));
}

FG_EXPORT void
omp_get_interop_name_(const char **result, size_t *length, const void *interop, int property)
{
	give(result, length, omp_get_interop_name(interop, property));
}

FG_EXPORT void
omp_get_interop_type_desc_(const char **result, size_t *length, const void *interop, int property)
{
	give(result, length, omp_get_interop_type_desc(interop, property));
}

FG_EXPORT void
omp_get_interop_rc_desc_(const char **result, size_t *length, const void *interop, int code)
{
	give(result, length, omp_get_interop_rc_desc(interop, code));
}
