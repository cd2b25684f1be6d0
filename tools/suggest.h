/* Suggest: the known word that a wrong one was meant for (suggest.c). */
#pragma once
#include <stddef.h>

/* Returns the word that is nearest to the first `length` characters of `text`. NULL: none is near enough, or it is one
 * of them. */
const char *suggest(const char *text, size_t length, const char *const *words, unsigned n);
