/* Manual: completion for bash, zsh and fish (manual.h). */
#include "manual.h"
#include "base/options.h"
#include "command.h"
#include <string.h>

#define SHELLS "bash zsh fish"

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

/* Several of the words may follow each other. */
static bool
is_list(const struct manual_option *option)
{
	return option->value && strstr(option->value, ",...");
}

static void
print_commands(void)
{
	for (unsigned i = 0; i < n_manuals; i++)
		printf("%s%s", i ? " " : "", manuals[i]->command);
}

/* ---- bash ---- */

/* An option and its value are two words for bash, and a '=' between them is a third. */
static void
bash_case(const struct manual_option *option)
{
	if (!option->value && !option->words)
		return;
	printf("\t\t--%s=", option->name);
	if (option->value)
		printf("|--%s", option->name);
	if (option->letter)
		printf("|-%c", option->letter);
	if (option->kind == MANUAL_MACHINE)
		printf(") _forestgomp_offer -W \"$(forestgomp sim --list 2>/dev/null | awk '/^[a-z0-9]/ {print "
		       "$1}')\" -f ;;\n");
	else if (*words_of(option))
		printf(") _forestgomp_%s \"%s\" ;;\n", is_list(option) ? "list" : "offer -W", words_of(option));
	else if (option->kind == MANUAL_FILE)
		printf(") _forestgomp_offer -f ;;\n");
	else
		printf(") COMPREPLY=() ;;\n");
}

static void
bash_operand(enum manual_kind operand)
{
	switch (operand) {
	case MANUAL_PROGRAM:
		printf("_forestgomp_offer -c -f");
		break;
	case MANUAL_FILE:
		printf("_forestgomp_offer -f");
		break;
	case MANUAL_COMMAND:
		printf("_forestgomp_offer -W \"$commands forestgomp variables\"");
		break;
	case MANUAL_SHELL:
		printf("_forestgomp_offer -W \"" SHELLS "\"");
		break;
	default:
		printf("COMPREPLY=()");
	}
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
	printf("--help\"\n\t\t\telse\n\t\t\t\t");
	bash_operand(manual->operand);
	printf("\n\t\t\tfi ;;\n\t\tesac ;;\n");
}

static void
bash(void)
{
	/* A name may have blanks, or signs of a pattern: each line is one word. The last one of a list is completed. */
	printf("# bash completion of forestgomp\n_forestgomp_offer() {\n\tmapfile -t COMPREPLY < <(compgen \"$@\" -- "
	       "\"$cur\")\n}\n_forestgomp_list() {\n\tlocal head=\n\tif [[ $cur == *,* ]]; then\n\t\thead=${cur%%,*},\n"
	       "\t\tcur=${cur##*,}\n\tfi\n\t_forestgomp_offer -P \"$head\" -W \"$1\"\n}\n"
	       "_forestgomp() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} commands=\"");
	print_commands();
	printf("\"\n\tif ((COMP_CWORD == 1)); then\n\t\t_forestgomp_offer -W \"$commands help --help --version\"\n"
	       "\t\treturn\n\tfi\n\tif [[ $cur == = ]]; then\n\t\tcur= prev+==\n\telif [[ $prev == = ]]; then\n"
	       "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}=\n\tfi\n\tcase ${COMP_WORDS[1]} in\n\thelp) _forestgomp_offer -W "
	       "\"$commands\" ;;\n");
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
	if (!option->value && !option->words)
		return;
	printf(option->value ? ":" : "::");
	zsh_text(option->value ? option->value : "WORD");
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
			printf("--%s%s", option->name, option->value ? "=" : option->words ? "=-" : "");
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
zsh_operand(enum manual_kind operand)
{
	switch (operand) {
	case MANUAL_PROGRAM:
		printf("'(-)1:program:_command_names -e' '*::arguments:_files'");
		break;
	case MANUAL_FILE:
		printf("'*:file:_files'");
		break;
	case MANUAL_COMMAND:
		printf("'1:page:(forestgomp variables ");
		print_commands();
		printf(")'");
		break;
	case MANUAL_SHELL:
		printf("'1:shell:(" SHELLS ")'");
		break;
	default:
		printf("'*: : '");
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
	printf("\t\t'help:how a command is called'\n\t)\n\tif ((CURRENT == 2)); then\n"
	       "\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal "
	       "command=$words[2]\n"
	       "\tshift words\n\t((CURRENT--))\n\tcase $command in\n\thelp)\n\t\t_arguments '1:command:(");
	print_commands();
	printf(")' ;;\n");
	for (unsigned i = 0; i < n_manuals; i++) {
		const struct manual *manual = manuals[i];
		printf("\t%s)\n\t\t_arguments -s \\\n", manual->command);
		for (unsigned k = 0; k < manual->n_options; k++)
			zsh_option(&manual->options[k]);
		printf("\t\t\t'--help[how the command is called]' \\\n\t\t\t");
		zsh_operand(manual->operand);
		printf(" ;;\n");
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
	if (option->value || !option->words)
		return;
	printf("complete -c forestgomp -n '__fish_seen_subcommand_from %s; and string match -q -- \"--%s*\" "
	       "(commandline -ct)' -a '",
	       manual->command, option->name);
	for (char *save = NULL, *words = strdup(option->words), *word = strtok_r(words, ",", &save); word;
	     word = strtok_r(NULL, ",", &save))
		printf("--%s=%s ", option->name, word);
	printf("'\n");
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
	printf("complete -c forestgomp -n __fish_use_subcommand -f -a help -d 'how a command is called'\n"
	       "complete -c forestgomp -n '__fish_seen_subcommand_from help' -f -a '");
	print_commands();
	printf("'\n");
	for (unsigned i = 0; i < n_manuals; i++) {
		const struct manual *manual = manuals[i];
		if (manual->operand != MANUAL_PROGRAM && manual->operand != MANUAL_FILE)
			printf("complete -c forestgomp -n '__fish_seen_subcommand_from %s' -f\n", manual->command);
		if (manual->operand == MANUAL_SHELL)
			printf("complete -c forestgomp -n '__fish_seen_subcommand_from %s' -a '" SHELLS "'\n",
			       manual->command);
		if (manual->operand != MANUAL_COMMAND)
			continue;
		printf("complete -c forestgomp -n '__fish_seen_subcommand_from %s' -f -a 'forestgomp variables ",
		       manual->command);
		print_commands();
		printf("'\n");
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
	if (manual_one_word("completion", argc, argv))
		return WRONG_USE;
	for (unsigned i = 0; argc > 1 && i < sizeof shells / sizeof *shells; i++)
		if (strcmp(argv[1], shells[i].name) == 0) {
			shells[i].print();
			return 0;
		}
	return complain("completion", "which shell? accepted: bash, zsh, fish");
}
