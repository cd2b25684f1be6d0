/* Tasks that were made and not begun (command): see score_made.h. The table is at most half full. */
#include "draw/score_made.h"
#include "draw/trace_read.h"

void
fg_score_made_begin(struct fg_score_made *made, size_t n)
{
	for (made->mask = 15; made->mask < 2 * n;)
		made->mask = 2 * made->mask + 1;
	made->tasks = fg_trace_memory(made->mask + 1, sizeof *made->tasks);
}

struct fg_score_task *
fg_score_made_place(const struct fg_score_made *made, uint32_t number)
{
	size_t place = number * UINT64_C(0x9e3779b97f4a7c15) >> 20 & made->mask;
	while (made->tasks[place].strand && made->tasks[place].number != number)
		place = (place + 1) & made->mask;
	return &made->tasks[place];
}
