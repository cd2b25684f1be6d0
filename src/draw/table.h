/* The table of regions: calls, time, imbalance, steals, migrations (floor: draw; called by `forestgomp trace` and
 * `forestgomp stats`). */
#pragma once
#include "draw/story.h"
#include <stdio.h>

/* `bold`, `dim` and `plain` are escape sequences, or empty. */
void fg_table_print(const struct fg_story *story, FILE *file, const char *bold, const char *dim, const char *plain);
void fg_table_json(const struct fg_story *story, FILE *file);
