/* The page of a job (command): the model as JSON, between the parts of tools/draw/page. This program contains those
 * as text. */
#include "draw/page.h"

#include <inttypes.h>

#include "draw/page_model.h"
#include "draw/page_parts.h" /* scripts/embed.py makes it of tools/draw/page */

/* With more, a page takes seconds to load. All processes share this. */
#define SLICES_MAX 600000
#define MOVES_MAX 1000000

/* The first process of those that have its clock. */
static unsigned
machine_of(const struct fg_job *job, unsigned i)
{
	unsigned first = 0;
	while (!fg_job_share_clock(job->stories[first], job->stories[i]))
		first++;
	return first;
}

static void
model(const struct fg_job *job, uint64_t from, uint64_t to, FILE *file)
{
	struct fg_page_window window = {from, to ? to : job->span, 0};
	for (unsigned i = 0; i < job->n && !to; i++) {
		window.begin = job->begins[i];
		uint64_t end = fg_page_bearable(job->stories[i], &window, SLICES_MAX / job->n, MOVES_MAX / job->n);
		window.to = end < window.to ? end : window.to;
	}
	fprintf(file, "{\"span\":%" PRIu64 ",\"window\":[%" PRIu64 ",%" PRIu64 "],", job->span, window.from, window.to);
	fg_page_events(file);
	fputs("\"processes\":[\n", file);
	for (unsigned i = 0; i < job->n; i++) {
		window.begin = job->begins[i];
		fputs(i ? ",\n" : "", file);
		fg_page_model(job->stories[i], machine_of(job, i), &window, file);
	}
	fputs("]}\n", file);
}

void
fg_page_write(const struct fg_job *job, uint64_t from, uint64_t to, FILE *file)
{
	fputs(fg_page_head, file);
	fputs("<style>\n", file);
	fputs(fg_page_style, file);
	fputs("</style>\n", file);
	fputs(fg_page_body, file);
	fputs("<script type=\"application/json\" id=\"model\">\n", file);
	model(job, from, to < job->span ? to : job->span, file);
	fputs("</script>\n<script>\n", file);
	fputs(fg_page_model_js, file);
	fputs(fg_page_colours_js, file);
	fputs(fg_page_grants_js, file);
	fputs(fg_page_line_js, file);
	fputs(fg_page_find_js, file);
	fputs(fg_page_moves_js, file);
	fputs(fg_page_steps_js, file);
	fputs(fg_page_tables_js, file);
	fputs(fg_page_start_js, file);
	fputs("</script>\n</body>\n</html>\n", file);
}
