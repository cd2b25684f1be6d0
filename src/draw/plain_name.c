/* Names of outlined functions as the programmer wrote them (floor: draw): see plain_name.h. */
#include "draw/plain_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "6refineEd" appends "refine", and returns the text that follows. NULL: no length with a name is here. */
static const char *
part(const char *p, char *text, size_t size)
{
	char *end;
	size_t used = strlen(text);
	if (!isdigit((unsigned char)*p))
		return NULL;
	unsigned long length = strtoul(p, &end, 10);
	if (length == 0 || length > strlen(end))
		return NULL;
	if (strncmp(end, "_GLOBAL__N_", 11) == 0)
		snprintf(text + used, size - used, "(anonymous)");
	else
		snprintf(text + used, size - used, "%.*s", (int)length, end);
	return end + length;
}

/* Finds functions, and members of classes and namespaces. It leaves parameters out, and does not try templates and
 * operators. */
static bool
plain_cpp(const char *name, char *text, size_t size)
{
	const char *p = name + 2;
	bool nested = *p == 'N';
	text[0] = '\0';
	if (nested)
		p += strspn(p + 1, "rVKRO") + 1;
	do {
		p += *p == 'L'; /* static */
		if (text[0] && strlen(text) + 3 < size)
			strcat(text, "::");
		if (!(p = part(p, text, size)))
			return false;
	} while (nested && *p != 'E');
	return *p != 'I';
}

void
fg_plain_name(const char *name, char *text, size_t size)
{
	if (strncmp(name, "_Z", 2) == 0 && plain_cpp(name, text, size))
		return;
	const char *end = strstr(name, "._omp_fn.");
	snprintf(text, size, "%.*s", end ? (int)(end - name) : (int)strlen(name), name);
}
