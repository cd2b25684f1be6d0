/* "NAME=value": the readers of single variables. A reader that refuses a value leaves the old one. */
#include "fuzz.h"
#include "team/alloc/trait.h"
#include "team/env/icv.h"
#include "team/env/parse.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NAME "FUZZED"

static void
numbers(void)
{
	unsigned long number = 42;
	unsigned small = 42;
	bool flag = true;
	HOLDS(fg_env_ulong(NAME, &number, false) ? number > 0 && number <= LONG_MAX : number == 42);
	number = 42;
	HOLDS(fg_env_ulong(NAME, &number, true) ? number <= LONG_MAX : number == 42);
	HOLDS(fg_env_uint(NAME, &small, true) ? small <= INT_MAX : small == 42);
	HOLDS(fg_env_bool(NAME, &flag) || flag);
}

static void
thread_numbers(void)
{
	unsigned first = 42, length = 0;
	const unsigned *list = NULL;
	if (fg_env_list(NAME, &first, &list, &length)) {
		HOLDS(first > 0 && (list ? length > 1 && list[0] == first : length == 0));
		for (unsigned i = 0; i < length; i++)
			HOLDS(list[i] > 0 && list[i] <= INT_MAX);
	} else {
		HOLDS(first == 42 && !list && length == 0);
	}
	free((void *)list);
}

static void
binding(void)
{
	unsigned char first = 42;
	const unsigned char *list = NULL;
	unsigned length = 0;
	if (fg_env_bind(NAME, &first, &list, &length)) {
		HOLDS(first <= FG_BIND_SPREAD && (list ? length > 1 && list[0] == first : length == 0));
		for (unsigned i = 0; i < length; i++)
			HOLDS(list[i] >= FG_BIND_PRIMARY && list[i] <= FG_BIND_SPREAD);
	} else {
		HOLDS(first == 42 && !list && length == 0);
	}
	free((void *)list);
}

static void
schedule(void)
{
	unsigned kind = 42;
	int chunk = 42;
	if (fg_env_schedule(NAME, &kind, &chunk))
		HOLDS(chunk >= ((kind & ~FG_MONOTONIC) != FG_STATIC));
	else
		HOLDS(chunk == 42);
	kind &= ~FG_MONOTONIC;
	HOLDS(kind == 42 || (kind >= FG_STATIC && kind <= FG_AUTO));
}

static void
stack_size(void)
{
	uint64_t bytes = 42;
	HOLDS(fg_env_size(NAME, &bytes) || bytes == 42);
}

static void
spin_count(void)
{
	uint64_t turns = 42;
	HOLDS(fg_env_turns(NAME, &turns) || turns == 42);
}

static void
wait_policy(void)
{
	static const struct fg_choice choices[] = {{"active", 1}, {"passive", 0}};
	int value = 42;
	HOLDS(fg_env_choice(NAME, choices, 2, &value) ? value == 0 || value == 1 : value == 42);
}

static void
allocator(void)
{
	struct fg_allocator_text wanted;
	struct fg_traits again;
	if (!fg_env_allocator(NAME, &wanted))
		return;
	HOLDS(wanted.handle <= 200 && wanted.space < FG_SPACES);
	fg_traits_default(&again);
	for (int key = 1; key <= FG_TRAITS; key++)
		HOLDS(fg_traits_set(&again, key, wanted.traits.value[key], "fuzz"));
	HOLDS(memcmp(&again, &wanted.traits, sizeof again) == 0);
}

static const struct {
	const char *name;
	void (*read)(void);
} variables[] = {
	{"OMP_DYNAMIC=", numbers},	   {"OMP_NUM_THREADS=", thread_numbers}, {"OMP_PROC_BIND=", binding},
	{"OMP_SCHEDULE=", schedule},	   {"OMP_STACKSIZE=", stack_size},	 {"GOMP_SPINCOUNT=", spin_count},
	{"OMP_WAIT_POLICY=", wait_policy}, {"OMP_ALLOCATOR=", allocator},
};

void
fuzz_text(const char *text)
{
	for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++) {
		size_t length = strlen(variables[i].name);
		if (strncmp(text, variables[i].name, length) != 0)
			continue;
		fuzz_setenv(NAME, text + length);
		variables[i].read();
	}
}
