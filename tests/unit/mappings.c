/* Mappings: those of this process, on a fake kernel's nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_memory.h"
#include "samples/mappings.h"

enum { MIB = 256 /* pages */ };

static void
one(void **state)
{
	(void)state;
	fake_begin(4);
	struct fake_area *area = fake_mapping_add(8 * MIB, 1);
	uintptr_t end = area->start + area->pages * FAKE_PAGE;
	assert_int_equal(fg_mappings_look(), 1);
	assert_int_equal(fg_mappings_count(), 1);
	const struct fg_mapping *mapping = fg_mapping(0);
	assert_true(mapping->start == area->start && mapping->end == end);
	assert_int_equal(mapping->bytes, 8 << 20);
	assert_false(mapping->even || mapping->bound || mapping->stays);
	for (unsigned node = 0; node < FG_MAPPING_NODES; node++)
		assert_int_equal(mapping->on[node], node == 1 ? 255 : 0);
	assert_ptr_equal(fg_mapping_of(area->start), mapping);
	assert_ptr_equal(fg_mapping_of(end - 1), mapping);
	assert_null(fg_mapping_of(end));
	assert_null(fg_mapping_of(area->start - 1));
	assert_null(fg_mapping_of(0));
	assert_null(fg_mapping_of(UINTPTR_MAX));
	uintptr_t start = area->start;
	fake_area_drop(area);
	assert_int_equal(fg_mappings_look(), 0);
	assert_int_equal(fg_mappings_count(), 0);
	assert_null(fg_mapping_of(start));
}

/* At least 1 MiB must be in RAM. */
static void
small(void **state)
{
	(void)state;
	fake_begin(2);
	struct fake_area *little = fake_mapping_add(MIB - 10, 0), *untouched = fake_mapping_add(16 * MIB, 0);
	memset(untouched->node + MIB / 2, NOWHERE, untouched->pages - MIB / 2);
	assert_int_equal(fg_mappings_look(), 0);
	assert_int_equal(fg_mappings_count(), 0);
	memset(untouched->node, 0, untouched->pages / 2);
	assert_int_equal(fg_mappings_look(), 1);
	size_t bytes = fg_mapping(0)->bytes;
	assert_true(bytes > 6 << 20 && bytes < 10 << 20);
	fake.says_nothing = true;
	assert_int_equal(fg_mappings_look(), 0);
	fake_area_drop(little);
	fake_area_drop(untouched);
}

/* Shared, of a file, not to be written, or not to be read. */
static void
other_kinds(void **state)
{
	(void)state;
	fake_begin(2);
	size_t size = 8 * MIB * FAKE_PAGE;
	FILE *file = tmpfile();
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), (off_t)size), 0);
	struct {
		int rights, flags, file;
	} kinds[] = {{PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1},
		     {PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file)},
		     {PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1},
		     {PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1}};
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct fake_area *area = fake_mapping_add(8 * MIB, 0);
		assert_int_equal(fg_mappings_look(), 1);
		void *got =
			mmap((void *)area->start, size, kinds[i].rights, kinds[i].flags | MAP_FIXED, kinds[i].file, 0);
		assert_ptr_equal(got, (void *)area->start);
		assert_int_equal(fg_mappings_look(), 0);
		assert_int_equal(fg_mappings_count(), 0);
		fake_area_drop(area);
	}
	fclose(file);
}

static unsigned long may, have_pus;
static bool
fake_allowed(struct fg_nodes *nodes)
{
	*nodes = (struct fg_nodes){{may}};
	return true;
}
static bool
fake_with_pus(struct fg_nodes *nodes)
{
	*nodes = (struct fg_nodes){{have_pus}};
	return true;
}

/* Memory goes to nodes only that may be used and have PUs. With one of these there is no choice: nothing is suspect. */
static void
usual_nodes(void **state)
{
	(void)state;
	struct fg_where told = fake_where;
	told.allowed = fake_allowed;
	told.with_pus = fake_with_pus;
	fake_begin(4);
	fake_library.where = &told;
	struct fake_area *area = fake_mapping_add(64 * MIB, 1);
	may = 0xf, have_pus = 0x7;
	assert_int_equal(fg_mappings_look(), 1);
	assert_int_equal(fg_mappings_nodes(), 3);
	assert_true(fg_mappings_may_use(2) && !fg_mappings_may_use(3));
	for (uintptr_t page = 0; page < area->pages; page++)
		area->node[page] = (signed char)(page * 3 / area->pages);
	assert_int_equal(fg_mappings_look(), 0);
	may = 0x9;
	assert_int_equal(fg_mappings_look(), 0);
	assert_int_equal(fg_mappings_nodes(), 1);
	have_pus = 0x2; /* none of those that may be used has any */
	memset(area->node, 1, area->pages);
	assert_int_equal(fg_mappings_look(), 1);
	assert_int_equal(fg_mappings_nodes(), 2);
	fake_library.where = &fake_where;
	fake_area_drop(area);
}

/* Page by page, too few are asked for on 16 nodes: by chance some nodes get none. */
static void
even(void **state)
{
	(void)state;
	for (unsigned nodes = 2; nodes <= 16; nodes *= 2) {
		fake_begin(nodes);
		struct fake_area *area = fake_mapping_add(64 * MIB + 77, 0);
		for (uintptr_t page = 0; page < area->pages && nodes < 16; page++)
			area->node[page] = (signed char)(page % nodes);
		if (nodes < 16) {
			assert_int_equal(fg_mappings_look(), 0);
			assert_int_equal(fg_mappings_count(), 1);
			assert_true(fg_mapping(0)->even);
		}
		for (uintptr_t page = 0; page < area->pages; page++) /* in blocks */
			area->node[page] = (signed char)(page * nodes / area->pages);
		assert_int_equal(fg_mappings_look(), 0);
		for (uintptr_t page = 0; page < area->pages; page++) /* one node has three quarters */
			area->node[page] = (signed char)(page % 4 ? 1 : page / 4 % nodes);
		assert_int_equal(fg_mappings_look(), 1);
		assert_true(fg_mapping(0)->on[1] > 160);
		for (uintptr_t page = 0; page < area->pages; page++) /* the last node has nothing */
			area->node[page] = (signed char)(page * (nodes - 1) / area->pages);
		assert_int_equal(fg_mappings_look(), 1);
		for (uintptr_t page = 0; page < area->pages; page++) /* one has most, and the others the rest */
			area->node[page] = (signed char)(page % 9 < 7 ? 1 : page * nodes / area->pages);
		assert_int_equal(fg_mappings_look(), 1);
		fake_area_drop(area);
	}
}

/* What has a memory policy of the program's is not suspect. What refused stays so while it is the same mapping. */
static void
left_alone(void **state)
{
	(void)state;
	fake_begin(2);
	struct fake_area *bound = fake_mapping_add(8 * MIB, 0), *refused = fake_mapping_add(16 * MIB, 0);
	bound->bound = true;
	assert_int_equal(fg_mappings_look(), 1);
	assert_int_equal(fg_mappings_count(), 2);
	assert_true(fg_mapping_of(bound->start)->bound);
	assert_false(fg_mapping_of(refused->start)->bound);
	fg_mapping_stays(fg_mapping_of(refused->start));
	for (unsigned turn = 0; turn < 3; turn++) {
		assert_int_equal(fg_mappings_look(), 0);
		assert_true(fg_mapping_of(refused->start)->stays);
		assert_false(fg_mapping_of(bound->start)->stays);
	}
	for (unsigned turn = 3; fg_mapping_of(refused->start)->stays; turn++) {
		assert_true(turn < 100);
		fg_mappings_look();
	}
	assert_int_equal(fg_mappings_look(), 1); /* the reason may have gone */
	fg_mapping_stays(fg_mapping_of(refused->start));
	assert_int_equal(fg_mappings_look(), 0);
	munmap((void *)(refused->start + 8 * MIB * FAKE_PAGE), 8 * MIB * FAKE_PAGE);
	assert_int_equal(fg_mappings_look(), 1);
	fake_area_drop(bound);
	fake_area_drop(refused);
}

/* There is room for FG_MAPPINGS. Each address finds its own. */
static void
many(void **state)
{
	(void)state;
	enum { MANY = FG_MAPPINGS + 20 };
	fake_begin(2);
	struct fake_area *area = fake_mapping_add(2 * MANY * MIB, 1);
	for (unsigned i = 0; i < MANY; i++)
		mprotect((void *)(area->start + (2 * i + 1) * (uintptr_t)MIB * FAKE_PAGE), MIB * FAKE_PAGE, PROT_NONE);
	assert_int_equal(fg_mappings_look(), FG_MAPPINGS);
	assert_int_equal(fg_mappings_count(), FG_MAPPINGS);
	for (unsigned i = 0; i < FG_MAPPINGS; i++) {
		uintptr_t start = area->start + 2 * i * (uintptr_t)MIB * FAKE_PAGE;
		assert_int_equal(fg_mapping(i)->start, start);
		assert_ptr_equal(fg_mapping_of(start + 12345), fg_mapping(i));
		assert_null(fg_mapping_of(start + MIB * FAKE_PAGE));
	}
	fake_area_drop(area);
}

/* Where the system does not tell the first time, it is not asked again. That lasts, so a child tries it. */
static void
hidden(void **state)
{
	(void)state;
	fake_begin(2);
	struct fake_area *area = fake_mapping_add(8 * MIB, 0);
	pid_t child = fork();
	if (child == 0) {
		fake.says_nothing = true;
		bool found = fg_mappings_look() || !fg_mappings_hidden();
		unsigned asked = fake.asked;
		fake.says_nothing = false;
		found |= fg_mappings_look() || fg_mappings_count();
		_exit(found || !asked || fake.asked != asked);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(fg_mappings_look(), 1);
	fake.says_nothing = true;
	assert_int_equal(fg_mappings_look(), 0);
	fake.says_nothing = false;
	assert_false(fg_mappings_hidden());
	assert_int_equal(fg_mappings_look(), 1);
	fake_area_drop(area);
}

static bool
allows_nothing(enum fg_sandbox_call call)
{
	(void)call;
	return false;
}

static void
sandbox(void **state)
{
	(void)state;
	fake_begin(2);
	struct fake_area *area = fake_mapping_add(8 * MIB, 0);
	assert_int_equal(fg_mappings_look(), 1);
	fake_library.sandbox_allows = allows_nothing;
	assert_int_equal(fg_mappings_look(), 0);
	assert_int_equal(fg_mappings_count(), 0);
	fake_library.sandbox_allows = fake_sandbox;
	fake_area_drop(area);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden),      cmocka_unit_test(one),	      cmocka_unit_test(small),
		cmocka_unit_test(other_kinds), cmocka_unit_test(usual_nodes), cmocka_unit_test(even),
		cmocka_unit_test(left_alone),  cmocka_unit_test(many),	      cmocka_unit_test(sandbox),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fake_begin(1);
	return failed;
}
