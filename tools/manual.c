/* Manual: the list of commands, --help, "did you mean" (manual.h). */
#include "manual.h"
#include "command.h"
#include "suggest.h"
#include "terminal.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NARROW 40
#define WIDE 120  /* longer lines are hard to read */
#define USUAL 100 /* where nobody tells a width */
#define INDENT 25 /* of what an option does */

const struct manual *
manual_of(const char *command)
{
	for (unsigned i = 0; i < n_manuals; i++)
		if (strcmp(manuals[i]->command, command) == 0)
			return manuals[i];
	return NULL;
}

const char *
manual_document(const char *name)
{
	static char path[4096 + 64];
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	if (length > 0) {
		self[length] = '\0';
		*strrchr(self, '/') = '\0'; /* the folder of programs */
		*strrchr(self, '/') = '\0';
		snprintf(path, sizeof path, "%s/" FG_DATADIR "/doc/forestgomp/%s", self, name);
		if (access(path, R_OK) == 0)
			return path;
	}
	snprintf(path, sizeof path, "docs/%s", name);
	return path;
}

/* ---- Wrapped text ---- */

static unsigned
width_of_text(void)
{
	unsigned width = terminal_columns();
	if (width == 0)
		width = USUAL;
	return width < NARROW ? NARROW : width > WIDE ? WIDE : width;
}

/* Prints the words of `text` from column `at` on, further lines from `indent` on. An empty line begins a paragraph. */
static void
wrap(const char *text, unsigned at, unsigned indent, unsigned width)
{
	bool first = true;
	while (*text) {
		if (strncmp(text, "\n\n", 2) == 0) {
			printf("\n\n%*s", (int)indent, "");
			at = indent;
			first = true;
			text += 2;
			continue;
		}
		size_t length = strcspn(text, " \n");
		if (!first && at + 1 + length > width) {
			printf("\n%*s", (int)indent, "");
			at = indent;
			first = true;
		}
		if (length) {
			printf("%s%.*s", first ? "" : " ", (int)length, text);
			at += (unsigned)length + !first;
			first = false;
		}
		text += length;
		if (*text == ' ' || (*text == '\n' && text[1] != '\n'))
			text++;
	}
	putchar('\n');
}

static void
print_paragraphs(const char *text, unsigned width)
{
	if (text) {
		putchar('\n');
		wrap(text, 0, 0, width);
	}
}

static void
print_option(const struct manual_option *option, unsigned width)
{
	char left[128];
	int length = snprintf(left, sizeof left, "  %c%c%c --%s%s%s", option->letter ? '-' : ' ',
			      option->letter ? option->letter : ' ', option->letter ? ',' : ' ', option->name,
			      option->value ? " " : "", option->value ? option->value : "");
	printf("%s%s%s", bold, left, plain);
	if (length + 2 > INDENT)
		printf("\n%*s", INDENT, "");
	else
		printf("%*s", INDENT - length, "");
	wrap(option->help, INDENT, INDENT, width);
	const char *const more[][2] = {
		{"sets ", option->variable}, {"accepted: ", option->accepted}, {"default: ", option->preset}};
	for (unsigned i = 0; i < sizeof more / sizeof *more; i++)
		if (more[i][1] && *more[i][1]) {
			printf("%*s%s%s", INDENT, "", dim, more[i][0]);
			wrap(more[i][1], INDENT + (unsigned)strlen(more[i][0]), INDENT + 2, width);
			fputs(plain, stdout);
		}
}

void
manual_help(const struct manual *manual)
{
	unsigned width = width_of_text();
	char usage[256];
	snprintf(usage, sizeof usage, "Usage: forestgomp %s %s", manual->command, manual->arguments);
	wrap(usage, 0, 2, width);
	print_paragraphs(manual->text, width);
	if (manual->n_options)
		putchar('\n');
	for (unsigned i = 0; i < manual->n_options; i++)
		print_option(&manual->options[i], width);
	print_paragraphs(manual->after, width);
	printf("\nExit status: ");
	wrap(manual->status, strlen("Exit status: "), 0, width);
	printf("\nMore: ");
	char *saved, *names = strdup(manual->see);
	for (char *name = strtok_r(names, " ", &saved); name; name = strtok_r(NULL, " ", &saved))
		printf("%s, ", manual_document(name));
	printf("man forestgomp-%s once installed\n", manual->command);
	free(names);
}

void
manual_usage(FILE *file)
{
	fprintf(file,
		"ForestGOMP " FG_VERSION ": an OpenMP runtime for hierarchical machines, in the place of libgomp\n\n");
	for (unsigned i = 0; i < n_manuals; i++)
		fprintf(file, "  forestgomp %-11s %s\n", manuals[i]->command, manuals[i]->summary);
	fprintf(file, "\n`forestgomp COMMAND --help` tells more about each, and `man forestgomp` once installed.\n");
}

/* ---- Did you mean ---- */

bool
manual_asked(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int
manual_one_word(const char *command, int argc, char **argv)
{
	return argc > 2 ? complain(command, "one word, not also '%s'", argv[2]) : 0;
}

int
manual_unknown(const struct manual *manual, const char *word)
{
	const char *known[manual->n_options + 1], *text = word + strspn(word, "-");
	for (unsigned i = 0; i < manual->n_options; i++)
		known[i] = manual->options[i].name;
	known[manual->n_options] = "help";
	const char *meant = suggest(text, strcspn(text, "="), known, manual->n_options + 1);
	return complain(manual->command, "no option is called '%s'%s%s%s; `forestgomp %s --help` lists them", word,
			meant ? "; did you mean '--" : "", meant ? meant : "", meant ? "'?" : "", manual->command);
}

int
manual_unknown_command(const char *word)
{
	const char *known[n_manuals + 1];
	for (unsigned i = 0; i < n_manuals; i++)
		known[i] = manuals[i]->command;
	known[n_manuals] = "help";
	const char *meant = suggest(word, strlen(word), known, n_manuals + 1);
	char list[256] = "";
	for (unsigned i = 0; i < n_manuals; i++)
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", manuals[i]->command);
	return complain("", "no command is called '%s'%s%s%s; known: %s", word, meant ? "; did you mean '" : "",
			meant ? meant : "", meant ? "'?" : "", list);
}
