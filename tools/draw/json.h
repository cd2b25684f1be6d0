/* Text in JSON (command; called by page.c, perfetto.c, table.c and the command). */
#pragma once
#include <stdio.h>

/* The output may also stand within a page, because '<' is escaped. Bytes that are not UTF-8 become '?'. */
void fg_json_string(FILE *file, const char *text);
