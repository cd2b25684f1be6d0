/* Traits of allocators (floor: team; see trait.h). */
#include "team/alloc/trait.h"
#include "base/log.h"
#include "team/alloc/pages.h"
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define IS_DEFAULT UINTPTR_MAX /* omp_atv_default */

const struct fg_choice fg_allocator_names[FG_ALLOCATOR_NAMES] = {
	{"omp_default_mem_alloc", 1}, {"omp_large_cap_mem_alloc", 2}, {"omp_const_mem_alloc", 3},
	{"omp_high_bw_mem_alloc", 4}, {"omp_low_lat_mem_alloc", 5},   {"omp_cgroup_mem_alloc", 6},
	{"omp_pteam_mem_alloc", 7},   {"omp_thread_mem_alloc", 8},    {"ompx_gnu_pinned_mem_alloc", 200},
};

static const struct fg_choice spaces[FG_SPACES] = {
	{"omp_default_mem_space", 0}, {"omp_large_cap_mem_space", 1}, {"omp_const_mem_space", 2},
	{"omp_high_bw_mem_space", 3}, {"omp_low_lat_mem_space", 4},
};

/* Words for values, without their "omp_atv_". A word that begins with another word comes before it. */
static const struct fg_choice words[] = {
	{"false", 0},	   {"true", 1},		{"contended", 3},     {"uncontended", 4},
	{"serialized", 5}, {"private", 6},	{"allocator_fb", 14}, {"all", 7},
	{"thread", 8},	   {"pteam", 9},	{"cgroup", 10},	      {"default_mem_fb", 11},
	{"null_fb", 12},   {"abort_fb", 13},	{"environment", 15},  {"nearest", 16},
	{"blocked", 17},   {"interleaved", 18}, {"default", -1},
};

enum form { WORD, NUMBER, ALLOCATOR };

/* The values that a trait may have. */
static const struct {
	const char *name;
	enum form form;
	uintptr_t first, last, by_default;
	const char *accepted;
} known[FG_TRAITS + 1] = {
	[FG_SYNC_HINT] = {"sync_hint", WORD, 3, 6, 3, "contended, uncontended, serialized or private"},
	[FG_ALIGNMENT] = {"alignment", NUMBER, 1, UINTPTR_MAX, 1, "a power of two"},
	[FG_ACCESS] = {"access", WORD, 7, 10, 7, "all, cgroup, pteam or thread"},
	[FG_POOL_SIZE] = {"pool_size", NUMBER, 0, UINTPTR_MAX, FG_NO_LIMIT, "a number of bytes"},
	[FG_FALLBACK] = {"fallback", WORD, FG_DEFAULT_MEM_FB, FG_ALLOCATOR_FB, FG_DEFAULT_MEM_FB,
			 "default_mem_fb, null_fb, abort_fb or allocator_fb"},
	[FG_FB_DATA] = {"fb_data", ALLOCATOR, 0, UINTPTR_MAX, 0, "an allocator"},
	[FG_PINNED] = {"pinned", WORD, false, true, false, "true or false"},
	[FG_PARTITION] = {"partition", WORD, FG_ENVIRONMENT, FG_INTERLEAVED, FG_ENVIRONMENT,
			  "environment, nearest, blocked or interleaved"},
};

void
fg_traits_default(struct fg_traits *traits)
{
	traits->value[0] = 0;
	for (int key = 1; key <= FG_TRAITS; key++)
		traits->value[key] = known[key].by_default;
}

static bool
is_possible(int key, uintptr_t value)
{
	return value >= known[key].first && value <= known[key].last &&
	       (key != FG_ALIGNMENT || (value & (value - 1)) == 0);
}

bool
fg_traits_set(struct fg_traits *traits, int key, uintptr_t value, const char *who)
{
	if (key < 1 || key > FG_TRAITS) {
		fg_error("%s: there is no trait %d, they are 1 (omp_atk_sync_hint) to %d (omp_atk_partition); no "
			 "allocator is made",
			 who, key, FG_TRAITS);
		return false;
	}
	if (value == IS_DEFAULT)
		value = known[key].by_default;
	if (!is_possible(key, value)) {
		fg_error("%s: the trait omp_atk_%s cannot be %" PRIuPTR "; it is %s; no allocator is made", who,
			 known[key].name, value, known[key].accepted);
		return false;
	}
	traits->value[key] = value;
	return true;
}

static bool
read_choice(const char **text, const struct fg_choice *choices, size_t count, uintptr_t *value)
{
	for (size_t i = 0; i < count; i++) {
		if (!fg_text_word(text, choices[i].word))
			continue;
		*value = (uintptr_t)choices[i].value;
		return true;
	}
	return false;
}

static bool
read_value(const char **text, int key, uintptr_t *value)
{
	unsigned long number;
	*value = IS_DEFAULT;
	if (known[key].form == WORD)
		return read_choice(text, words, COUNT(words), value);
	if (fg_text_word(text, "default"))
		return true;
	if (known[key].form == ALLOCATOR)
		return read_choice(text, fg_allocator_names, FG_ALLOCATOR_NAMES, value);
	if (!fg_text_ulong(text, &number, 10) || number > LONG_MAX)
		return false;
	*value = number;
	return true;
}

static bool
bad_trait(const char *name, const char *at, int key)
{
	int length = (int)strcspn(at, ",");
	if (key)
		fg_error("Invalid value for environment variable %s: '%.*s', where %s is %s; omp_default_mem_alloc is "
			 "taken",
			 name, length, at, known[key].name, known[key].accepted);
	else
		fg_error("Invalid value for environment variable %s: '%.*s' is no trait with a value; the traits are "
			 "sync_hint, alignment, access, pool_size, fallback, fb_data, pinned and partition; "
			 "omp_default_mem_alloc is taken",
			 name, length, at);
	return false;
}

/* Reads one "trait=value". The comma or the end of the text follows it. */
static bool
read_trait(const char *name, const char **text, struct fg_traits *traits)
{
	const char *at = *text;
	int key = FG_TRAITS;
	while (key && !fg_text_word(text, known[key].name))
		key--;
	if (!key || !fg_text_char(text, '='))
		return bad_trait(name, at, 0);
	uintptr_t value;
	bool good = read_value(text, key, &value) && (!**text || **text == ',');
	if (good && value == IS_DEFAULT)
		value = known[key].by_default;
	if (!good || !is_possible(key, value))
		return bad_trait(name, at, key);
	traits->value[key] = value;
	return true;
}

bool
fg_env_allocator(const char *name, struct fg_allocator_text *wanted)
{
	const char *text = getenv(name);
	if (!text)
		return false;
	text = fg_text_blanks(text);
	wanted->handle = wanted->space = 0;
	fg_traits_default(&wanted->traits);
	if (read_choice(&text, fg_allocator_names, FG_ALLOCATOR_NAMES, &wanted->handle) && !*text)
		return true;
	if (wanted->handle || !read_choice(&text, spaces, FG_SPACES, &wanted->space) || (*text && *text != ':')) {
		fg_env_complain(name);
		return false;
	}
	if (fg_text_char(&text, ':'))
		do
			if (!read_trait(name, &text, &wanted->traits))
				return false;
		while (fg_text_char(&text, ','));
	return true;
}

static const char *
word_for(const struct fg_choice *choices, size_t count, uintptr_t value)
{
	for (size_t i = 0; i < count; i++)
		if ((uintptr_t)choices[i].value == value)
			return choices[i].word;
	return "?";
}

void
fg_traits_print(FILE *out, uintptr_t space, const struct fg_traits *traits)
{
	const char *before = ":";
	fputs(word_for(spaces, FG_SPACES, space), out);
	for (int key = 1; key <= FG_TRAITS; key++) {
		uintptr_t value = traits->value[key];
		if (value == known[key].by_default)
			continue;
		fprintf(out, "%s%s=", before, known[key].name);
		before = ",";
		if (known[key].form == NUMBER)
			fprintf(out, "%" PRIuPTR, value);
		else if (known[key].form == ALLOCATOR)
			fputs(word_for(fg_allocator_names, FG_ALLOCATOR_NAMES, value), out);
		else
			fputs(word_for(words, COUNT(words), value), out);
	}
}
