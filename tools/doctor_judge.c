/* `forestgomp doctor`: judges the surroundings and the variables (doctor.h). `forestgomp info` shows the same facts. */
#include "command.h"
#include "doctor.h"
#include "elf_look.h"
#include "facts.h"
#include "platform/others.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AROUND "surroundings"
#define VARIABLES "variables"
#define FEW_PROCESSES 1024		 /* a shell of a desktop has ten times that */
#define LITTLE_MEMORY (16.0 * (1 << 30)) /* of address space; each thread has a stack and an arena */

static void
judge_pus(void)
{
	double pus = fact_number("pus", 0), online = fact_number("pus_online", pus), quota = fact_number("quota", 0);
	if (pus < online)
		doctor_find(AROUND, "mask", true,
			    "start it without `taskset`, or ask the batch system or container for more CPUs",
			    "the affinity mask leaves %.0f of the machine's %.0f PUs", pus, online);
	if (quota > 0 && quota < pus)
		doctor_find(AROUND, "quota", true,
			    "raise cpu.max of the control group, or `--cpus` of the container; the default number of "
			    "threads respects it",
			    "a quota of CPU time is worth %.2f of %.0f PUs", quota, pus);
}

static void
judge_limits(void)
{
	double processes = fact_number("max_processes", FEW_PROCESSES);
	double memory = fact_number("max_memory", LITTLE_MEMORY);
	if (processes < FEW_PROCESSES)
		doctor_find(AROUND, "ulimit_u", true, "`ulimit -u unlimited`, or a higher limit in limits.conf",
			    "the user may have only %.0f processes and threads (ulimit -u)", processes);
	if (memory < LITTLE_MEMORY)
		doctor_find(AROUND, "ulimit_v", true, "`ulimit -v unlimited`: limit memory by a control group instead",
			    "the address space ends at %.1f GiB (ulimit -v), and stacks of threads need much of it",
			    memory / (1 << 30));
	if (fact_number("max_locked", 65536) < 65536)
		doctor_find(AROUND, "ulimit_l", true, "`ulimit -l 65536`",
			    "only %s bytes may be locked (ulimit -l): the sampler of memory gets no buffers",
			    fact_text("max_locked"));
}

void
doctor_surroundings(const struct patient *patient)
{
	if (!patient->process) {
		judge_pus();
		judge_limits();
	}
	if (strcmp(fact_text("hwloc"), "found") != 0)
		doctor_find(AROUND, "no_hwloc", true, "install libhwloc15 (Debian) or hwloc-libs (Fedora, RHEL)",
			    "the tree of caches and NUMA nodes is not known, because %s", fact_text("hwloc"));
	if (strstr(fact_text("tls_switch"), "no fsgsbase"))
		doctor_find(AROUND, "no_fsgsbase", true, "a kernel from Linux 5.9 on, without `nofsgsbase`",
			    "each switch between user-level threads is a system call, because there is no fsgsbase");
	if (strcmp(fact_text("perf_events"), "allowed") != 0) {
		bool filtered = strcmp(fact_text("seccomp"), "filter") == 0;
		doctor_find(AROUND, "paranoid", true,
			    filtered ? "start the container with `--cap-add PERFMON`, or with a seccomp profile that "
				       "has perf_event_open"
				     : "`sysctl kernel.perf_event_paranoid=2`, as root",
			    "threads that spin are preempted late, because perf events are %s (perf_event_paranoid is "
			    "%s, seccomp: %s)",
			    fact_text("perf_events"), fact_text("perf_event_paranoid"), fact_text("seccomp"));
	}
}

const char *
doctor_variable(const struct patient *patient, const char *name)
{
	size_t length = strlen(name);
	for (char **entry = patient->environment; entry && *entry; entry++)
		if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

/* Where LD_LIBRARY_PATH has a library that is named without a folder; NULL: nowhere. The caller frees it. */
static char *
library_path(const struct patient *patient, const char *word)
{
	const char *folder = strchr(word, '/') ? NULL : doctor_variable(patient, "LD_LIBRARY_PATH");
	char *path;
	for (size_t length; folder && *folder; folder += length + (folder[length] != '\0')) {
		length = strcspn(folder, ":;");
		if (length && asprintf(&path, "%.*s/%s", (int)length, folder, word) < 0)
			return NULL;
		if (length && is_file(path))
			return path;
		if (length)
			free(path);
	}
	return NULL;
}

static void
judge_preload(const struct patient *patient)
{
	const char *value = doctor_variable(patient, "LD_PRELOAD");
	char *words = strdup(value ? value : ""), *save = NULL;
	for (char *word = strtok_r(words, ": ", &save); word; word = strtok_r(NULL, ": ", &save)) {
		struct elf_facts facts;
		char *file = library_path(patient, word);
		bool named = strchr(word, '/');
		elf_look(file ? file : named ? word : "", true, &facts); /* the loader does not look in this folder */
		free(file);
		if (named && access(word, F_OK) != 0)
			doctor_find(VARIABLES, "stale_preload", true, "`unset LD_PRELOAD`, or name another file",
				    "LD_PRELOAD names %s, which does not exist", word);
		else if (!facts.is_ours && fg_others_is_runtime(word))
			doctor_find(VARIABLES, "other_preload", true, "`unset LD_PRELOAD`",
				    "LD_PRELOAD puts another OpenMP runtime first: %s", word);
	}
	free(words);
}

static bool
is_one(const char *value)
{
	char *end;
	if (!value || strtoul(value, &end, 10) != 1)
		return false;
	end += strspn(end, " ");
	return !*end || *end == ',';
}

static void
judge_threads(const struct patient *patient)
{
	static const char *const names[] = {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (is_one(doctor_variable(patient, names[i])))
			doctor_find(VARIABLES, i ? "one_thread_limit" : "one_thread", true,
				    i ? "`unset OMP_THREAD_LIMIT`"
				      : "`unset OMP_NUM_THREADS`; joblib and Dask set it for their workers",
				    "%s=1 is set: each outermost region has one thread", names[i]);
}

void
doctor_variables(const struct patient *patient)
{
	const char *bind = doctor_variable(patient, "OMP_PROC_BIND"), *mkl;
	judge_threads(patient);
	if (bind && strcasecmp(bind, "false") != 0)
		doctor_find(VARIABLES, "bind", false, "`unset OMP_PROC_BIND` lets the bubble scheduler place them",
			    "OMP_PROC_BIND=%s binds threads to places, so the scheduler has no seats to give", bind);
	for (char **entry = patient->environment; entry && *entry; entry++)
		if (strncmp(*entry, "KMP_", 4) == 0)
			doctor_find(VARIABLES, "kmp", false, "docs/moving.md has what corresponds",
				    "%.*s is of Intel's and LLVM's runtimes, and is ignored", (int)strcspn(*entry, "="),
				    *entry);
	if ((mkl = doctor_variable(patient, "MKL_THREADING_LAYER")) && strcasecmp(mkl, "GNU") != 0)
		doctor_find(VARIABLES, "mkl", strcasecmp(mkl, "INTEL") == 0, "`export MKL_THREADING_LAYER=GNU`",
			    "MKL_THREADING_LAYER=%s: MKL does not compute on ForestGOMP", mkl);
	judge_preload(patient);
}
