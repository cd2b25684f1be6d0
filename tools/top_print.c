/* The picture of `forestgomp top` (top.h): a table, a bar of the machine's PUs, or JSON. */
#include "top.h"
#include "command.h"
#include "draw/json.h"
#include <stdarg.h>
#include <string.h>

#define LETTERS 26
#define LINE 1024
#define BAR_USUAL 72 /* columns, where nobody tells a width */
#define PU_WIDEST 8  /* columns of one PU */
#define BAR_MARGIN 6 /* the columns of the bar that show no PU */
#define HEAD_LINES 3 /* bar, its words, heads of columns */

static const char *const states[] = {"region", "busy", "idle", "stopped", "elsewhere"};
/* By letter; those of a terminal. None where there are no colours at all. */
static const char *const colours[] = {"\033[32m", "\033[33m", "\033[34m", "\033[35m", "\033[36m", "\033[31m"};

/* Further programs have small letters, and then the last one. */
static char
letter(unsigned program)
{
	return program < LETTERS ? (char)('A' + program)
				 : (char)('a' + (program < 2 * LETTERS ? program - LETTERS : LETTERS - 1));
}

static const char *
colour(unsigned program)
{
	return *plain ? colours[program % (sizeof colours / sizeof *colours)] : "";
}

/* ---- The bar ---- */

/* Prints the cells from `from` to the one at which `pus` PUs end. Returns that one. */
static unsigned
cells(FILE *file, unsigned from, double pus, double per_pu, unsigned all, char sign)
{
	double end = pus * per_pu + 0.5;
	unsigned to = end < all ? (unsigned)end : all;
	for (unsigned i = from; i < to; i++)
		fputc(sign, file);
	return to > from ? to : from;
}

static void
print_bar(FILE *file, const struct top_picture *picture, unsigned columns, const char *end)
{
	unsigned room = (columns && columns < BAR_USUAL ? columns : BAR_USUAL) - BAR_MARGIN;
	if (columns && columns <= 2 * BAR_MARGIN)
		room = BAR_MARGIN;
	unsigned whole = room / picture->pus < PU_WIDEST ? room / picture->pus : PU_WIDEST;
	double per_pu = whole ? whole : (double)room / picture->pus, pus = 0, outside = top_outside(picture);
	unsigned all = whole ? whole * picture->pus : room, at = 0;
	fprintf(file, "PUs [");
	for (unsigned i = 0; i < picture->n; i++) {
		pus += picture->row[i].cpu > 0 ? picture->row[i].cpu : 0;
		fputs(colour(i), file);
		at = cells(file, at, pus, per_pu, all, letter(i));
		fputs(plain, file);
	}
	if (outside > 0)
		at = cells(file, at, pus + outside, per_pu, all, '#');
	fputs(dim, file);
	cells(file, at, picture->pus, per_pu, all, '.');
	fprintf(file, "%s]%s", plain, end);
}

static void
print_sums(FILE *file, const struct top_picture *picture, unsigned columns, const char *end)
{
	char text[LINE];
	double programs = 0, outside = top_outside(picture);
	for (unsigned i = 0; i < picture->n; i++)
		programs += picture->row[i].cpu > 0 ? picture->row[i].cpu : 0;
	int length = snprintf(text, sizeof text, "%u PUs: %.1f used by %u program%s on the board", picture->pus,
			      programs, picture->n, picture->n == 1 ? "" : "s");
	if (outside >= 0)
		snprintf(text + length, sizeof text - (size_t)length, ", %.1f by others (#)", outside);
	fprintf(file, "%.*s%s", columns ? (int)columns : LINE, text, end);
}

/* ---- The table ---- */

/* A number with one decimal; "-" where it is not known. */
static const char *
number(char *text, size_t size, double value)
{
	if (value < 0)
		return "-";
	snprintf(text, size, "%.1f", value);
	return text;
}

static const char *
whole_number(char *text, size_t size, unsigned value)
{
	if (!value)
		return "-";
	snprintf(text, size, "%u", value);
	return text;
}

/* The PUs that the program may use now. One that has not told of late is alone, as far as it knows. */
static unsigned
granted(const struct view_program *program)
{
	unsigned alone = program->limit && program->limit < program->pus ? program->limit : program->pus;
	return program->active || program->bound ? program->granted : alone;
}

#define SET 12 /* characters of a set of PUs, and the end */

/* Some program has a set of PUs, so there is a column for it. */
static bool
any_chooses(const struct top_picture *picture)
{
	for (unsigned i = 0; i < picture->n; i++)
		if (picture->row[i].program.chooses)
			return true;
	return false;
}

static void
print_row(FILE *file, const struct top_row *row, unsigned i, bool sets, unsigned columns, const char *end)
{
	char text[LINE], n[6][16], cpus[SET], set[SET] = "-", chosen[SET + 1] = "", nice[16] = "-", threads[16];
	bool told = row->program.active;
	set_text(&row->program.cpus, cpus, sizeof cpus);
	if (row->program.chooses)
		set_text(&row->program.set, set, sizeof set);
	if (sets)
		snprintf(chosen, sizeof chosen, "%-12s", set);
	if (row->process.there)
		snprintf(nice, sizeof nice, "%d", row->process.nice);
	int length =
		snprintf(text, sizeof text, " %7d %-9s %4s %7s %6s %7s %6s %6s %6s %5s %s%-11s ", row->program.process,
			 states[row->state], nice, whole_number(threads, sizeof threads, row->process.threads),
			 number(n[0], sizeof n[0], told ? row->program.demand : -1),
			 whole_number(n[1], sizeof n[1], granted(&row->program)), number(n[2], sizeof n[2], row->used),
			 number(n[3], sizeof n[3], row->lost), number(n[4], sizeof n[4], row->cpu),
			 whole_number(n[5], sizeof n[5], row->program.limit), chosen, cpus);
	for (const char *at = row->process.there ? row->process.command : "?"; *at && length < LINE - 1; at++)
		text[length++] = *at >= ' ' && *at < 127 ? *at : '?';
	text[length] = '\0';
	fprintf(file, "%s%c%s%.*s%s", colour(i), letter(i), plain, columns > 1 ? (int)columns - 1 : LINE, text, end);
}

unsigned
top_print(FILE *file, const struct top_picture *picture, unsigned columns, unsigned rows, const char *end)
{
	static const char head[] = "      PID STATE     NICE THREADS  WANTS GRANTED   USES   LOST    CPU LIMIT ";
	char heads[LINE];
	bool sets = any_chooses(picture);
	unsigned shown = picture->n, room = rows > HEAD_LINES + 2 ? rows - HEAD_LINES - 2 : 1;
	if (rows && shown > room)
		shown = room;
	print_bar(file, picture, columns, end);
	print_sums(file, picture, columns, end);
	snprintf(heads, sizeof heads, "%s%sMAY USE     COMMAND", head, sets ? "SET         " : "");
	fprintf(file, "%s%.*s%s%s", bold, columns ? (int)columns : LINE, heads, plain, end);
	for (unsigned i = 0; i < shown; i++)
		print_row(file, &picture->row[i], i, sets, columns, end);
	if (shown < picture->n)
		fprintf(file, "%u more%s", picture->n - shown, end);
	return HEAD_LINES + shown + (shown < picture->n);
}

/* ---- JSON ---- */

static void
print_known(FILE *file, const char *key, double value)
{
	if (value < 0)
		fprintf(file, ", \"%s\": null", key);
	else
		fprintf(file, ", \"%s\": %.3f", key, value);
}

static void
print_whole(FILE *file, const char *key, unsigned value)
{
	if (!value)
		fprintf(file, ", \"%s\": null", key);
	else
		fprintf(file, ", \"%s\": %u", key, value);
}

static void
print_program(FILE *file, const struct top_row *row)
{
	char set[4 * FG_BOARD_PUS];
	const struct view_program *program = &row->program;
	set_text(&program->cpus, set, sizeof set);
	fprintf(file, "{\"pid\": %d, \"command\": ", program->process);
	if (row->process.there)
		fg_json_string(file, row->process.command);
	else
		fprintf(file, "null");
	fprintf(file, ", \"state\": \"%s\"", states[row->state]);
	if (row->process.there)
		fprintf(file, ", \"nice\": %d", row->process.nice);
	else
		fprintf(file, ", \"nice\": null");
	print_whole(file, "threads", row->process.threads);
	print_known(file, "wanted", program->active ? program->demand : -1);
	print_whole(file, "granted", granted(program));
	print_whole(file, "pus", program->pus);
	print_known(file, "used", row->used);
	print_known(file, "lost", row->lost);
	print_known(file, "cpu", row->cpu);
	print_whole(file, "limit", program->limit);
	fprintf(file, ", \"bound\": %s, \"set\": \"%s\"", program->bound ? "true" : "false", set);
	if (program->chooses) {
		set_text(&program->set, set, sizeof set);
		fprintf(file, ", \"chosen\": \"%s\"}", set);
	} else
		fprintf(file, ", \"chosen\": null}");
}

void
top_print_json(FILE *file, const struct top_picture *picture)
{
	fprintf(file, "{\"seconds\": %.3f, \"pus\": %u", picture->seconds, picture->pus);
	print_known(file, "busy", picture->busy);
	print_known(file, "outside", top_outside(picture));
	fprintf(file, ", \"programs\": [");
	for (unsigned i = 0; i < picture->n; i++) {
		fputs(i ? ", " : "", file);
		print_program(file, &picture->row[i]);
	}
	fprintf(file, "]}\n");
}
