/* The tree of levels on made-up machines: shape, merging, distances, text; and the sets of PUs. */
#include "machine/build.h"
#include "machine/machine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static struct fg_machine *
make(const char *text)
{
	const char *why = "";
	struct fg_machine *machine = fg_machine_synthetic(text, &why);
	if (!machine)
		print_message("%s: %s\n", text, why);
	assert_non_null(machine);
	return machine;
}

static void
check(const struct fg_machine *machine)
{
	unsigned pus = 0;
	assert_ptr_equal(machine->root, machine->levels[0]);
	assert_int_equal(machine->root->kind, FG_MACHINE);
	assert_int_equal(machine->root->n_pus, machine->n_pus);
	for (unsigned i = 0; i < machine->n_levels; i++) {
		const struct fg_level *level = machine->levels[i];
		assert_int_equal(level->number, i);
		assert_true(fg_level_is(level, level->kind));
		if (level->kind == FG_PU) {
			assert_int_equal(level->n_children, 0);
			assert_int_equal(level->n_pus, 1);
			assert_ptr_equal(machine->pus[level->first_pu], level);
			pus++;
			continue;
		}
		unsigned sum = 0;
		assert_true(level->n_children > 1 || i == 0);
		for (unsigned c = 0; c < level->n_children; c++) {
			assert_ptr_equal(level->children[c]->parent, level);
			assert_int_equal(level->children[c]->rank, c);
			assert_int_equal(level->children[c]->depth, level->depth + 1);
			assert_int_equal(level->children[c]->first_pu, level->first_pu + sum);
			sum += level->children[c]->n_pus;
		}
		assert_int_equal(sum, level->n_pus);
	}
	assert_int_equal(pus, machine->n_pus);
}

static void
expect_text(const struct fg_machine *machine, const char *expected)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	fg_machine_print(machine, file);
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
}

static void
four_nodes(void **state)
{
	struct fg_machine *machine = make("node:4 l3:1 core:4 pu:1");
	check(machine);
	assert_int_equal(machine->n_levels, 1 + 4 + 16);
	assert_int_equal(machine->n_numa_nodes, 4);
	assert_int_equal(machine->max_depth, 2);
	struct fg_level *node = machine->root->children[2];
	assert_int_equal(node->kind, FG_NUMA_NODE);
	assert_true(fg_level_is(node, FG_L3));
	assert_int_equal(node->numa_node, 2);
	assert_int_equal(machine->pus[15]->numa_node, 3);
	assert_int_equal(node->first_pu, 8);
	assert_int_equal(node->n_pus, 4);
	expect_text(machine, "machine, 16 PUs\n"
			     "  NUMA node 0, L3: PUs 0-3\n"
			     "  NUMA node 1, L3: PUs 4-7\n"
			     "  NUMA node 2, L3: PUs 8-11\n"
			     "  NUMA node 3, L3: PUs 12-15\n");
	fg_machine_free(machine);
}

static void
deep(void **state)
{
	struct fg_machine *machine = make("package:2 node:1 l3:2 l2:2 core:1 pu:2");
	check(machine);
	expect_text(machine, "machine, 16 PUs\n"
			     "  NUMA node 0, package, 8 PUs\n"
			     "    L3 0, 4 PUs\n"
			     "      L2 0: PUs 0-1\n"
			     "      L2 1: PUs 2-3\n"
			     "    L3 1, 4 PUs\n"
			     "      L2 2: PUs 4-5\n"
			     "      L2 3: PUs 6-7\n"
			     "  NUMA node 1, package, 8 PUs\n"
			     "    L3 2, 4 PUs\n"
			     "      L2 4: PUs 8-9\n"
			     "      L2 5: PUs 10-11\n"
			     "    L3 3, 4 PUs\n"
			     "      L2 6: PUs 12-13\n"
			     "      L2 7: PUs 14-15\n");
	assert_int_equal(fg_machine_distance(machine, 3, 3), 0);
	assert_int_equal(fg_machine_distance(machine, 0, 1), 1);
	assert_int_equal(fg_machine_distance(machine, 0, 2), 2);
	assert_int_equal(fg_machine_distance(machine, 0, 4), 3);
	assert_int_equal(fg_machine_distance(machine, 15, 0), 4);
	struct fg_level *common = fg_level_common(machine->pus[4], machine->pus[6]);
	assert_int_equal(common->kind, FG_L3);
	assert_int_equal(common->os_index, 1);
	assert_ptr_equal(fg_level_common(machine->pus[4], common), common);
	assert_ptr_equal(fg_level_above(machine->pus[4], FG_PACKAGE), machine->root->children[0]);
	assert_null(fg_level_above(machine->root, FG_PACKAGE));
	fg_machine_free(machine);
}

static void
one_pu(void **state)
{
	struct fg_machine *machine = make("node:1 package:1 core:1 pu:1");
	check(machine);
	assert_int_equal(machine->n_levels, 2);
	assert_int_equal(machine->pus[0]->kind, FG_PU);
	assert_int_equal(machine->pus[0]->os_index, 0);
	assert_int_equal(machine->pus[0]->numa_node, 0);
	fg_machine_free(machine);
}

static void
largest(void **state)
{
	struct fg_machine *machine = make("node:16 l3:8 core:16 pu:2");
	check(machine);
	assert_int_equal(machine->n_pus, 4096);
	assert_int_equal(machine->pus[4095]->os_index, 4095);
	fg_machine_free(machine);
}

static void
uneven(void **state)
{
	/* Two packages, of which one has lost all its PUs but one, and a third without any. */
	struct fg_level *root = fg_level_new(NULL, FG_MACHINE, FG_NO_INDEX);
	struct fg_level *full = fg_level_new(root, FG_PACKAGE, 0);
	for (unsigned i = 0; i < 3; i++)
		fg_level_new(fg_level_new(full, FG_CORE, i), FG_PU, 2 * i);
	fg_level_new(fg_level_new(fg_level_new(root, FG_PACKAGE, 1), FG_CORE, 9), FG_PU, 7);
	fg_level_new(fg_level_new(root, FG_PACKAGE, 2), FG_CORE, 10);
	struct fg_machine *machine = fg_machine_build(root, FG_FROM_HWLOC);
	check(machine);
	expect_text(machine, "machine, 4 PUs\n"
			     "  package 0: PUs 0,2,4\n"
			     "  PU 7, package\n");
	assert_int_equal(machine->pus[3]->os_index, 7);
	assert_int_equal(fg_machine_distance(machine, 0, 3), 2);
	fg_machine_free(machine);
	assert_null(fg_machine_build(fg_level_new(NULL, FG_MACHINE, FG_NO_INDEX), FG_FROM_HWLOC));
}

static void
flat(void **state)
{
	struct fg_cpuset allowed;
	fg_cpuset_clear(&allowed);
	fg_cpuset_add(&allowed, 3);
	fg_cpuset_add(&allowed, 64);
	fg_cpuset_add(&allowed, 4095);
	struct fg_machine *machine = fg_machine_flat(&allowed);
	check(machine);
	expect_text(machine, "machine: PUs 3,64,4095\n");
	fg_machine_free(machine);
}

/* A text that does not end in pu has one PU in each innermost level. */
static void
text_without_pus(void **state)
{
	const char *why = NULL;
	struct fg_machine *machine = fg_machine_synthetic("numa:2 core:4", &why);
	assert_non_null(machine);
	assert_int_equal(machine->n_pus, 8);
	assert_int_equal(machine->pus[7]->n_pus, 1);
	fg_machine_free(machine);
}

static void
bad_text(void **state)
{
	static const char *const bad[] = {
		"",	 "core:",	"pu",	       "pu:0",		 "pu:-1",
		"pu:4x", "pu:2 core:2", "cake:3 pu:1", "node:4096 pu:2", "pu:99999999999999999999",
		"1:2",	 "l3 :2 pu:1"};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *why = NULL;
		struct fg_machine *machine = fg_machine_synthetic(bad[i], &why);
		if (machine)
			fail_msg("'%s' was taken", bad[i]);
		assert_non_null(why);
	}
}

/* On this machine: the flat machine and hwloc's must have the same PUs, the affinity mask. */
static void
this_machine(void **state)
{
	struct fg_cpuset allowed, found;
	assert_true(fg_cpuset_affinity(&allowed));
	struct fg_machine *machine = fg_machine_load(NULL, &allowed);
	check(machine);
	fg_level_cpuset(machine, machine->root, &found);
	assert_true(fg_cpuset_equal(&allowed, &found));
	fg_machine_free(machine);
}

static void
xml(void **state)
{
#ifdef FG_HAVE_HWLOC
	static const char text[] =
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology "
		"version=\"2.0\">"
		"<object type=\"Machine\" os_index=\"0\" cpuset=\"0x3\" complete_cpuset=\"0x3\" allowed_cpuset=\"0x3\" "
		"nodeset=\"0x1\" complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\" gp_index=\"1\">"
		"<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x3\" complete_cpuset=\"0x3\" nodeset=\"0x1\" "
		"complete_nodeset=\"0x1\" gp_index=\"4\" local_memory=\"1073741824\"/>"
		"<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" "
		"complete_nodeset=\"0x1\" gp_index=\"2\"/>"
		"<object type=\"PU\" os_index=\"1\" cpuset=\"0x2\" complete_cpuset=\"0x2\" nodeset=\"0x1\" "
		"complete_nodeset=\"0x1\" gp_index=\"3\"/></object></topology>\n";
	char path[] = "/tmp/fgomp-machine-XXXXXX.xml";
	int fd = mkstemps(path, 4);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	const char *why = "";
	struct fg_machine *machine = fg_machine_xml(path, &why);
	if (!machine)
		print_message("%s\n", why);
	assert_non_null(machine);
	check(machine);
	assert_int_equal(machine->source, FG_FROM_XML);
	expect_text(machine, "machine, NUMA node 1024 MiB: PUs 0-1\n");
	fg_machine_free(machine);
	assert_int_equal(ftruncate(fd, 200), 0);
	assert_null(fg_machine_xml(path, &why));
	close(fd);
	unlink(path);
	assert_null(fg_machine_xml(path, &why));
	assert_string_equal(why, "cannot be opened");
#else
	skip();
#endif
}

static void
cpusets(void **state)
{
	struct fg_cpuset set;
	char text[64];
	fg_cpuset_clear(&set);
	assert_int_equal(fg_cpuset_format(&set, text, sizeof text), 0);
	assert_string_equal(text, "");
	for (unsigned i = 60; i < 70; i++)
		if (i != 65)
			fg_cpuset_add(&set, i);
	fg_cpuset_add(&set, 0);
	fg_cpuset_add(&set, FG_CPUSET_MAX);
	assert_int_equal(fg_cpuset_count(&set), 10);
	fg_cpuset_format(&set, text, sizeof text);
	assert_string_equal(text, "0,60-64,66-69");
	assert_int_equal(fg_cpuset_format(&set, text, 5), 13);
	assert_string_equal(text, "0,60");
	assert_int_equal(fg_cpuset_next(&set, 65), 66);
	assert_int_equal(fg_cpuset_next(&set, 70), FG_CPUSET_MAX);
	assert_int_equal(fg_cpuset_next(&set, FG_CPUSET_MAX), FG_CPUSET_MAX);
}

int
main(void)
{
	alarm(300);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_nodes),	    cmocka_unit_test(deep),
		cmocka_unit_test(one_pu),	    cmocka_unit_test(largest),
		cmocka_unit_test(uneven),	    cmocka_unit_test(flat),
		cmocka_unit_test(text_without_pus), cmocka_unit_test(bad_text),
		cmocka_unit_test(this_machine),	    cmocka_unit_test(xml),
		cmocka_unit_test(cpusets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
