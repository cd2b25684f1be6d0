/* Manual: what the commands of `forestgomp` accept, as tables. The texts of --help, the man pages, the completions of
 * shells and "did you mean" come from them (floor: tools; used by all commands). */
#pragma once
#include <stdbool.h>
#include <stdio.h>

/* What a shell offers for the value of an option, or for what follows the options. */
enum manual_kind {
	MANUAL_NOTHING,
	MANUAL_ANYTHING,
	MANUAL_FILE,
	MANUAL_PROGRAM,
	MANUAL_MACHINE,
	MANUAL_POLICY,
	MANUAL_COMMAND,
	MANUAL_SHELL
};

struct manual_option {
	char letter;	       /* or 0 */
	const char *name;      /* without the dashes */
	const char *value;     /* how the help names it; NULL: the option has none */
	const char *help;      /* one line, without a full stop */
	enum manual_kind kind; /* of the value */
	const char *words;     /* values that a shell offers, with commas between them; NULL: as `kind` says. Without
				* `value` they may follow a '=' */
	const char *variable;  /* the environment variable that the option sets, or NULL */
	const char *accepted;  /* the values that are valid, or NULL if `help` says it */
	const char *preset;    /* the default, or NULL if `help` says it */
};

struct manual {
	const char *command;   /* "run" */
	const char *summary;   /* one line for the list of commands, without a full stop */
	const char *arguments; /* behind the command's name in the line of usage */
	const char *text;      /* paragraphs before the options, with empty lines between them */
	const struct manual_option *options;
	unsigned n_options;
	const char *after;  /* paragraphs behind the options, or NULL */
	const char *status; /* what the exit statuses mean */
	enum manual_kind operand;
	const char *see; /* pages of docs/ that tell more, with blanks between them */
};

/* The commands in the order of the help. */
extern const struct manual *const manuals[];
extern const unsigned n_manuals;
/* Fills in the options that the library's table gives. It comes first. */
void manual_begin(void);
/* The name of the option of `run` for a variable of the library (enum fg_option_index). */
const char *manual_option_of_variable(unsigned index);
/* NULL: no command is called so. */
const struct manual *manual_of(const char *command);

/* The text of `forestgomp COMMAND --help`, no wider than the terminal. */
void manual_help(const struct manual *manual);
/* The list of commands. */
void manual_usage(FILE *file);
/* Complains about a word that is no option of the command, with the option that is most like it. Returns an exit
 * status. */
int manual_unknown(const struct manual *manual, const char *word);
/* The same for a word that is no command. */
int manual_unknown_command(const char *word);
/* The caller's word is -h or --help. */
bool manual_asked(const char *word);
/* Refuses words of a command behind the one that it takes: argv[1]. Returns 0, or an exit status after a complaint. */
int manual_one_word(const char *command, int argc, char **argv);

/* `forestgomp man [PAGE]` writes a page in the form of man(7): of a command, "forestgomp" or "variables". */
int command_man(int argc, char **argv);
/* `forestgomp completion SHELL` writes what the shell has to know of the options. */
int command_completion(int argc, char **argv);

/* Where a document lies: installed, in the source tree, or just its name. */
const char *manual_document(const char *name);
