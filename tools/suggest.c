/* Suggest (suggest.h): the distance is the number of letters to add, to drop, to change, or to swap with the next. */
#include "suggest.h"
#include <string.h>

#define LONGEST 63

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned
distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2];
	for (size_t j = 0; j <= m; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
		unsigned *free = before;
		before = last;
		last = row;
		row = free;
	}
	return last[m];
}

const char *
suggest(const char *text, size_t length, const char *const *words, unsigned n)
{
	const char *nearest = NULL;
	unsigned best = (unsigned)length / 3 + 1;
	if (!length || length > LONGEST)
		return NULL;
	for (unsigned i = 0; i < n; i++) {
		size_t its = strlen(words[i]);
		unsigned far = its > LONGEST ? LONGEST : distance(text, length, words[i], its);
		if (far == 0)
			return NULL;
		if (length > 2 && strncmp(words[i], text, length) == 0)
			far = 1; /* a word that is only begun */
		if (far <= best && far < its) {
			best = far - 1; /* the first of equals stays */
			nearest = words[i];
		}
	}
	return nearest;
}
