/* Blanks between the words of a line of text (floor: base; called by readers of pin files and of what was learnt). */
#pragma once

static inline const char *
fg_blanks_skip(const char *at)
{
	while (*at == ' ' || *at == '\t' || *at == '\r')
		at++;
	return at;
}
