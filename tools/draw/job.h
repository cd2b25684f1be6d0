/* A job: the stories of one or more processes on one axis of time (command; the command makes it; used by page.c and
 * perfetto.c). */
#pragma once
#include "draw/story.h"

/* How the processes' times lie to each other. */
enum fg_job_clock {
	FG_JOB_ONE_CLOCK, /* all have the same clock: processes of one machine, since it was booted */
	FG_JOB_WALL,	  /* by the clocks on the wall */
	FG_JOB_NONE,	  /* nothing tells it, so all begin together */
};

struct fg_job {
	const struct fg_story *const *stories;
	unsigned n;
	enum fg_job_clock clock;
	unsigned odd;	  /* not one clock: the first story that speaks against it */
	uint64_t *begins; /* of each story's first event, ns after that of the job */
	uint64_t span;	  /* from the first event of all to the last one */
};

struct fg_job fg_job_of(const struct fg_story *const *stories, unsigned n);
void fg_job_free(struct fg_job *job);
/* Both are traces of the same run. */
bool fg_job_are_one(const struct fg_story *one, const struct fg_story *other);
/* Both have one clock, so their PUs are those of one machine. */
bool fg_job_share_clock(const struct fg_story *one, const struct fg_story *other);
/* Returns the base name of the story's program. */
const char *fg_job_program(const struct fg_story *story, char *text, size_t size);
