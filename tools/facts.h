/* Facts: what the machine offers to this process, in one table (command; called by info.c, which shows it, and by
 * doctor.c, which judges it). */
#pragma once
#include <stdbool.h>

struct fact {
	const char *key, *label;
	char text[160];
	bool is_number; /* else the text is a word, such as "none" */
};
extern struct fact facts[];
extern unsigned n_facts;

/* Fills the table. */
void facts_collect(void);
/* Puts those that `forestgomp info --json` has written to this file in the place of this machine's. False: there are
 * none. */
bool facts_read(const char *path);
/* "": there is no such fact. */
const char *fact_text(const char *key);
/* A fact that is no number is `otherwise`. */
double fact_number(const char *key, double otherwise);
