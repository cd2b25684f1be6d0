/* A job (command): see job.h. Processes since one boot of a machine have one clock, CLOCK_MONOTONIC, which nobody sets.
 * A process in virtual time has no place among others. */
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

bool
fg_job_share_clock(const struct fg_story *one, const struct fg_story *other)
{
	char a[128], b[128];
	fg_trace_fact(one->trace, "clock", a, sizeof a);
	fg_trace_fact(other->trace, "clock", b, sizeof b);
	return one == other || (*a && strcmp(a, b) == 0);
}

bool
fg_job_are_one(const struct fg_story *one, const struct fg_story *other)
{
	const struct fg_trace_head *a = &one->trace->head, *b = &other->trace->head;
	return a->pid == b->pid && a->start == b->start && a->wall == b->wall;
}

static void
find_clock(struct fg_job *job)
{
	job->clock = FG_JOB_ONE_CLOCK;
	for (unsigned i = 0; i < job->n; i++) {
		enum fg_job_clock own = !has_wall_clock(job->stories[i])			? FG_JOB_NONE
					: !fg_job_share_clock(job->stories[i], job->stories[0]) ? FG_JOB_WALL
												: FG_JOB_ONE_CLOCK;
		if (own > job->clock) {
			job->clock = own;
			job->odd = i;
		}
	}
}

static uint64_t
begin_of(const struct fg_job *job, const struct fg_story *story)
{
	const struct fg_trace_head *head = &story->trace->head;
	if (job->clock == FG_JOB_NONE)
		return 0;
	if (job->clock == FG_JOB_ONE_CLOCK)
		return story->from ? story->from : head->start;
	return head->wall + (story->from > head->start ? story->from - head->start : 0);
}

struct fg_job
fg_job_of(const struct fg_story *const *stories, unsigned n)
{
	struct fg_job job = {.stories = stories, .n = n, .begins = fg_trace_memory(n, sizeof *job.begins)};
	uint64_t first = UINT64_MAX;
	find_clock(&job);
	for (unsigned i = 0; i < n; i++) {
		job.begins[i] = begin_of(&job, stories[i]);
		first = job.begins[i] < first ? job.begins[i] : first;
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t span = stories[i]->to - stories[i]->from;
		job.begins[i] -= first;
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
