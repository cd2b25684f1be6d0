/* Notebook (floor: share): see notebook.h. */
#include "share/notebook.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blanks.h"

#define HEAD "learnt = 1"
#define SIZE_MOST 65535
#define PUS_MOST ((1u << FG_CURVE_DOUBLINGS) - 1)
#define NS_MOST UINT64_C(1000000000000000) /* eleven days */
#define LINE 400			   /* of a region, at most: its name, and 11 points of 22 bytes */

/* Returns what follows the word; NULL: it is not there. */
static const char *
word(const char *at, const char *expected)
{
	size_t length = strlen(expected);
	at = fg_blanks_skip(at);
	return strncmp(at, expected, length) == 0 ? at + length : NULL;
}

/* Returns what follows the number; NULL: there is none from 1 to `most`. */
static const char *
number(const char *at, uint64_t most, uint64_t *value)
{
	char *end;
	if (*at < '0' || *at > '9')
		return NULL;
	*value = strtoull(at, &end, 10);
	return *value >= 1 && *value <= most ? end : NULL;
}

static const char *
name(const char *at, char *to)
{
	size_t length = strspn(at, "0123456789abcdef+");
	if (length < 3 || length >= FG_NOTEBOOK_NAME)
		return NULL;
	memcpy(to, at, length);
	to[length] = '\0';
	return at + length;
}

/* PUS=NS. */
static const char *
point(const char *at, struct fg_notebook_region *region)
{
	uint64_t pus, ns;
	unsigned before = region->n ? region->point[region->n - 1].pus : 0;
	at = number(at, PUS_MOST, &pus);
	at = at && *at == '=' ? number(at + 1, NS_MOST, &ns) : NULL;
	if (!at || pus <= before || region->n == FG_CURVE_DOUBLINGS)
		return NULL;
	region->point[region->n++] = (struct fg_curve_point){(unsigned)pus, (double)ns};
	return at;
}

static bool
read_region(const char *at, struct fg_notebook_region *region)
{
	uint64_t size;
	at = word(at, "region");
	at = at ? word(at, "=") : NULL;
	at = at ? name(fg_blanks_skip(at), region->name) : NULL;
	at = at ? number(fg_blanks_skip(at), SIZE_MOST, &size) : NULL;
	if (!at)
		return false;
	region->size = (unsigned)size;
	while (*fg_blanks_skip(at)) {
		const char *next = fg_blanks_skip(at);
		if (next == at || !(at = point(next, region)))
			return false;
	}
	return region->n >= 2;
}

static struct fg_notebook_region *
find(struct fg_notebook *book, const char *name, unsigned size)
{
	for (unsigned i = 0; i < book->n; i++)
		if (book->region[i].size == size && strcmp(book->region[i].name, name) == 0)
			return &book->region[i];
	return NULL;
}

static void
put(struct fg_notebook *book, const struct fg_notebook_region *region)
{
	struct fg_notebook_region *old = find(book, region->name, region->size);
	if (!old && book->n == FG_NOTEBOOK_REGIONS)
		old = book->region;
	if (old) {
		struct fg_notebook_region *end = book->region + book->n--;
		memmove(old, old + 1, (size_t)(end - old - 1) * sizeof *old);
	}
	book->region[book->n++] = *region;
}

/* Copies a line without its comment. Returns where the next one begins; NULL: it was the last one. *whole: it had
 * room. */
static const char *
line_of(const char *text, char *line, bool *whole)
{
	size_t length = strcspn(text, "\n"), used = strcspn(text, "#\n");
	*whole = used < LINE;
	if (!*whole)
		used = 0;
	memcpy(line, text, used);
	line[used] = '\0';
	return text[length] ? text + length + 1 : NULL;
}

static bool
is_head(const char *line)
{
	const char *at = word(line, "learnt");
	at = at ? word(at, "=") : NULL;
	at = at ? word(at, "1") : NULL;
	return at && !*fg_blanks_skip(at);
}

bool
fg_notebook_read(struct fg_notebook *book, const char *text, unsigned *wrong)
{
	char line[LINE];
	unsigned number = 0;
	*wrong = 0;
	for (bool whole; text; number++) {
		struct fg_notebook_region region = {.n = 0};
		bool is_first = number == 0, is_empty = !*text;
		text = line_of(text, line, &whole);
		if (is_first && !is_empty && !is_head(line))
			return false;
		if (is_first || (whole && !*fg_blanks_skip(line)))
			continue;
		if (whole && read_region(line, &region))
			put(book, &region);
		else if (!*wrong)
			*wrong = number + 1;
	}
	return true;
}

const struct fg_notebook_region *
fg_notebook_find(const struct fg_notebook *book, const char *name, unsigned size)
{
	return find((struct fg_notebook *)book, name, size);
}

void
fg_notebook_put(struct fg_notebook *book, const char *name, unsigned size, const struct fg_curve *curve)
{
	struct fg_notebook_region region = {.size = size};
	snprintf(region.name, sizeof region.name, "%s", name);
	for (; region.n < curve->n && region.n < FG_CURVE_DOUBLINGS; region.n++)
		region.point[region.n] = curve->point[region.n];
	put(book, &region);
}

/* 1 at least. */
static uint64_t
whole_ns(double ns)
{
	return ns < 1 ? 1 : ns < (double)NS_MOST ? (uint64_t)ns : NS_MOST;
}

size_t
fg_notebook_write(const struct fg_notebook *book, char *text)
{
	_Static_assert(sizeof HEAD + (size_t)FG_NOTEBOOK_REGIONS * LINE <= FG_NOTEBOOK_BYTES, "it has room");
	size_t used = (size_t)sprintf(text, HEAD "\n");
	for (unsigned i = 0; i < book->n; i++) {
		const struct fg_notebook_region *region = &book->region[i];
		used += (size_t)sprintf(text + used, "region = %s %u", region->name, region->size);
		for (unsigned k = 0; k < region->n; k++)
			used += (size_t)sprintf(text + used, " %u=%" PRIu64, region->point[k].pus,
						whole_ns(region->point[k].ns));
		used += (size_t)sprintf(text + used, "\n");
	}
	return used;
}
