/* Text in JSON (command): see json.h. */
#include "draw/json.h"

/* Returns the length of the UTF-8 character that begins here; 0 if it is not one. */
static unsigned
character(const unsigned char *p)
{
	unsigned length = p[0] < 0x80			? 1
			  : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
			  : (p[0] & 0xf0) == 0xe0	? 3
			  : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
							: 0;
	for (unsigned i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and what is above the last one. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return length;
}

void
fg_json_string(FILE *file, const char *text)
{
	fputc('"', file);
	for (const unsigned char *p = (const unsigned char *)text; *p;) {
		unsigned length = character(p);
		if (*p == '"' || *p == '\\')
			fprintf(file, "\\%c", *p);
		else if (*p < 32 || *p == '<' || *p == 127)
			fprintf(file, "\\u%04x", *p);
		else if (length)
			fwrite(p, 1, length, file);
		else
			fputc('?', file);
		p += length ? length : 1;
	}
	fputc('"', file);
}
