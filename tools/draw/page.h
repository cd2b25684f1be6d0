/* A page that shows traces, all in one file, for any browser (command; called by `forestgomp trace`); and the same
 * traces for Perfetto. */
#pragma once
#include "draw/job.h"
#include <stdio.h>

/* `from` and `to` are ns since the job's begin, and nothing outside is drawn. If `to` is 0, the page gets as much as it
 * can bear. */
void fg_page_write(const struct fg_job *job, uint64_t from, uint64_t to, FILE *file);
/* Chrome's trace format, which ui.perfetto.dev and chrome://tracing read. If `to` is 0, all is written. */
void fg_perfetto_write(const struct fg_job *job, uint64_t from, uint64_t to, FILE *file);
