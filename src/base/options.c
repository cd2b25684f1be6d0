/* Options: reads the FGOMP_ variables by the table of options.h (floor: base). */
#include "base/options.h"
#include "base/log.h"
#include "base/secure.h"
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fg_options fg_options;

struct fg_option fg_option_table[FG_OPTION_COUNT] = {
#define OPTION(type, field, name, preset, accepted, help)                                                              \
	{FG_OPTION_##type, name, preset, accepted, help, &fg_options.field, preset, false, ""},
	FG_OPTIONS(OPTION)
#undef OPTION
};

#define SECOND UINT64_C(1000000000)

/* Whole numbers, as most are, are read by hand: strtod lies in pages of the C library that a program's start would not
 * touch otherwise. */
static double
read_number(const char *text, char **end)
{
	const char *at = text;
	double value = 0;
	for (; isdigit((unsigned char)*at); at++)
		value = 10 * value + (*at - '0');
	if (at - text > 15 || (*at && strchr(".eExXpP", *at)))
		return strtod(text, end);
	*end = (char *)at;
	return value;
}

/* "NUMBER[UNIT]" with a unit out of a list. An empty unit takes the list's first entry. */
struct unit {
	const char *name;
	double factor;
};

static bool
parse_number(const char *text, const struct unit *units, double *value)
{
	while (isspace((unsigned char)*text))
		text++;
	if (!isdigit((unsigned char)*text)) /* no sign, no "inf" */
		return false;
	char *end;
	*value = read_number(text, &end);
	while (isspace((unsigned char)*end))
		end++;
	size_t length = strlen(end);
	while (length && isspace((unsigned char)end[length - 1]))
		length--;
	for (const struct unit *unit = units; unit->name; unit++)
		if (length == strlen(unit->name) && strncasecmp(end, unit->name, length) == 0) {
			*value *= unit->factor;
			return true;
		}
	return false;
}

bool
fg_parse_time(const char *text, uint64_t *ns)
{
	static const struct unit units[] = {{"", 1e6},	{"ns", 1},     {"us", 1e3},   {"ms", 1e6},
					    {"s", 1e9}, {"min", 6e10}, {"h", 3.6e12}, {NULL, 0}};
	double value;
	if (!parse_number(text, units, &value) || value > 1e18)
		return false;
	*ns = (uint64_t)(value + 0.5);
	return true;
}

/* The same, without a unit in seconds. */
static bool
parse_seconds(const char *text, uint64_t *ns)
{
	static const struct unit plain[] = {{"", 1e9}, {NULL, 0}};
	double value;
	if (!parse_number(text, plain, &value))
		return fg_parse_time(text, ns);
	if (value > 1e18)
		return false;
	*ns = (uint64_t)(value + 0.5);
	return true;
}

/* Sizes are "64K", "1M", "2G"; without a unit in KiB, as in OMP_STACKSIZE. */
static bool
parse_size(const char *text, uint64_t *bytes)
{
	static const struct unit units[] = {{"", 1024},		 {"B", 1}, {"K", 1024}, {"M", 1048576},
					    {"G", 1073741824.0}, {NULL, 0}};
	double value;
	if (!parse_number(text, units, &value) || value > 1e18)
		return false;
	*bytes = (uint64_t)value;
	return true;
}

static bool
parse_signal(const char *text, int *number)
{
	if (isdigit((unsigned char)*text)) {
		char *end;
		long value = strtol(text, &end, 10);
		*number = (int)value;
		return *end == '\0' && value > 0 && value <= SIGRTMAX;
	}
	if (strncasecmp(text, "SIG", 3) == 0)
		text += 3;
	if (strncasecmp(text, "RTMIN+", 6) == 0) {
		char *end;
		long value = strtol(text + 6, &end, 10);
		*number = SIGRTMIN + (int)value;
		return isdigit((unsigned char)text[6]) && *end == '\0' && value <= SIGRTMAX - SIGRTMIN;
	}
	/* The signals that may serve. sigabbrev_np, which has the names, came with glibc 2.32. */
	static const struct {
		const char *name;
		int number;
	} names[] = {{"URG", SIGURG},	    {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"ALRM", SIGALRM},
		     {"VTALRM", SIGVTALRM}, {"PROF", SIGPROF}, {"IO", SIGIO},	  {"WINCH", SIGWINCH},
		     {"CHLD", SIGCHLD},	    {"PWR", SIGPWR},   {"HUP", SIGHUP},	  {"INT", SIGINT},
		     {"QUIT", SIGQUIT},	    {"TERM", SIGTERM}, {"CONT", SIGCONT}};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (strcasecmp(names[i].name, text) == 0) {
			*number = names[i].number;
			return true;
		}
	return false;
}

/* Is `text` one of the words of "a, b, c"? Returns the length of the match, and its start in *word. */
static size_t
find_word(const char *list, const char *text, const char **word)
{
	size_t length = strlen(text);
	for (const char *p = list; *p; p += strspn(p, ", ")) {
		size_t n = strcspn(p, ",");
		if (n == length && strncasecmp(p, text, n) == 0) {
			*word = p;
			return n;
		}
		p += n;
	}
	return 0;
}

/* Checks the first word. The policies themselves check the rest. */
static bool
is_policy(const char *list, const char *text)
{
	char name[64];
	const char *word;
	size_t length = strcspn(text, ",+");
	if (memchr(text, '/', length))
		return true;
	if (length >= sizeof name)
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	return find_word(list, name, &word) != 0;
}

static bool
parse_flag(const char *text, bool *flag)
{
	const char *word;
	if (find_word("true,yes,on,1", text, &word))
		*flag = true;
	else if (find_word("false,no,off,0", text, &word))
		*flag = false;
	else
		return false;
	return true;
}

/* Excludes the signals that a program or libc cannot do without, or that cannot be caught. */
static bool
usable_signal(int number)
{
	return number != SIGKILL && number != SIGSTOP && number != SIGSEGV && number != SIGBUS && number != SIGILL &&
	       number != SIGFPE && number != SIGTRAP && number != SIGABRT && number != SIGCHLD && number != 32 &&
	       number != 33;
}

static bool
in_range(const struct fg_option *option, uint64_t value)
{
	switch (option - fg_option_table) {
	case FG_OPTION_slice:
		return value == 0 || (value >= SECOND / 10000 && value <= 10 * SECOND);
	case FG_OPTION_spin:
		return value <= 3600 * SECOND;
	case FG_OPTION_stuck:
		return value == 0 || (value >= SECOND && value <= 24 * 3600 * SECOND);
	case FG_OPTION_trace_size:
		return value >= 65536 && value <= UINT64_C(64) << 30;
	case FG_OPTION_stacksize:
		return value == 0 || (value >= 65536 && value <= UINT64_C(64) << 30);
	}
	return true;
}

static bool
parse_amount(enum fg_option_type type, const char *text, uint64_t *number)
{
	if (type == FG_OPTION_SIZE)
		return parse_size(text, number);
	return type == FG_OPTION_TIME ? fg_parse_time(text, number) : parse_seconds(text, number);
}

bool
fg_option_set(struct fg_option *option, const char *text)
{
	uint64_t number = 0;
	const char *word;
	bool flag;
	int signal;
	switch (option->type) {
	case FG_OPTION_POLICY:
		if (!is_policy(option->accepted, text))
			return false;
		/* fall through */
	case FG_OPTION_TEXT:
		*(const char **)option->value = text;
		return true;
	case FG_OPTION_CHOICE: {
		size_t length = find_word(option->accepted, text, &word);
		if (length == 0)
			return false;
		if (length >= sizeof option->word)
			return false;
		memcpy(option->word, word, length);
		option->word[length] = '\0';
		*(const char **)option->value = option->word;
		return true;
	}
	case FG_OPTION_FLAG:
		if (!parse_flag(text, &flag))
			return false;
		*(bool *)option->value = flag;
		return true;
	case FG_OPTION_SIGNAL:
		if (!parse_signal(text, &signal) || !usable_signal(signal))
			return false;
		*(int *)option->value = signal;
		return true;
	case FG_OPTION_TIME:
	case FG_OPTION_SECONDS:
	case FG_OPTION_SIZE:
		if (!parse_amount(option->type, text, &number) || !in_range(option, number))
			return false;
		*(uint64_t *)option->value = number;
		return true;
	}
	return false;
}

static void
read_one(const char *entry)
{
	const char *equals = strchr(entry, '=');
	if (!equals)
		return;
	size_t length = (size_t)(equals - entry);
	for (struct fg_option *option = fg_option_table; option < fg_option_table + FG_OPTION_COUNT; option++) {
		if (strlen(option->name) != length || strncmp(option->name, entry, length) != 0)
			continue;
		if (fg_option_set(option, equals + 1)) {
			option->text = equals + 1;
			option->given = true;
		} else if (!fg_options.quiet) {
			fg_error("%s is not valid; accepted: %s; using %s", entry, option->accepted, option->preset);
		}
		return;
	}
	if (!fg_options.quiet)
		fg_error("%.*s is not an option of ForestGOMP and is ignored; `forestgomp info` lists them",
			 (int)length, entry);
}

void
fg_options_read(char **environment)
{
	for (struct fg_option *option = fg_option_table; option < fg_option_table + FG_OPTION_COUNT; option++) {
		fg_option_set(option, option->preset);
		option->text = option->preset;
		option->given = false;
	}
	if (fg_secure()) /* not even a message: that would be an effect */
		return;
	for (char **entry = environment; entry && *entry; entry++)
		if (strncmp(*entry, "FGOMP_", 6) == 0)
			read_one(*entry);
}

__attribute__((constructor(101))) static void
read_environment(void)
{
	fg_options_read(environ);
}
