/* The model of a page: one process of a job as JSON, which the page's script unpacks (command; called by
 * page.c). */
#pragma once
#include "draw/story.h"
#include <stdio.h>

struct fg_page_window {
	uint64_t from, to; /* ns after the job's begin */
	uint64_t begin;	   /* of the process, ns after the job's begin */
};

/* Returns the end of the part of a process that a page can show, beginning at window->from, if it may have so many
 * pieces of work and so many moves of bubbles; window->to: all of it. */
uint64_t fg_page_bearable(const struct fg_story *story, const struct fg_page_window *window, size_t slices,
			  size_t moves);
void fg_page_events(FILE *file);
/* machine: processes on one machine have one number. */
void fg_page_model(const struct fg_story *story, unsigned machine, const struct fg_page_window *window, FILE *file);
