/* FGOMP_SCHED, and after a newline the machine (a synthetic one) whose levels get these policies. A refused text leaves
 * `default` alone. In an accepted one, each option lies in its range, each policy is started once, and each question
 * outwards ends at the policy of the machine. The linker's --wrap makes up shared objects here; the last letter of the
 * path says which. */
#include "exec/ground/above.h"
#include "exec/thread/levels.h"
#include "fuzz.h"
#include "machine/machine.h"
#include "sched/policy.h"
#include "team/boot/sched_option.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void *__real_dlopen(const char *path, int how);
void *__wrap_dlopen(const char *path, int how);
void *__real_dlsym(void *object, const char *name);
void *__wrap_dlsym(void *object, const char *name);
char *__wrap_dlerror(void);
int __wrap_dlclose(void *object);

struct instance {
	double wide, whole;
};
static const char *const words[] = {"red", "green", "blue", NULL};
static const struct fgomp_sched_option options[] = {
	{"wide", "any number", offsetof(struct instance, wide), -1, -HUGE_VAL, HUGE_VAL, NULL},
	{"whole", "words", offsetof(struct instance, whole), 2, 0, 2, words},
	{0},
};

static int
start_not(void *self)
{
	(void)self;
	return 1;
}

static const struct fgomp_sched good = {.abi = FGOMP_SCHED_ABI,
					.name = "good",
					.summary = "x",
					.size = sizeof(struct instance),
					.options = options},
				plain = {.abi = FGOMP_SCHED_ABI, .name = "plain", .summary = "x"},
				old = {.abi = FGOMP_SCHED_ABI - 1, .name = "old", .summary = "x"},
				nameless = {.abi = FGOMP_SCHED_ABI},
				stays = {.abi = FGOMP_SCHED_ABI, .name = "stays", .summary = "x", .start = start_not};

static int opened, none;
static bool choosing; /* else it is the fuzzer that calls */

void *
__wrap_dlopen(const char *path, int how)
{
	static const struct {
		char letter;
		const void *object;
	} objects[] = {{'g', &good}, {'p', &plain}, {'o', &old}, {'n', &nameless}, {'s', &stays}, {'e', &none}};
	if (!choosing)
		return __real_dlopen(path, how);
	HOLDS(path && strchr(path, '/'));
	for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
		if (path[strlen(path) - 1] == objects[i].letter) {
			opened++;
			return (void *)objects[i].object;
		}
	return NULL;
}

void *
__wrap_dlsym(void *object, const char *name)
{
	if (!choosing)
		return __real_dlsym(object, name);
	HOLDS(opened > 0 && strcmp(name, "fgomp_sched_plugin") == 0);
	return object == &none ? NULL : object;
}

char *
__wrap_dlerror(void)
{
	return "cannot be opened";
}

int
__wrap_dlclose(void *object)
{
	HOLDS(object && opened > 0);
	return --opened;
}

static unsigned
check_instances(void)
{
	unsigned started = 0;
	for (const struct fg_policy *policy = fg_policies_first(); policy; policy = policy->next) {
		HOLDS(policy->self && policy->sched && policy->sched->abi == FGOMP_SCHED_ABI);
		for (const struct fgomp_sched_option *option = policy->sched->options; option && option->name;
		     option++) {
			double value;
			memcpy(&value, (const char *)policy->self + option->offset, sizeof value);
			HOLDS(value >= option->low && value <= option->high &&
			      (!option->words || value == rint(value)));
		}
		HOLDS(++started <= FG_LEVEL_KINDS);
	}
	return started;
}

static void
check_level(const struct fg_level *level, struct fg_policy *above)
{
	struct fg_policy *inner = fg_exec_above.policy(level->kinds, above);
	const struct fg_policy *policy = inner ? inner : &fg_policy;
	HOLDS(inner || !above);
	for (unsigned steps = 0; policy != &fg_policy; policy = policy->outer)
		HOLDS(policy && policy->self && ++steps < FG_LEVEL_KINDS);
	for (unsigned i = 0; i < level->n_children; i++)
		check_level(level->children[i], inner);
}

void
fuzz_text(const char *text)
{
	const char *end = strchr(text, '\n'), *why;
	char *sched = end ? strndup(text, (size_t)(end - text)) : strdup(text);
	opened = 0;
	choosing = true;
	fg_scheduler_choose(sched);
	choosing = false;
	unsigned started = check_instances();
	if (fg_policy.self) {
		for (const char *plus = strchr(sched, '+'); plus; plus = strchr(plus + 1, '+'))
			started--;
		HOLDS(started == 1);
	} else {
		HOLDS(started == 0 && opened == 0 && fg_policy.sched == &fg_sched_default &&
		      fg_policies.wants == fg_sched_wants(&fg_sched_default));
	}
	free(sched);
	struct fg_machine *machine = end ? fg_machine_synthetic(end + 1, &why) : NULL;
	if (machine) {
		check_level(machine->root, NULL);
		fg_machine_free(machine);
	}
	fg_scheduler_choose("?"); /* ends them all */
	HOLDS(!fg_policies_first() && !fg_policy.self && opened == 0);
}
