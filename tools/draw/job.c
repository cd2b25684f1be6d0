/* A job (command): see job.h. The wall clock tells how the processes' times lie to each other. A process in virtual
 * time has none, so then all begin together. */
#include "draw/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
has_wall_clock(const struct fg_story *story)
{
	char carrier[64];
	fg_trace_fact(story->trace, "carrier", carrier, sizeof carrier);
	return story->trace->head.wall && strncmp(carrier, "virtual", 7) != 0 && strncmp(carrier, "sim", 3) != 0;
}

struct fg_job
fg_job_of(const struct fg_story *const *stories, unsigned n)
{
	struct fg_job job = {.stories = stories, .n = n, .begins = fg_trace_memory(n, sizeof *job.begins)};
	uint64_t first = UINT64_MAX;
	bool one_clock = n > 1;
	for (unsigned i = 0; i < n; i++)
		one_clock &= has_wall_clock(stories[i]);
	for (unsigned i = 0; i < n && one_clock; i++) {
		const struct fg_trace_head *head = &stories[i]->trace->head;
		job.begins[i] = head->wall + (stories[i]->from > head->start ? stories[i]->from - head->start : 0);
		first = job.begins[i] < first ? job.begins[i] : first;
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t span = stories[i]->to - stories[i]->from;
		job.begins[i] = one_clock ? job.begins[i] - first : 0;
		job.span = job.begins[i] + span > job.span ? job.begins[i] + span : job.span;
	}
	return job;
}

void
fg_job_free(struct fg_job *job)
{
	free(job->begins);
}

const char *
fg_job_program(const struct fg_story *story, char *text, size_t size)
{
	char command[4096];
	fg_trace_fact(story->trace, "command", command, sizeof command);
	command[strcspn(command, " ")] = '\0';
	const char *slash = strrchr(command, '/');
	snprintf(text, size, "%s", slash && slash[1] ? slash + 1 : *command ? command : "program");
	return text;
}
