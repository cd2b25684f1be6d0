/* Reading single environment variables (floor: team; see parse.h). */
#include "team/env/parse.h"
#include "base/log.h"
#include "team/env/icv.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

void
fg_env_complain(const char *name)
{
	fg_error("Invalid value for environment variable %s", name);
}

static bool
bad(const char *name)
{
	fg_env_complain(name);
	return false;
}

const char *
fg_text_blanks(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

bool
fg_text_word(const char **text, const char *word)
{
	size_t length = strlen(word);
	if (strncasecmp(*text, word, length) != 0)
		return false;
	*text = fg_text_blanks(*text + length);
	return true;
}

bool
fg_text_char(const char **text, char c)
{
	if (**text != c)
		return false;
	*text = fg_text_blanks(*text + 1);
	return true;
}

bool
fg_text_ulong(const char **text, unsigned long *value, int base)
{
	char *end;
	errno = 0;
	*value = strtoul(*text, &end, base);
	if (errno || end == *text)
		return false;
	*text = fg_text_blanks(end);
	return true;
}

bool
fg_text_long(const char **text, long *value)
{
	char *end;
	errno = 0;
	*value = strtol(*text, &end, 10);
	if (errno || end == *text)
		return false;
	*text = fg_text_blanks(end);
	return true;
}

/* The variable's text after leading blanks, or NULL. */
static const char *
lookup(const char *name)
{
	const char *text = getenv(name);
	return text ? fg_text_blanks(text) : NULL;
}

bool
fg_env_ulong(const char *name, unsigned long *value, bool zero_ok)
{
	const char *text = lookup(name);
	unsigned long number;
	if (!text)
		return false;
	if (!fg_text_ulong(&text, &number, 10) || *text || number > LONG_MAX || (number == 0 && !zero_ok))
		return bad(name);
	*value = number;
	return true;
}

bool
fg_env_uint(const char *name, unsigned *value, bool zero_ok)
{
	unsigned long number;
	if (!fg_env_ulong(name, &number, zero_ok))
		return false;
	if (number > INT_MAX)
		return bad(name);
	*value = (unsigned)number;
	return true;
}

static const struct fg_choice *
choose(const char **text, const struct fg_choice *choices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fg_text_word(text, choices[i].word))
			return &choices[i];
	return NULL;
}

bool
fg_env_choice(const char *name, const struct fg_choice *choices, size_t count, int *value)
{
	const char *text = lookup(name);
	if (!text)
		return false;
	const struct fg_choice *choice = choose(&text, choices, count);
	if (!choice || *text)
		return bad(name);
	*value = choice->value;
	return true;
}

bool
fg_env_bool(const char *name, bool *value)
{
	static const struct fg_choice choices[] = {{"true", 1}, {"false", 0}};
	int choice;
	if (!fg_env_choice(name, choices, COUNT(choices), &choice))
		return false;
	*value = choice;
	return true;
}

/* The largest number of values that a list of this text can have. */
static size_t
list_bound(const char *text)
{
	size_t count = 1;
	for (; *text; text++)
		count += *text == ',';
	return count;
}

/* Reads one value of a list. `several`: it is not the only one. */
typedef bool list_item(const char **text, bool several, void *value);

/* Reads a list with a value in each of `count` items of this size. NULL: the text is no such list. */
static void *
list_read(const char *name, const char *text, list_item *item, size_t size, size_t *count)
{
	size_t bound = list_bound(text);
	char *values = calloc(bound, size);
	if (!values) {
		fg_error("Out of memory while trying to parse environment variable %s", name);
		return NULL;
	}
	*count = 0;
	do {
		if (!item(&text, bound > 1, values + *count * size))
			break;
		++*count;
	} while (fg_text_char(&text, ','));
	if (*count < bound || *text) {
		free(values);
		bad(name);
		return NULL;
	}
	return values;
}

static bool
read_count(const char **text, bool several, void *value)
{
	unsigned long number;
	(void)several;
	if (!fg_text_ulong(text, &number, 10) || number == 0 || number > INT_MAX)
		return false;
	*(unsigned *)value = (unsigned)number;
	return true;
}

bool
fg_env_list(const char *name, unsigned *first, const unsigned **list, unsigned *length)
{
	const char *text = lookup(name);
	size_t count;
	unsigned *values = text ? list_read(name, text, read_count, sizeof *values, &count) : NULL;
	if (!values)
		return false;
	*first = values[0];
	if (count > 1) {
		*list = values;
		*length = (unsigned)count;
	} else {
		free(values);
	}
	return true;
}

static bool
read_bind(const char **text, bool several, void *value)
{
	static const struct fg_choice kinds[] = {{"false", FG_BIND_FALSE},    {"true", FG_BIND_TRUE},
						 {"master", FG_BIND_PRIMARY}, {"primary", FG_BIND_PRIMARY},
						 {"close", FG_BIND_CLOSE},    {"spread", FG_BIND_SPREAD}};
	const struct fg_choice *kind = choose(text, kinds, COUNT(kinds));
	if (!kind || (several && kind->value <= FG_BIND_TRUE))
		return false;
	*(unsigned char *)value = (unsigned char)kind->value;
	return true;
}

bool
fg_env_bind(const char *name, unsigned char *first, const unsigned char **list, unsigned *length)
{
	const char *text = lookup(name);
	size_t count;
	unsigned char *values = text ? list_read(name, text, read_bind, sizeof *values, &count) : NULL;
	if (!values)
		return false;
	*first = values[0];
	if (count > 1) {
		*list = values;
		*length = (unsigned)count;
	} else {
		free(values);
	}
	return true;
}

bool
fg_env_schedule(const char *name, unsigned *schedule, int *chunk)
{
	static const struct fg_choice modifiers[] = {{"monotonic", true}, {"nonmonotonic", false}};
	static const struct fg_choice kinds[] = {
		{"static", FG_STATIC}, {"dynamic", FG_DYNAMIC}, {"guided", FG_GUIDED}, {"auto", FG_AUTO}};
	const char *text = lookup(name);
	if (!text)
		return false;
	const struct fg_choice *modifier = choose(&text, modifiers, COUNT(modifiers));
	const struct fg_choice *kind = NULL;
	if (!modifier || fg_text_char(&text, ':'))
		kind = choose(&text, kinds, COUNT(kinds));
	if (!kind || (*text && *text != ',')) {
		fg_error("Unknown value for environment variable %s", name);
		return false;
	}
	bool monotonic = modifier ? modifier->value : kind->value == FG_STATIC;
	*schedule = (unsigned)kind->value | (monotonic ? FG_MONOTONIC : 0);
	unsigned long size = kind->value != FG_STATIC; /* the value where the text names no chunk size */
	if (fg_text_char(&text, ',')) {
		if (!fg_text_ulong(&text, &size, 10) || *text || size > INT_MAX) {
			fg_error("Invalid value for chunk size in environment variable %s", name);
			return false;
		}
		if (size == 0 && kind->value != FG_STATIC)
			size = 1;
	}
	*chunk = (int)size;
	return true;
}

bool
fg_env_size(const char *name, uint64_t *bytes)
{
	static const struct fg_choice units[] = {{"b", 0}, {"k", 10}, {"m", 20}, {"g", 30}};
	const char *text = lookup(name);
	unsigned long number;
	if (!text)
		return false;
	if (!fg_text_ulong(&text, &number, 10))
		return bad(name);
	const struct fg_choice *unit = choose(&text, units, COUNT(units));
	int shift = unit ? unit->value : 10;
	if (*text || number << shift >> shift != number)
		return bad(name);
	*bytes = number << shift;
	return true;
}

bool
fg_env_turns(const char *name, uint64_t *turns)
{
	static const struct fg_choice units[] = {{"k", 1000}, {"m", 1000000}, {"g", 1000000000}, {"t", 0}};
	const char *text = lookup(name);
	unsigned long number = ULONG_MAX;
	uint64_t factor = 1;
	if (!text)
		return false;
	if (!fg_text_word(&text, "infinite") && !fg_text_word(&text, "infinity")) {
		if (!fg_text_ulong(&text, &number, 10))
			return bad(name);
		const struct fg_choice *unit = choose(&text, units, COUNT(units));
		if (unit)
			factor = unit->value ? (uint64_t)unit->value : UINT64_C(1000000000000);
	}
	if (*text)
		return bad(name);
	if (__builtin_mul_overflow(number, factor, turns))
		*turns = UINT64_MAX;
	return true;
}
