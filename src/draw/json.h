/* Text in JSON (floor: draw). */
#pragma once
#include <stdio.h>

/* Also where it stands within a page: '<' is escaped. What is no UTF-8 becomes '?'. */
void fg_json_string(FILE *file, const char *text);
