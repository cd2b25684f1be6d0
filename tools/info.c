/* `forestgomp info`: version, options with their values and sources, features of the machine. */
#include "command.h"
#include "facts.h"
#include "manual.h"
#include "base/options.h"
#include <string.h>
#include <unistd.h>

static bool
is_openmp(const char *entry)
{
	return strncmp(entry, "OMP_", 4) == 0 || strncmp(entry, "GOMP_", 5) == 0;
}

static void
print_json(const char *library)
{
	printf("{\"version\": \"" FG_VERSION "\", \"library\": ");
	if (library)
		fg_json_string(stdout, library);
	else
		printf("null");
	printf(",\n \"options\": [\n");
	for (unsigned i = 0; i < FG_OPTION_COUNT; i++) {
		const struct fg_option *option = &fg_option_table[i];
		printf("  {\"name\": \"%s\", \"value\": ", option->name);
		fg_json_string(stdout, option->text);
		printf(", \"source\": \"%s\", \"default\": ", option->given ? "environment" : "default");
		fg_json_string(stdout, option->preset);
		printf(", \"accepted\": ");
		fg_json_string(stdout, option->accepted);
		printf(", \"help\": ");
		fg_json_string(stdout, option->help);
		printf("}%s\n", i + 1 < FG_OPTION_COUNT ? "," : "");
	}
	printf(" ],\n \"openmp\": {");
	const char *comma = "";
	for (char **entry = environ; *entry; entry++) {
		const char *equals = strchr(*entry, '=');
		if (!is_openmp(*entry) || !equals)
			continue;
		printf("%s\"%.*s\": ", comma, (int)(equals - *entry), *entry);
		fg_json_string(stdout, equals + 1);
		comma = ", ";
	}
	printf("},\n \"machine\": {");
	for (unsigned i = 0; i < n_facts; i++) {
		printf("%s\n  \"%s\": ", i ? "," : "", facts[i].key);
		if (facts[i].is_number)
			fputs(facts[i].text, stdout);
		else
			fg_json_string(stdout, facts[i].text);
	}
	printf("\n }}\n");
}

static void
print_text(const char *library)
{
	printf("%sForestGOMP " FG_VERSION "%s\nlibrary: %s\n\n", bold, plain,
	       library ? library : "not found; run `make`");
	printf("%sOptions%s\n", bold, plain);
	for (unsigned i = 0; i < FG_OPTION_COUNT; i++) {
		const struct fg_option *option = &fg_option_table[i];
		printf("  %-16s %s%-12s%s %s%-12s%s %s\n", option->name, option->given ? green : "",
		       *option->text ? option->text : "-", option->given ? plain : "", dim,
		       option->given ? "environment" : "default", plain, option->help);
	}
	bool any = false;
	for (char **entry = environ; *entry; entry++) {
		if (!is_openmp(*entry))
			continue;
		if (!any)
			printf("\n%sOpenMP variables%s\n", bold, plain);
		any = true;
		printf("  %s\n", *entry);
	}
	printf("\n%sMachine%s\n", bold, plain);
	for (unsigned i = 0; i < n_facts; i++)
		printf("  %-34s %s\n", facts[i].label, facts[i].text);
}

int
command_info(int argc, char **argv)
{
	bool json = false;
	for (int i = 1; i < argc; i++) {
		if (manual_asked(argv[i])) {
			manual_help(manual_of("info"));
			return 0;
		}
		if (strcmp(argv[i], "--json") != 0)
			return manual_unknown(manual_of("info"), argv[i]);
		json = true;
	}
	facts_collect();
	(json ? print_json : print_text)(find_library());
	return 0;
}
