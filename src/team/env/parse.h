/* Reading single environment variables (floor: team; called by boot/environment.c, places/parse.c, boot/display_env.c).
 *
 * Each reader returns false where the variable is not set or is bad, and leaves *value alone; of a bad one it tells the user,
 * in libgomp's words. Blanks around a value are allowed, words are of either case. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void fg_env_complain(const char *name);

/* A decimal number; 0 only where zero_ok. */
bool fg_env_ulong(const char *name, unsigned long *value, bool zero_ok);
/* The same, at most INT_MAX. */
bool fg_env_uint(const char *name, unsigned *value, bool zero_ok);
bool fg_env_bool(const char *name, bool *value);

struct fg_choice {
	const char *word;
	int value;
};
bool fg_env_choice(const char *name, const struct fg_choice *choices, size_t count, int *value);

/* "4,2,1": *list is allocated and *length set where there are two values or more. */
bool fg_env_list(const char *name, unsigned *first, const unsigned **list, unsigned *length);
/* OMP_PROC_BIND: true, false or a list of the other kinds. */
bool fg_env_bind(const char *name, unsigned char *first, const unsigned char **list, unsigned *length);
/* OMP_SCHEDULE. A bad chunk size leaves *chunk alone, the kind is set all the same. */
bool fg_env_schedule(const char *name, unsigned *schedule, int *chunk);
/* "64", "64k", "1 M", "1G", "4096B": bytes, KiB without a unit. */
bool fg_env_size(const char *name, uint64_t *bytes);
/* "1000", "30k", "2m", "1g", "1t", "infinite": a number of turns. */
bool fg_env_turns(const char *name, uint64_t *turns);

/* Pieces for parsers of texts: `*text` moves behind what was accepted, and behind blanks. */
const char *fg_text_blanks(const char *text);
bool fg_text_word(const char **text, const char *word);
bool fg_text_char(const char **text, char c);
/* base as in strtoul. False: no number there, or one that does not fit. */
bool fg_text_ulong(const char **text, unsigned long *value, int base);
bool fg_text_long(const char **text, long *value);
