/* Names of functions: from symbol tables, and the text where there are none. */
#include "draw/plain_name.h"
#include "platform/symbol.h"
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static int
first(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

/* A local function of this program: the dynamic linker does not know its name. */
static void
of_this_program(void **state)
{
	uint64_t bias = 0;
	char name[100];
	dl_iterate_phdr(first, &bias);
	uint64_t address = (uintptr_t)of_this_program - bias;
	assert_true(fg_symbol_name("/proc/self/exe", address, name, sizeof name));
	assert_string_equal(name, "of_this_program");
	assert_true(fg_symbol_name("/proc/self/exe", address + 1, name, sizeof name));
	assert_string_equal(name, "of_this_program");
	assert_false(fg_symbol_name("/proc/self/exe", UINT64_MAX - 5, name, sizeof name));
	assert_string_equal(name, "exe+0xfffffffffffffffa");
	assert_true(fg_symbol_name("/proc/self/exe", address, name, 4));
	assert_string_equal(name, "of_");
}

/* Any file: this program's first bytes, then each of them changed. */
static void
of_no_program(void **state)
{
	char name[100], path[] = "/tmp/fg-symbol-XXXXXX";
	static unsigned char bytes[1 << 16];
	FILE *self = fopen("/proc/self/exe", "r");
	size_t size = fread(bytes, 1, sizeof bytes, self);
	fclose(self);
	int file = mkstemp(path);
	assert_true(file >= 0);
	assert_false(fg_symbol_name(path, 1, name, sizeof name));
	assert_int_equal(pwrite(file, bytes, size, 0), size);
	for (unsigned i = 0; i < 64; i++)
		for (unsigned k = 0; k < 3; k++) {
			unsigned char changed = k == 0 ? 0xff : k == 1 ? 0 : (unsigned char)(bytes[i] + 1);
			assert_int_equal(pwrite(file, &changed, 1, i), 1);
			fg_symbol_name(path, 0x1000, name, sizeof name);
			assert_int_equal(pwrite(file, &bytes[i], 1, i), 1);
		}
	for (size_t left = 70; left > 0; left--) {
		assert_int_equal(ftruncate(file, (off_t)left), 0);
		assert_false(fg_symbol_name(path, 0x1000, name, sizeof name));
	}
	close(file);
	unlink(path);
	assert_false(fg_symbol_name(path, 16, name, sizeof name));
	assert_string_equal(name + strlen(name) - 5, "+0x10");
	assert_false(fg_symbol_name("/tmp", 16, name, sizeof name));
}

static void
as_people_wrote_them(void **state)
{
	static const struct {
		const char *name, *plain; /* "A|B": where the C++ library is installed, it knows B */
	} cases[] = {{"refine._omp_fn.0", "refine"},
		     {"refine", "refine"},
		     {"main+0x12", "main+0x12"},
		     {"_Z6refineid._omp_fn.12", "refine"},
		     {"_ZL6refinev._omp_fn.0", "refine"},
		     {"_ZN4mesh6refineEd._omp_fn.1", "mesh::refine"},
		     {"_ZNK4mesh4tree4sizeEv._omp_fn.1", "mesh::tree::size"},
		     {"_ZN12_GLOBAL__N_16refineEv._omp_fn.0", "(anonymous namespace)::refine"},
		     {"_Z3fooIiEvT_._omp_fn.0", "_Z3fooIiEvT_|foo<int>"},
		     {"_ZN4meshC1Ev._omp_fn.0", "_ZN4meshC1Ev|mesh::mesh"},
		     {"_Z99foo._omp_fn.0", "_Z99foo"},
		     {"_Z0._omp_fn.0", "_Z0"},
		     {"_ZN", "_ZN"},
		     {"_Z", "_Z"},
		     {"", ""}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[64], small[6];
		fg_plain_name(cases[i].name, text, sizeof text);
		const char *bar = strchr(cases[i].plain, '|');
		char first[64];
		snprintf(first, sizeof first, "%.*s", (int)strcspn(cases[i].plain, "|"), cases[i].plain);
		if (!bar || strcmp(text, bar + 1) != 0)
			assert_string_equal(text, first);
		fg_plain_name(cases[i].name, small, sizeof small);
		assert_true(strlen(small) < sizeof small);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(of_this_program), cmocka_unit_test(of_no_program),
					   cmocka_unit_test(as_people_wrote_them)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
