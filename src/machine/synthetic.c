/* Machine: a made-up one from a line such as "node:2 l3:2 core:4 pu:2" (floor: machine; tests, the virtual carrier,
 * `topo`). The innermost level has one PU where the line does not end in pu.
 *
 * The caller is outside the runtime and holds no lock. It gets a machine of its own, with the invariants of level.h, or
 * a reason. */
#include "machine/build.h"
#include "machine/machine.h"
#include <ctype.h>
#include <stdlib.h>

static const struct {
	const char *name;
	enum fg_level_kind kind;
} words[] = {{"numa", FG_NUMA_NODE},
	     {"node", FG_NUMA_NODE},
	     {"numanode", FG_NUMA_NODE},
	     {"pack", FG_PACKAGE},
	     {"package", FG_PACKAGE},
	     {"socket", FG_PACKAGE},
	     {"die", FG_DIE},
	     {"group", FG_GROUP},
	     {"l3", FG_L3},
	     {"l3cache", FG_L3},
	     {"l2", FG_L2},
	     {"l2cache", FG_L2},
	     {"core", FG_CORE},
	     {"pu", FG_PU}};

#define MAX_WORDS 16

struct step {
	enum fg_level_kind kind;
	unsigned count;
};

/* Makes the children of one level. `numbers` counts the levels of each step so far, which gives them their OS
 * numbers. */
static void
grow(struct fg_level *parent, const struct step *step, const struct step *end, unsigned *numbers)
{
	if (step == end)
		return;
	for (unsigned i = 0; i < step->count; i++)
		grow(fg_level_new(parent, step->kind, (*numbers)++), step + 1, end, numbers + 1);
}

static const char *
parse_step(const char *text, struct step *step, const char **why)
{
	size_t length = strcspn(text, ": \t");
	*why = "unknown kind of level (known: numa or node, package, die, group, l3, l2, core, pu)";
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
		if (strlen(words[i].name) != length || strncasecmp(words[i].name, text, length) != 0)
			continue;
		step->kind = words[i].kind;
		*why = "a kind of level is followed by ':' and a number from 1 to 4096";
		if (text[length] != ':' || !isdigit((unsigned char)text[length + 1]))
			return NULL;
		char *end;
		unsigned long count = strtoul(text + length + 1, &end, 10);
		if (count < 1 || count > FG_CPUSET_MAX || (*end && !isspace((unsigned char)*end)))
			return NULL;
		step->count = (unsigned)count;
		return end;
	}
	return NULL;
}

struct fg_machine *
fg_machine_synthetic(const char *text, const char **why)
{
	struct step steps[MAX_WORDS + 1]; /* with a last one that the text may leave out */
	unsigned n = 0, numbers[MAX_WORDS + 1] = {0};
	unsigned long pus = 1;
	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
		if (n == MAX_WORDS) {
			*why = "more than 16 levels";
			return NULL;
		}
		text = parse_step(text, &steps[n], why);
		if (!text)
			return NULL;
		pus *= steps[n++].count;
		if (pus > FG_CPUSET_MAX) {
			*why = "more than 4096 PUs";
			return NULL;
		}
	}
	for (unsigned i = 0; i + 1 < n; i++)
		if (steps[i].kind == FG_PU) {
			*why = "pu comes last";
			return NULL;
		}
	if (n == 0) {
		*why = "there is no level in it";
		return NULL;
	}
	if (steps[n - 1].kind != FG_PU)
		steps[n++] = (struct step){FG_PU, 1};
	struct fg_level *root = fg_level_new(NULL, FG_MACHINE, FG_NO_INDEX);
	if (root)
		grow(root, steps, steps + n, numbers);
	return fg_machine_build(root, FG_FROM_SYNTHETIC);
}
