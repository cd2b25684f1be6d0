/* Facts: what the machine offers to this process (facts.h). */
#include "facts.h"
#include "command.h"
#include "machine/machine.h"
#include "machine/quota.h"
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MAX_FACTS 24
struct fact facts[MAX_FACTS];
unsigned n_facts;

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

/* "filter": some calls of the system may be forbidden, as in a container. */
static const char *
seccomp_mode(void)
{
	static const char *const modes[] = {"none", "strict", "filter"};
	char line[256];
	unsigned mode = 0;
	FILE *file = fopen("/proc/self/status", "re");
	while (file && fgets(line, sizeof line, file) && sscanf(line, "Seccomp: %u", &mode) != 1)
		;
	if (file)
		fclose(file);
	return mode < 3 ? modes[mode] : "unknown";
}

/* Preemption by ticks opens such an event for each worker (platform/tick.c). */
static const char *
perf_events(void)
{
	struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE,
					.size = sizeof event,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.sample_period = 1000000,
					.disabled = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1};
	int file = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (file < 0)
		return errno == EACCES || errno == EPERM ? "forbidden" : strerror(errno);
	close(file);
	return "allowed";
}

void
facts_collect(void)
{
	struct fg_cpuset allowed;
	struct utsname system;
	const char *why = "";
	char mask[128];
	fg_cpuset_affinity(&allowed);
	set_text(&allowed, mask, sizeof mask);
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
	limit_fact("max_locked", "locked memory, bytes (ulimit -l)", RLIMIT_MEMLOCK);
	limit_fact("max_memory", "address space, bytes (ulimit -v)", RLIMIT_AS);
	limit_fact("stack", "stack, bytes (ulimit -s)", RLIMIT_STACK);
	file_fact("threads_max", "threads of the system", "/proc/sys/kernel/threads-max");
	file_fact("max_map_count", "mappings of a process", "/proc/sys/vm/max_map_count");
	file_fact("perf_event_paranoid", "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid");
	FACT("perf_events", "clocks that preempt (perf events)", false, "%s", perf_events());
	FACT("seccomp", "filter of system calls (seccomp)", false, "%s", seccomp_mode());
}

const char *
fact_text(const char *key)
{
	for (unsigned i = 0; i < n_facts; i++)
		if (strcmp(facts[i].key, key) == 0)
			return facts[i].text;
	return "";
}

double
fact_number(const char *key, double otherwise)
{
	for (unsigned i = 0; i < n_facts; i++)
		if (strcmp(facts[i].key, key) == 0 && facts[i].is_number)
			return strtod(facts[i].text, NULL);
	return otherwise;
}

/* Reads a value in JSON: a number, or a string without escapes. */
static bool
read_value(const char *at, struct fact *fact)
{
	fact->is_number = *at != '"';
	at += *at == '"';
	size_t length = strcspn(at, fact->is_number ? ",}\n " : "\"");
	if (length >= sizeof fact->text || (!fact->is_number && at[length] != '"'))
		return false;
	snprintf(fact->text, sizeof fact->text, "%.*s", (int)length, at);
	return true;
}

bool
facts_read(const char *path)
{
	char line[512], key[64], *at;
	bool any = false;
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file)) {
		int length = 0;
		if (sscanf(line, " \"%63[a-z_]\": %n", key, &length) != 1 || !length)
			continue;
		at = line + length;
		for (unsigned i = 0; i < n_facts; i++)
			if (strcmp(facts[i].key, key) == 0)
				any |= read_value(at, &facts[i]);
	}
	if (file)
		fclose(file);
	return any;
}
