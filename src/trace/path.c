/* Path (floor: trace): see path.h. */
#define _GNU_SOURCE
#include "trace/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "q{NAME}" becomes the variable's value. Returns the end of the sign; NULL: it is wrong. */
static const char *
variable(const char *sign, char *text, size_t size, char *why, size_t why_size)
{
	char name[128];
	const char *end = sign[1] == '{' ? strchr(sign, '}') : NULL;
	if (!end || end == sign + 2 || (size_t)(end - sign) - 2 >= sizeof name) {
		snprintf(why, why_size, "%%q needs the name of a variable, as in %%q{SLURM_PROCID}");
		return NULL;
	}
	snprintf(name, sizeof name, "%.*s", (int)(end - sign - 2), sign + 2);
	const char *value = getenv(name);
	if (!value) {
		snprintf(why, why_size, "the variable %s is not set", name);
		return NULL;
	}
	snprintf(text, size, "%s", value);
	return end;
}

static const char *
sign_text(const char *sign, unsigned number, char *text, size_t size, char *why, size_t why_size)
{
	text[0] = '\0';
	switch (*sign) {
	case 'p':
		snprintf(text, size, "%ld", (long)getpid());
		return sign;
	case 'h':
		gethostname(text, size - 1);
		text[size - 1] = '\0';
		return sign;
	case 'n':
		if (number > 1)
			snprintf(text, size, ".%u", number);
		return sign;
	case '%':
		snprintf(text, size, "%%");
		return sign;
	case 'q':
		return variable(sign, text, size, why, why_size);
	}
	snprintf(why, why_size, "%%%c has no meaning; known: %%p, %%h, %%n, %%q{VARIABLE}, %%%%", *sign ? *sign : ' ');
	return NULL;
}

bool
fg_trace_path(const char *name, unsigned number, char *path, size_t size, bool *numbered)
{
	char text[1024], why[200];
	size_t length = 0;
	for (const char *p = name; *p; p++) {
		text[0] = *p;
		text[1] = '\0';
		if (*p == '%') {
			*numbered |= p[1] == 'n';
			p = sign_text(p + 1, number, text, sizeof text, why, sizeof why);
			if (!p) {
				snprintf(path, size, "%s", why);
				return false;
			}
		}
		size_t more = strlen(text);
		if (length + more >= size) {
			snprintf(path, size, "it is too long");
			return false;
		}
		memcpy(path + length, text, more + 1);
		length += more;
	}
	return true;
}
