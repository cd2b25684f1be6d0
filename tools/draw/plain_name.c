/* Names of outlined functions as the programmer wrote them (command): see plain_name.h. */
#include "draw/plain_name.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "6refineEd" appends "refine", and returns the text that follows. NULL: no length with a name is here. */
static struct {
	char *(*function)(const char *, char *, size_t *, int *);
	bool tried;
} demangler;
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
		snprintf(text + used, size - used, "(anonymous namespace)");
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

/* The C++ library demangles, where it is installed. Programs in C++ need it, too. Without it plain_cpp does what it
 * can. */
static char *
demangle(const char *name)
{
	if (!demangler.tried) {
		void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
		demangler.function =
			library ? (char *(*)(const char *, char *, size_t *, int *))dlsym(library, "__cxa_demangle")
				: NULL;
		demangler.tried = true;
	}
	int status;
	return demangler.function ? demangler.function(name, NULL, NULL, &status) : NULL;
}

/* Cuts the parameters: the last pair of parentheses, with what may stand behind them. */
static void
cut_parameters(char *text)
{
	char *close = strrchr(text, ')');
	unsigned depth = 0;
	if (!close || strspn(close + 1, " constvlaie&[]") != strlen(close + 1)) /* const, volatile, a reference */
		return;
	for (char *p = close; p > text; p--) {
		depth += *p == ')';
		if (*p == '(' && --depth == 0) {
			*p = '\0';
			return;
		}
	}
}

/* Functions of templates have the type of their result in front. */
static const char *
behind_result(const char *text)
{
	const char *start = text;
	int depth = 0;
	if (strstr(text, "operator"))
		return text;
	for (const char *p = text; *p; p++) {
		depth += *p == '<' || *p == '(' || *p == '{';
		depth -= *p == '>' || *p == ')' || *p == '}';
		if (*p == ' ' && depth == 0)
			start = p + 1;
	}
	return start;
}

/* gfortran: "__MODULE_MOD_NAME" of a module, "NAME_" outside of one, "NAME.NUMBER" within another. */
static void
plain_fortran(const char *name, char *text, size_t size)
{
	const char *module = strncmp(name, "__", 2) == 0 ? strstr(name, "_MOD_") : NULL;
	size_t length = strlen(name);
	if (module && module > name + 2) {
		snprintf(text, size, "%.*s::%s", (int)(module - name) - 2, name + 2, module + 5);
		return;
	}
	if (strcmp(name, "MAIN__") == 0)
		length -= 2;
	else if (length > 1 && name[length - 1] == '_' && name[length - 2] != '_')
		length--;
	snprintf(text, size, "%.*s", (int)length, name);
}

void
fg_plain_name(const char *name, char *text, size_t size)
{
	char own[4096];
	const char *end = strstr(name, "._omp_fn.");
	snprintf(own, sizeof own, "%.*s", end ? (int)(end - name) : (int)strlen(name), name);
	if (strncmp(own, "_Z", 2) != 0) {
		char *dot = end ? strrchr(own, '.') : NULL;
		if (dot && dot > own && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1))
			*dot = '\0';
		if (end)
			plain_fortran(own, text, size);
		else
			snprintf(text, size, "%s", own);
		return;
	}
	char *whole = demangle(own);
	if (whole) {
		cut_parameters(whole);
		snprintf(text, size, "%s", behind_result(whole));
	} else if (!plain_cpp(own, text, size)) {
		snprintf(text, size, "%s", own);
	}
	free(whole);
}
