/* `forestgomp info`: version, options with their values and sources, features of the machine. */
#include "command.h"
#include "manual.h"
#include "base/options.h"
#include "machine/machine.h"
#include "machine/quota.h"
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/* One table of facts serves both forms of output. */
struct fact {
	const char *key, *label;
	char text[160];
	bool is_number;
};
#define MAX_FACTS 16
static struct fact facts[MAX_FACTS];
static unsigned n_facts;

static char *
add_fact(const char *key, const char *label, bool is_number)
{
	struct fact *fact = &facts[n_facts++];
	fact->key = key;
	fact->label = label;
	fact->is_number = is_number;
	return fact->text;
}
#define FACT(key, label, is_number, ...) snprintf(add_fact(key, label, is_number), sizeof facts[0].text, __VA_ARGS__)

static void
limit_fact(const char *key, const char *label, int resource)
{
	struct rlimit limit;
	if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		FACT(key, label, false, "none");
	else
		FACT(key, label, true, "%llu", (unsigned long long)limit.rlim_cur);
}

static void
file_fact(const char *key, const char *label, const char *path)
{
	char text[64] = "unknown";
	FILE *file = fopen(path, "re");
	bool read = file && fscanf(file, "%63s", text) == 1;
	if (file)
		fclose(file);
	FACT(key, label, read, "%s", text);
}

/* Tells how a switch between user-level threads sets the thread pointer. */
static const char *
tls_switch(void)
{
#if defined(__x86_64__)
	return getauxval(AT_HWCAP2) & 2 ? "wrfsbase (fsgsbase)"
					: "arch_prctl (no fsgsbase: each switch is a system call)";
#elif defined(__aarch64__)
	return "tpidr_el0";
#else
	return "unknown";
#endif
}

static void
collect(void)
{
	struct fg_cpuset allowed;
	struct utsname system;
	const char *why = "";
	char mask[128];
	fg_cpuset_affinity(&allowed);
	fg_cpuset_format(&allowed, mask, sizeof mask);
	if (uname(&system) == 0)
		FACT("system", "system", false, "%.40s %.60s, %.40s", system.sysname, system.release, system.machine);
	FACT("pus", "PUs of this process", true, "%u", fg_cpuset_count(&allowed));
	FACT("affinity", "affinity mask", false, "%s", mask);
	FACT("pus_online", "PUs of the machine", true, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	unsigned long quota = fg_cpu_quota_milli();
	if (quota)
		FACT("quota", "CPU quota (cgroup)", true, "%.3f", (double)quota / 1000);
	else
		FACT("quota", "CPU quota (cgroup)", false, "none");
	struct fg_machine *machine = fg_machine_hwloc(&allowed, &why);
	if (machine) {
		FACT("hwloc", "hwloc", false, "found");
		FACT("numa_nodes", "NUMA nodes", true, "%u", machine->n_numa_nodes);
		FACT("levels", "levels of the tree", true, "%u", machine->max_depth + 1);
		fg_machine_free(machine);
	} else {
		FACT("hwloc", "hwloc", false, "%s", why);
	}
	FACT("tls_switch", "thread-pointer switch", false, "%s", tls_switch());
	limit_fact("max_processes", "processes and threads (ulimit -u)", RLIMIT_NPROC);
	limit_fact("stack", "stack, bytes (ulimit -s)", RLIMIT_STACK);
	file_fact("threads_max", "threads of the system", "/proc/sys/kernel/threads-max");
	file_fact("max_map_count", "mappings of a process", "/proc/sys/vm/max_map_count");
}

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
	collect();
	(json ? print_json : print_text)(find_library());
	return 0;
}
