/* A page that shows a trace, all in one file, for any browser (floor: draw); and the same for Perfetto. */
#pragma once
#include "draw/story.h"
#include <stdio.h>

/* from, to: ns since the trace's begin; what lies outside is not drawn. to 0: as much as a page can bear, from `from` on. */
void fg_page_write(const struct fg_story *story, uint64_t from, uint64_t to, FILE *file);
/* Chrome's trace format, which ui.perfetto.dev and chrome://tracing read. */
void fg_perfetto_write(const struct fg_story *story, FILE *file);
