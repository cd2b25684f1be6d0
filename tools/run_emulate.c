/* `forestgomp run --emulate`: the program runs under QEMU, whose plug-in tells the trace which data members use. */
#include "command.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QEMU "qemu-x86_64"
#define HOOKS "; a program that is built with hooks needs none of it (docs/pinning.md)"

static char *
beside(const char *runtime, const char *name)
{
	char *path;
	if (asprintf(&path, "%.*s/%s", (int)(strrchr(runtime, '/') - runtime), runtime, name) < 0)
		return NULL;
	return path;
}

/* The emulator itself must not load what is meant for the program. */
static void
hand_over(const char *variable, char **next)
{
	const char *value = getenv(variable);
	if (!value || asprintf(next, "%s=%s", variable, value) < 0)
		*next = NULL;
	unsetenv(variable);
}

/* The emulator itself runs on nothing of ours. */
static void
by_itself(void *unused)
{
	(void)unused;
	unsetenv("LD_LIBRARY_PATH");
	unsetenv("LD_PRELOAD");
}

/* Some builds of it have no plug-ins. They do not know the option, and then do not tell their version. */
static bool
takes_plugins(char *qemu, char *plugin)
{
	char *argv[] = {qemu, "-plugin", plugin, "-version", NULL},
	     *text = read_child(argv, STDOUT_FILENO, by_itself, NULL);
	bool takes = text && strstr(text, "version");
	free(text);
	return takes;
}

static int
complain_of(const struct run_call *call, char *qemu, char *plugin)
{
	if (!call->trace)
		return complain("run", "--emulate is for a trace, which tells what members use: --trace FILE");
	if (strpbrk(call->trace, "%,"))
		return complain("run", "--emulate: the trace %s has a '%%' or a comma in its name", call->trace);
	if (!qemu)
		return complain("run", "--emulate needs " QEMU " (in Debian: qemu-user)" HOOKS);
	if (!plugin || access(plugin, R_OK) != 0)
		return complain("run", "--emulate: there is no %s" HOOKS, plugin ? plugin : "plug-in");
	if (!takes_plugins(qemu, plugin))
		return complain(
			"run", "--emulate: %s takes no plug-ins; QEMU must be built with --enable-plugins" HOOKS, qemu);
	return 0;
}

const char *
run_emulate_marks(const struct run_call *call)
{
	return call->emulate ? beside(call->runtime, "libforestgomp-marks.so") : NULL;
}

int
run_emulate(struct run_call *call)
{
	char *qemu = program_path(QEMU), *plugin = beside(call->runtime, "libforestgomp-qemu.so"), *path;
	int status = complain_of(call, qemu, plugin);
	unsigned n = 0, i = 0;
	if (status)
		return status;
	while (call->program[n])
		n++;
	char **words = calloc(n + 16, sizeof *words), *loads, *preloads, *counts;
	path = program_path(call->program[0]);
	if (!path || access(path, F_OK) != 0) {
		complain("run", "there is no program '%s'", call->program[0]);
		return 127;
	}
	if (!words || asprintf(&counts, "%s,out=%s", plugin, call->trace) < 0)
		return 1;
	/* With time slices a run of 12 ended by SIGSEGV under QEMU 7.2, also without the plug-in. Why is not known. */
	setenv("FGOMP_SLICE", "0", 0);
	hand_over("LD_LIBRARY_PATH", &loads);
	hand_over("LD_PRELOAD", &preloads);
	/* The default processor has no AVX2. */
	char *first[] = {qemu, "-cpu", "max", "-plugin", counts, "-0", call->program[0]};
	for (; i < sizeof first / sizeof *first; i++)
		words[i] = first[i];
	for (unsigned k = 0; k < 2; k++) {
		char *setting = k ? preloads : loads;
		if (!setting)
			continue;
		words[i++] = "-E";
		words[i++] = setting;
	}
	words[i++] = path;
	memcpy(words + i, call->program + 1, n * sizeof *words); /* with the NULL */
	call->program = words;
	return 0;
}
