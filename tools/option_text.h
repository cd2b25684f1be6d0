/* The text of one option of a command: --help is made from it. */
#pragma once
#include <stdio.h>

struct option_text {
	const char *name;  /* without the dashes */
	char letter;	   /* 0: there is none */
	const char *value; /* NULL: it takes none */
	const char *help;  /* lines, without the last line's end */
};

static inline void
option_text_print(const struct option_text *option)
{
	char head[80];
	snprintf(head, sizeof head, "%s%s%s", option->name, option->value ? " " : "",
		 option->value ? option->value : "");
	if (option->letter)
		printf("  -%c, --%-15s", option->letter, head);
	else
		printf("      --%-15s", head);
	if (snprintf(NULL, 0, "%s", head) > 15)
		printf("\n%23s", "");
	for (const char *p = option->help; *p; p++)
		*p == '\n' ? printf("\n%23s", "") : putchar(*p);
	putchar('\n');
}
