/* Reading single environment variables (floor: team; called by boot/environment.c, places/parse.c and
 * alloc/trait.c).
 *
 * Each reader returns false where the variable is not set or is bad, and leaves *value alone. It tells the user of a
 * bad one, in libgomp's words. Blanks may surround a value, and case does not matter in words. All run in a
 * constructor, so there is one thread, outside. They keep nothing but the lists that they allocate. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void fg_env_complain(const char *name);

/* A decimal number. It may be 0 only where zero_ok. */
bool fg_env_ulong(const char *name, unsigned long *value, bool zero_ok);
/* The same, at most INT_MAX. */
bool fg_env_uint(const char *name, unsigned *value, bool zero_ok);
bool fg_env_bool(const char *name, bool *value);

struct fg_choice {
	const char *word;
	int value;
};
bool fg_env_choice(const char *name, const struct fg_choice *choices, size_t count, int *value);

/* "4,2,1". Where there are two values or more, *list is allocated and *length is set. */
bool fg_env_list(const char *name, unsigned *first, const unsigned **list, unsigned *length);
/* OMP_PROC_BIND: true, false or a list of the other kinds. */
bool fg_env_bind(const char *name, unsigned char *first, const unsigned char **list, unsigned *length);
/* OMP_SCHEDULE. A bad chunk size leaves *chunk alone, but the kind is set. */
bool fg_env_schedule(const char *name, unsigned *schedule, int *chunk);
/* "64", "64k", "1 M", "1G", "4096B": bytes. Without a unit the number means KiB. */
bool fg_env_size(const char *name, uint64_t *bytes);
/* "1000", "30k", "2m", "1g", "1t", "infinite": a number of turns. */
bool fg_env_turns(const char *name, uint64_t *turns);

/* Pieces for parsers of texts. `*text` moves past the accepted characters and past the blanks after them. */
const char *fg_text_blanks(const char *text);
bool fg_text_word(const char **text, const char *word);
bool fg_text_char(const char **text, char c);
/* `base` is as in strtoul. False: there is no number, or it does not fit. */
bool fg_text_ulong(const char **text, unsigned long *value, int base);
bool fg_text_long(const char **text, long *value);
