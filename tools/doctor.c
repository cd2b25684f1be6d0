/* `forestgomp doctor`: which OpenMP libraries a program or a Python brings, which of them would serve, and what is in
 * the way. */
#include "doctor.h"
#include "command.h"
#include "facts.h"
#include "manual.h"
#include "process.h"
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct finding *findings;
static unsigned n_findings;

void
doctor_find(const char *area, const char *key, bool in_the_way, const char *remedy, const char *format, ...)
{
	struct finding finding = {area, key, in_the_way, NULL, strdup(remedy)};
	va_list args;
	va_start(args, format);
	if (vasprintf(&finding.what, format, args) < 0)
		finding.what = NULL;
	va_end(args);
	findings = realloc(findings, (n_findings + 1) * sizeof *findings);
	if (!findings || !finding.what || !finding.remedy)
		abort();
	for (char *at = finding.what; *at; at++) /* names of files may have any bytes */
		if ((unsigned char)*at < ' ')
			*at = '?';
	findings[n_findings++] = finding;
}

static unsigned
count_in_the_way(void)
{
	unsigned count = 0;
	for (unsigned i = 0; i < n_findings; i++)
		count += findings[i].in_the_way;
	return count;
}

/* ---- Output ---- */

static void
print_findings(bool in_the_way)
{
	for (unsigned i = 0; i < n_findings; i++)
		if (findings[i].in_the_way == in_the_way)
			printf("%s%-10s%s %s%s%s\n", in_the_way ? bold : dim, in_the_way ? "in the way" : "note", plain,
			       findings[i].what, *findings[i].remedy ? "; " : "", findings[i].remedy);
}

static void
print_text(const struct patient *patient)
{
	printf("ForestGOMP " FG_VERSION ": %s\n", patient->runtime ? patient->runtime : "the library was not found");
	if (patient->python && !patient->process)
		printf("Python: %s\n", patient->python);
	print_findings(false);
	print_findings(true);
	unsigned count = count_in_the_way();
	if (count)
		printf("%u %s in the way\n", count, count == 1 ? "thing is" : "things are");
	else
		printf("nothing is in the way\n");
}

static void
print_member(const char *name, const char *value, const char *end)
{
	printf("\"%s\": ", name);
	if (value)
		fg_json_string(stdout, value);
	else
		printf("null");
	fputs(end, stdout);
}

static void
print_json(const struct patient *patient)
{
	printf("{\"version\": \"" FG_VERSION "\", ");
	print_member("library", patient->runtime, ", ");
	print_member("python", patient->python, ",\n \"findings\": [");
	for (unsigned i = 0; i < n_findings; i++) {
		printf("%s\n  {\"area\": \"%s\", \"key\": \"%s\", \"in_the_way\": %s, ", i ? "," : "", findings[i].area,
		       findings[i].key, findings[i].in_the_way ? "true" : "false");
		print_member("what", findings[i].what, ", ");
		print_member("remedy", findings[i].remedy, "}");
	}
	printf("\n ]}\n");
}

/* ---- The patient ---- */

/* The environment of a process, as environ has it. NULL: it cannot be read. */
static char **
environment_of(int process)
{
	char path[64], *text = NULL;
	size_t room = 0, n = 0;
	char **entries = NULL;
	snprintf(path, sizeof path, "/proc/%d/environ", process);
	FILE *file = fopen(path, "re");
	while (file && getdelim(&text, &room, '\0', file) > 0) {
		entries = realloc(entries, (n + 2) * sizeof *entries);
		if (!entries)
			abort();
		entries[n++] = strdup(text);
		entries[n] = NULL;
	}
	free(text);
	if (file)
		fclose(file);
	return entries;
}

static int
take_process(const char *word, struct patient *patient)
{
	char *end;
	struct process process;
	errno = 0;
	long number = strtol(word, &end, 10);
	if (*end || errno || number < 1 || number > INT_MAX)
		return complain("doctor", "'%s' is no number of a process", word);
	process_look((int)number, &process);
	if (!process.there)
		return complain("doctor", "there is no process %ld", number);
	if (!process.own && geteuid() != 0)
		return complain("doctor", "process %ld is another user's", number);
	patient->process = (int)number;
	patient->environment = environment_of((int)number);
	return 0;
}

static bool
is_python(const char *word)
{
	const char *slash = strrchr(word, '/');
	return strncmp(slash ? slash + 1 : word, "python", 6) == 0;
}

/* Returns 0, or an exit status after a complaint. */
static int
take_operand(const char *word, struct patient *patient)
{
	if (!word)
		return 0;
	if (*word >= '0' && *word <= '9' && access(word, F_OK) != 0)
		return take_process(word, patient);
	char *path = program_path(word);
	bool is_script = run_is_script(word);
	if (is_script ? access(word, R_OK) != 0 : !path || !is_file(path)) {
		free(path);
		return complain("doctor", "there is no %s '%s'", is_script ? "script" : "program", word);
	}
	patient->program = word;
	if (is_python(word))
		patient->python = path;
	else if (!is_script)
		patient->python = NULL;
	return 0;
}

int
command_doctor(int argc, char **argv)
{
	const char *word = NULL, *value, *given = NULL, *missing = NULL, *python = own_python();
	bool json = false;
	for (int i = 1; i < argc; i++) {
		if (manual_asked(argv[i])) {
			manual_help(manual_of("doctor"));
			return 0;
		}
		if (strcmp(argv[i], "--json") == 0)
			json = true;
		else if ((value = option_value(argc, argv, &i, "facts", 0, &missing)))
			given = value;
		else if (missing)
			return complain("doctor", "%s needs a value", missing);
		else if (argv[i][0] == '-' && argv[i][1])
			return manual_unknown(manual_of("doctor"), argv[i]);
		else if (word)
			return complain("doctor", "one at a time: '%s' or '%s'?", word, argv[i]);
		else
			word = argv[i];
	}
	struct patient patient = {
		.python = python ? python : program_path("python3"), .environment = environ, .runtime = find_library()};
	int status = take_operand(word, &patient);
	if (status)
		return status;
	facts_collect();
	if (given && !facts_read(given))
		return complain("doctor", "--facts %s is not valid; accepted: a file of `forestgomp info --json`",
				given);
	doctor_libraries(&patient);
	doctor_surroundings(&patient);
	doctor_variables(&patient);
	(json ? print_json : print_text)(&patient);
	return count_in_the_way() ? 1 : 0;
}
