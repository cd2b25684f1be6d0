/* The explicit tasks that were made and not begun, in a table by their numbers (command; score.c uses it). */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct fg_score_made {
	struct fg_score_task {
		uint32_t number, strand; /* strand 0: free */
	} *tasks;
	size_t mask;
};

/* So many tasks will be made. The caller frees made->tasks. */
void fg_score_made_begin(struct fg_score_made *made, size_t n);
/* Returns the place of a task: its own, or a free one. */
struct fg_score_task *fg_score_made_place(const struct fg_score_made *made, uint32_t number);
