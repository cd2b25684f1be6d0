/* Manual: completion for bash, zsh and fish (manual.h). */
#include "manual.h"
#include "base/options.h"
#include "command.h"
#include <string.h>

/* The values that a shell offers, with blanks between them; "": none. */
static const char *
words_of(const struct manual_option *option)
{
	static char words[512];
	const char *accepted = fg_option_table[FG_OPTION_sched].accepted; /* names, and then what else there may be */
	if (option->kind == MANUAL_POLICY)
		snprintf(words, sizeof words, "%.*s", (int)(strstr(accepted, ", or ") - accepted), accepted);
	else
		snprintf(words, sizeof words, "%s", option->words ? option->words : "");
	for (char *p = words; *p; p++)
		if (*p == ',')
			*p = ' ';
	return words;
}

/* ---- bash ---- */

static void
bash_case(const struct manual_option *option)
{
	if (!option->value)
		return;
	printf("\t\t--%s", option->name);
	if (option->letter)
		printf("|-%c", option->letter);
	if (option->kind == MANUAL_MACHINE)
		printf(") _forestgomp_offer -W \"$(forestgomp sim --list 2>/dev/null | awk '/^[a-z0-9]/ {print "
		       "$1}')\" -f ;;\n");
	else if (*words_of(option))
		printf(") _forestgomp_offer -W \"%s\" ;;\n", words_of(option));
	else if (option->kind == MANUAL_FILE)
		printf(") _forestgomp_offer -f ;;\n");
	else
		printf(") COMPREPLY=() ;;\n");
}

static void
bash_command(const struct manual *manual)
{
	printf("\t%s)\n\t\tcase $prev in\n", manual->command);
	for (unsigned i = 0; i < manual->n_options; i++)
		bash_case(&manual->options[i]);
	printf("\t\t*)\n\t\t\tif [[ $cur == -* ]]; then\n\t\t\t\t_forestgomp_offer -W \"");
	for (unsigned i = 0; i < manual->n_options; i++)
		printf("--%s ", manual->options[i].name);
	printf("--help\"\n\t\t\telse\n\t\t\t\t_forestgomp_offer %s\n\t\t\tfi "
	       ";;\n\t\tesac ;;\n",
	       manual->operand == MANUAL_PROGRAM ? "-c -f" : "-f");
}

static void
bash(void)
{
	/* A name may have blanks, or signs of a pattern: each line is one word. */
	printf("# bash completion of forestgomp\n_forestgomp_offer() {\n\tmapfile -t COMPREPLY < <(compgen \"$@\" -- "
	       "\"$cur\")\n}\n_forestgomp() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} "
	       "prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	       "\tif ((COMP_CWORD == 1)); then\n\t\t_forestgomp_offer -W \"");
	for (unsigned i = 0; i < n_manuals; i++)
		printf("%s ", manuals[i]->command);
	printf("--help --version\"\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n");
	for (unsigned i = 0; i < n_manuals; i++)
		bash_command(manuals[i]);
	printf("\tesac\n}\ncomplete -o filenames -F _forestgomp forestgomp\n");
}

/* ---- zsh ---- */

/* A text within '...[...]': quotes, brackets and colons have meanings there. */
static void
zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else {
			if (strchr("[]:\\", *text))
				putchar('\\');
			putchar(*text);
		}
	}
}

static void
zsh_value(const struct manual_option *option)
{
	if (!option->value)
		return;
	printf(":");
	zsh_text(option->value);
	if (option->kind == MANUAL_MACHINE)
		printf(":_files");
	else if (*words_of(option))
		printf(":(%s)", words_of(option));
	else
		printf(option->kind == MANUAL_FILE ? ":_files" : ": ");
}

static void
zsh_option(const struct manual_option *option)
{
	for (int form = option->letter ? 0 : 1; form < 2; form++) {
		printf("\t\t\t'*");
		if (form)
			printf("--%s%s", option->name, option->value ? "=" : "");
		else
			printf("-%c%s", option->letter, option->value ? "+" : "");
		putchar('[');
		zsh_text(option->help);
		putchar(']');
		zsh_value(option);
		printf("' \\\n");
	}
}

static void
zsh(void)
{
	printf("#compdef forestgomp\n# zsh completion of forestgomp\n_forestgomp() {\n\tlocal -a commands=(\n");
	for (unsigned i = 0; i < n_manuals; i++) {
		printf("\t\t'%s:", manuals[i]->command);
		zsh_text(manuals[i]->summary);
		printf("'\n");
	}
	printf("\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal "
	       "command=$words[2]\n"
	       "\tshift words\n\t((CURRENT--))\n\tcase $command in\n");
	for (unsigned i = 0; i < n_manuals; i++) {
		const struct manual *manual = manuals[i];
		printf("\t%s)\n\t\t_arguments -s \\\n", manual->command);
		for (unsigned k = 0; k < manual->n_options; k++)
			zsh_option(&manual->options[k]);
		printf("\t\t\t'--help[how the command is called]' \\\n\t\t\t%s ;;\n",
		       manual->operand == MANUAL_PROGRAM ? "'(-)1:program:_command_names -e' '*::arguments:_files'"
							 : "'*:file:_files'");
	}
	printf("\tesac\n}\n_forestgomp \"$@\"\n");
}

/* ---- fish ---- */

static void
fish_text(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

static void
fish_option(const struct manual *manual, const struct manual_option *option)
{
	printf("complete -c forestgomp -n '__fish_seen_subcommand_from %s' -l %s", manual->command, option->name);
	if (option->letter)
		printf(" -s %c", option->letter);
	if (option->value && *words_of(option))
		printf(" -x -a '%s'", words_of(option));
	else if (option->value)
		printf(option->kind == MANUAL_FILE || option->kind == MANUAL_MACHINE ? " -r -F" : " -x");
	printf(" -d ");
	fish_text(option->help);
	putchar('\n');
}

static void
fish(void)
{
	printf("# fish completion of forestgomp\n");
	for (unsigned i = 0; i < n_manuals; i++) {
		printf("complete -c forestgomp -n __fish_use_subcommand -f -a %s -d ", manuals[i]->command);
		fish_text(manuals[i]->summary);
		putchar('\n');
	}
	for (unsigned i = 0; i < n_manuals; i++)
		for (unsigned k = 0; k < manuals[i]->n_options; k++)
			fish_option(manuals[i], &manuals[i]->options[k]);
}

int
command_completion(int argc, char **argv)
{
	const struct {
		const char *name;
		void (*print)(void);
	} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
	if (argc > 1 && manual_asked(argv[1])) {
		manual_help(manual_of("completion"));
		return 0;
	}
	for (unsigned i = 0; argc > 1 && i < sizeof shells / sizeof *shells; i++)
		if (strcmp(argv[1], shells[i].name) == 0) {
			shells[i].print();
			return 0;
		}
	return complain("completion", "which shell? accepted: bash, zsh, fish");
}
