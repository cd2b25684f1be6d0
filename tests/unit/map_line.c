/* Lines of /proc/self/maps: those of this process, and odd ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "samples/map_line.h"

struct expected {
	const char *line;
	uintptr_t start, end; /* 0: it tells of something else */
};

static const struct expected lines[] = {
	{"7f1be4dd5000-7f1be4df7000 rw-p 00000000 00:00 0 ", 0x7f1be4dd5000, 0x7f1be4df7000},
	{"7f1be4dd5000-7f1be4df7000 rw-p 00000000 00:00 0", 0x7f1be4dd5000, 0x7f1be4df7000},
	{"00400000-00401000 rw-p 00000000 00:00 0 ", 0x400000, 0x401000},
	{"558592cc7000-558592ce8000 rw-p 00000000 00:00 0                          [heap]", 0x558592cc7000,
	 0x558592ce8000},
	{"7f0000000000-7f0000021000 rw-p 00000000 00:00 0                          [anon: glibc: malloc arena]",
	 0x7f0000000000, 0x7f0000021000},
	{"7f0000000000-7f0000021000 rw-p 7f0000000000 00:00 0 [anon:a b]", 0x7f0000000000, 0x7f0000021000},
	{"8000000000000000-fffffffffffff000 rw-p 00000000 00:00 0 ", 0x8000000000000000, 0xfffffffffffff000},
	/* The stack, shared memory, code, memory that is only read, files. */
	{"7ffd1f5f7000-7ffd1f618000 rw-p 00000000 00:00 0                          [stack]", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 rw-s 00000000 00:00 0 ", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 rwxp 00000000 00:00 0 ", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 r--p 00000000 00:00 0 ", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 ---p 00000000 00:00 0 ", 0, 0},
	{"7fff3b9f8000-7fff3b9fa000 r-xp 00000000 00:00 0                          [vdso]", 0, 0},
	{"55856561c000-55856561d000 rw-p 0000a000 fe:00 247026                     /usr/bin/cat", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 rw-p 00000000 00:01 1035                       /dev/zero (deleted)", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 rw-p 00000000 00:0f 1040 /anon_hugepage (deleted)", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 rw-p 00000000 00:2a 0                          /sys/kernel/odd", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 rw-p 00000000 fe:00 9                          /tmp/ 7f00-8f00 rw-p 0 0:0 0 ", 0,
	 0},
	/* Parts of lines, and no lines. */
	{"", 0, 0},
	{"-", 0, 0},
	{"7f1be4dd5000", 0, 0},
	{"7f1be4dd5000-", 0, 0},
	{"7f1be4dd5000-7f1be4df7000", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 rw-p", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 rw-p ", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 rw-p 00000000", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 rw-p 00000000 00:00", 0, 0},
	{"7f1be4dd5000-7f1be4df7000 rw-p 00000000 00:00 ", 0, 0},
	{"7f1be4dd5000 7f1be4df7000 rw-p 00000000 00:00 0 ", 0, 0},
	{"7f1be4df7000-7f1be4dd5000 rw-p 00000000 00:00 0 ", 0, 0},
	{"7f1be4dd5000-7f1be4dd5000 rw-p 00000000 00:00 0 ", 0, 0},
	{"Rss:                  12 kB", 0, 0},
};

static void
known_lines(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
		uintptr_t start, end;
		bool told = fg_map_line_read(lines[i].line, &start, &end);
		if (told != (lines[i].end != 0) || (told && (start != lines[i].start || end != lines[i].end)))
			fail_msg("%d: %s", told, lines[i].line);
	}
}

/* What the C library's reader makes of the line. */
static bool
by_scanf(const char *line, uintptr_t *start, uintptr_t *end)
{
	char rights[8], name[32] = "";
	unsigned long inode;
	if (sscanf(line, "%zx-%zx %7s %*s %*s %lu %31[^\n]", start, end, rights, &inode, name) < 4)
		return false;
	bool nameless = !*name || strcmp(name, "[heap]") == 0 || strncmp(name, "[anon", 5) == 0;
	return strcmp(rights, "rw-p") == 0 && inode == 0 && nameless;
}

/* A mapping of our own, the memory of malloc and the program's own variables are among them. */
static void
own_lines(void **state)
{
	(void)state;
	static char variables[1 << 20];
	char text[8192], *own = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned found = 0;
	uintptr_t want[2] = {(uintptr_t)own, (uintptr_t)variables + sizeof variables / 2};
	assert_non_null(file);
	while (fgets(text, sizeof text, file)) {
		uintptr_t start, end, start_too, end_too;
		text[strcspn(text, "\n")] = '\0';
		bool told = fg_map_line_read(text, &start, &end);
		if (told != by_scanf(text, &start_too, &end_too) || (told && (start != start_too || end != end_too)))
			fail_msg("%s", text);
		for (unsigned i = 0; told && i < 2; i++)
			found += want[i] - start < end - start;
	}
	fclose(file);
	munmap(own, 1 << 20);
	assert_int_equal(found, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(known_lines), cmocka_unit_test(own_lines)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
