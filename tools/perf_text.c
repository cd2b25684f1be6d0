/* The text of `perf script` (command): see perf_text.h. Numbers are read by hand, because a text has millions. */
#include "perf_text.h"

#include <stddef.h>
#include <string.h>

#define OP_LOAD 2 /* bits of data_src, as the kernel has them: PERF_MEM_OP_LOAD, PERF_MEM_OP_STORE */
#define OP_STORE 4
#define USER_END (UINT64_C(1) << 63) /* the kernel's addresses are above it */

struct word {
	const char *text;
	size_t length;
};

static bool
next_word(const char **at, struct word *word)
{
	*at += strspn(*at, " \t");
	*word = (struct word){*at, strcspn(*at, " \t")};
	*at += word->length;
	return word->length > 0;
}

/* The number that the word is as a whole, in that base. */
static bool
number_of(struct word word, unsigned base, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < word.length; i++) {
		char one = word.text[i];
		unsigned digit = one >= '0' && one <= '9'   ? (unsigned)(one - '0')
				 : one >= 'a' && one <= 'f' ? (unsigned)(one - 'a') + 10
							    : base;
		if (digit >= base || *number > (UINT64_MAX - digit) / base)
			return false;
		*number = *number * base + digit;
	}
	return word.length > 0;
}

/* SECONDS.FRACTION: with 6 or 9 digits behind the point. */
static bool
time_of(struct word word, uint64_t *time)
{
	uint64_t seconds, fraction;
	const char *point = memchr(word.text, '.', word.length);
	if (!point || word.text[word.length - 1] != ':')
		return false;
	struct word whole = {word.text, (size_t)(point - word.text)};
	struct word part = {point + 1, word.length - whole.length - 2};
	if ((part.length != 6 && part.length != 9) || !number_of(whole, 10, &seconds) ||
	    !number_of(part, 10, &fraction) || seconds >= UINT64_MAX / 1000000000 - 1)
		return false;
	*time = seconds * 1000000000 + fraction * (part.length == 6 ? 1000 : 1);
	return true;
}

/* TID, or PID/TID. */
static bool
tid_of(struct word word, uint32_t *tid)
{
	uint64_t number;
	const char *slash = memchr(word.text, '/', word.length);
	if (slash) {
		size_t before = (size_t)(slash - word.text) + 1;
		if (!number_of((struct word){word.text, before - 1}, 10, &number))
			return false;
		word = (struct word){slash + 1, word.length - before};
	}
	if (!number_of(word, 10, &number) || !number || number > INT32_MAX)
		return false;
	*tid = (uint32_t)number;
	return true;
}

/* Up to the time: a name, which may have blanks, the thread, and perhaps the PU: "[003]". */
static enum perf_field
head_read(const char **at, struct perf_sample *sample)
{
	bool has_tid = false;
	for (struct word word; next_word(at, &word);) {
		if (time_of(word, &sample->time))
			return has_tid ? PERF_WHOLE : PERF_TID;
		has_tid |= tid_of(word, &sample->tid);
	}
	return PERF_TIME;
}

/* Up to the event's name, which ends by a colon. */
static bool
event_read(const char **at, struct perf_sample *sample)
{
	struct word word;
	sample->period = 1;
	if (!next_word(at, &word))
		return false;
	if (number_of(word, 10, &sample->period) && !next_word(at, &word))
		return false;
	if (!sample->period)
		sample->period = 1;
	return word.length > 1 && word.text[word.length - 1] == ':';
}

/* A hexadecimal number, and behind it the words for it. */
static bool
source_read(const char *at, uint64_t *source)
{
	struct word word, before = {at, 0};
	for (; next_word(&at, &word); before = word)
		if (word.length >= 3 && memcmp(word.text, "|OP", 3) == 0)
			return number_of(before, 16, source);
	return false;
}

enum perf_field
perf_sample_read(const char *line, struct perf_sample *sample)
{
	uint64_t source;
	struct word word;
	enum perf_field missing = head_read(&line, sample);
	if (missing != PERF_WHOLE)
		return missing;
	if (!event_read(&line, sample))
		return PERF_EVENT;
	if (!next_word(&line, &word) || !number_of(word, 16, &sample->address))
		return PERF_ADDR;
	/* With data_src alone, its number is the first one. */
	const char *behind = line;
	if (!source_read(line, &source))
		return next_word(&behind, &word) && word.text[0] == '|' ? PERF_ADDR : PERF_DATA_SRC;
	bool known = sample->address && sample->address < USER_END;
	sample->writes = known && source & OP_STORE;
	sample->loads = known && source & OP_LOAD && !sample->writes;
	return PERF_WHOLE;
}

bool
perf_line_next(FILE *file, char line[PERF_LINE], bool *cut)
{
	size_t length = 0, all = 0;
	int one;
	while ((one = getc_unlocked(file)) != EOF && one != '\n') {
		all++;
		if (length < PERF_LINE - 1)
			line[length++] = one ? (char)one : '?';
	}
	line[length] = '\0';
	*cut |= one == EOF && all;
	return one != EOF || all;
}

const char *
perf_field_name(enum perf_field field)
{
	static const char *const names[] = {"time", "tid", "event", "addr", "data_src", ""};
	return names[field];
}
