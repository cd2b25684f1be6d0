/* Manual: the pages of `man` (manual.h), in the macros of man(7). */
#include "manual.h"
#include "base/options.h"
#include "command.h"
#include <string.h>

#define DATE "2026-11-30" /* of this version, as in CHANGELOG.md */

/* A dash is a minus, a backslash is one, and no line begins a macro by chance. */
static void
print_text(const char *text)
{
	bool line_begins = true;
	for (; *text; text++) {
		if (line_begins && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		line_begins = *text == '\n';
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '`')
			fputs("\\(ga", stdout);
		else if (*text == '\n' && text[1] == '\n') {
			fputs("\n.PP", stdout);
			while (text[1] == '\n' && text[2] == '\n')
				text++;
		} else
			putchar(*text);
	}
	putchar('\n');
}

static void
print_section(const char *name, const char *text)
{
	if (text && *text) {
		printf(".SH %s\n", name);
		print_text(text);
	}
}

static void
begin(const char *name, const char *section, const char *summary)
{
	printf(".TH \"%s\" %s \"" DATE "\" \"ForestGOMP " FG_VERSION "\" \"ForestGOMP\"\n.SH NAME\n", name, section);
	print_text(name);
	printf("\\- %s\n", summary);
}

static void
print_detail(const char *word, const char *text)
{
	if (text && *text) {
		printf(".br\n%s: ", word);
		print_text(text);
	}
}

static void
print_option(const struct manual_option *option)
{
	printf(".TP\n.B ");
	if (option->letter)
		printf("\\-%c, ", option->letter);
	printf("\\-\\-");
	char words[256];
	snprintf(words, sizeof words, "%s%s%s", option->name, option->value ? " " : "",
		 option->value ? option->value : "");
	print_text(words);
	print_text(option->help);
	print_detail("Sets", option->variable);
	print_detail("Accepted", option->accepted);
	print_detail("Default", option->preset);
}

static void
print_see_also(const struct manual *but)
{
	printf(".SH SEE ALSO\n");
	if (but)
		printf(".BR forestgomp (1),\n");
	for (unsigned i = 0; i < n_manuals; i++)
		if (manuals[i] != but)
			printf(".BR forestgomp\\-%s (1),\n", manuals[i]->command);
	printf(".BR forestgomp (7)\n");
}

static void
print_command(const struct manual *manual)
{
	char name[64];
	snprintf(name, sizeof name, "forestgomp-%s", manual->command);
	begin(name, "1", manual->summary);
	printf(".SH SYNOPSIS\n.B forestgomp %s\n", manual->command);
	print_text(manual->arguments);
	print_section("DESCRIPTION", manual->text);
	printf(".SH OPTIONS\n");
	for (unsigned i = 0; i < manual->n_options; i++)
		print_option(&manual->options[i]);
	print_section("NOTES", manual->after);
	print_section("EXIT STATUS", manual->status);
	printf(".SH FILES\n");
	print_text(FG_PREFIX "/" FG_DATADIR "/doc/forestgomp");
	print_see_also(manual);
}

static void
print_overview(void)
{
	begin("forestgomp", "1", "runs OpenMP programs on a runtime for hierarchical machines");
	printf(".SH SYNOPSIS\n.B forestgomp\nCOMMAND [OPTIONS] [ARGUMENTS]\n.SH DESCRIPTION\n");
	print_text("ForestGOMP is an OpenMP runtime in the place of libgomp. Programs that gcc built with -fopenmp run "
		   "on it unchanged. Each parallel region is a bubble of user-level threads, and a bubble scheduler "
		   "maps the bubbles on the machine's tree of nodes, caches and cores.");
	printf(".SH COMMANDS\n");
	for (unsigned i = 0; i < n_manuals; i++) {
		printf(".TP\n.B %s\n", manuals[i]->command);
		print_text(manuals[i]->summary);
	}
	print_section("ENVIRONMENT", "forestgomp(7) lists the variables.\n\nNO_COLOR: no colours. TERM=dumb: no "
				     "colours, and no progress bars. COLUMNS: the width of texts and tables.");
	print_section(
		"EXIT STATUS",
		"0: done. 1: it could not be done. 2: the call was wrong. Commands that run a program end with its "
		"status.");
	print_see_also(NULL);
}

static void
print_variables(void)
{
	begin("forestgomp", "7", "environment variables of ForestGOMP");
	printf(".SH DESCRIPTION\n");
	print_text("The runtime reads these variables when a program starts. It reports a value that it does not "
		   "accept in one line, and uses the default. It reads the variables of OpenMP, OMP_*, as libgomp "
		   "does. `forestgomp run` has an option for each.");
	printf(".SH VARIABLES\n");
	for (unsigned i = 0; i < FG_OPTION_COUNT; i++) {
		const struct fg_option *option = &fg_option_table[i];
		printf(".TP\n.B %s\n", option->name);
		print_text(option->help);
		print_detail("Accepted", option->accepted);
		print_detail("Default", option->preset);
	}
	print_see_also(NULL);
}

int
command_man(int argc, char **argv)
{
	const char *page = argc > 1 ? argv[1] : "forestgomp";
	const struct manual *manual = manual_of(page);
	int status = manual_one_word("man", argc, argv);
	if (status)
		return status;
	if (manual_asked(page))
		manual_help(manual_of("man"));
	else if (manual)
		print_command(manual);
	else if (strcmp(page, "forestgomp") == 0)
		print_overview();
	else if (strcmp(page, "variables") == 0)
		print_variables();
	else
		return complain("man", "there is no page '%s'; accepted: forestgomp, variables, or a command", page);
	return 0;
}
