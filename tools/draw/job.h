/* A job: the stories of one or more processes on one clock (command; the command makes it; used by page.c and
 * perfetto.c). */
#pragma once
#include "draw/story.h"

struct fg_job {
	const struct fg_story *const *stories;
	unsigned n;
	uint64_t *begins; /* of each story's first event, ns after that of the job */
	uint64_t span;	  /* from the first event of all to the last one */
};

struct fg_job fg_job_of(const struct fg_story *const *stories, unsigned n);
void fg_job_free(struct fg_job *job);
/* Returns the base name of the story's program. */
const char *fg_job_program(const struct fg_story *story, char *text, size_t size);
