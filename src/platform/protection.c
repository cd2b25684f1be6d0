/* Protection (floor: platform): see protection.h. */
#define _GNU_SOURCE
#include "platform/protection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "platform/file.h"
#include "platform/sandbox.h"

bool
fg_protect(uintptr_t start, size_t bytes, enum fg_protection how)
{
	int saved = errno, access = how == FG_OPEN ? PROT_READ | PROT_WRITE : how == FG_CLOSED ? PROT_NONE : PROT_READ;
	bool done = mprotect((void *)start, bytes, access) == 0;
	errno = saved;
	return done;
}

/* A file of /proc by lines. Of longer ones the beginning is seen. */
struct lines {
	struct fg_file_reading file;
	size_t used, length;
	char line[160], text[512];
};

static bool
lines_open(struct lines *lines, const char *path)
{
	lines->used = lines->length = 0;
	return fg_sandbox_allows(FG_SANDBOX_FILES) && fg_file_reading_begin(&lines->file, path);
}

static bool
lines_next(struct lines *lines)
{
	size_t n = 0;
	for (;;) {
		if (lines->used == lines->length) {
			ssize_t got = fg_file_reading_next(&lines->file, lines->text, sizeof lines->text);
			if (got <= 0)
				return false;
			lines->used = 0;
			lines->length = (size_t)got;
		}
		char c = lines->text[lines->used++];
		if (c == '\n')
			break;
		if (n + 1 < sizeof lines->line)
			lines->line[n++] = c;
	}
	lines->line[n] = '\0';
	return true;
}

/* "LOW-HIGH rwxp offset device inode path" */
struct mapping {
	uintptr_t low, high;
	char access[4];
	bool of_file;
};

static bool
line_is_mapping(char *line, struct mapping *mapping)
{
	char *at;
	mapping->low = strtoul(line, &at, 16);
	if (*at != '-')
		return false;
	mapping->high = strtoul(at + 1, &at, 16);
	if (*at != ' ' || strlen(at) < 6)
		return false;
	memcpy(mapping->access, at + 1, sizeof mapping->access);
	at = strchr(at + 6, ' ');
	at = at ? strchr(at + 1, ' ') : NULL;
	mapping->of_file = !at || strtoul(at + 1, NULL, 10) != 0;
	return true;
}

bool
fg_protection_is_open(uintptr_t start, size_t bytes)
{
	int saved = errno;
	uintptr_t end = start + bytes;
	struct lines lines;
	struct mapping mapping;
	if (!lines_open(&lines, "/proc/self/maps")) {
		errno = saved;
		return false;
	}
	while (start < end && lines_next(&lines))
		if (line_is_mapping(lines.line, &mapping) && mapping.high > start) {
			if (mapping.low > start || memcmp(mapping.access, "rw-p", 4) != 0)
				break;
			start = mapping.high;
		}
	fg_file_reading_end(&lines.file);
	errno = saved;
	return start >= end;
}

/* The flags of a mapping come in one of the lines behind that of its addresses. "ac": the kernel accounts for it. */
bool
fg_protection_lost(uintptr_t address, uintptr_t *start, uintptr_t *end)
{
	int saved = errno;
	bool lost = false, found = false;
	struct lines lines;
	struct mapping mapping;
	if (!lines_open(&lines, "/proc/self/smaps")) {
		errno = saved;
		return false;
	}
	while (!lost && lines_next(&lines))
		if (line_is_mapping(lines.line, &mapping)) {
			if (found)
				break;
			found = address >= mapping.low && address < mapping.high && !mapping.of_file &&
				mapping.access[1] == '-' && mapping.access[2] == '-' && mapping.access[3] == 'p';
			*start = mapping.low;
			*end = mapping.high;
		} else if (found && strncmp(lines.line, "VmFlags:", 8) == 0) {
			lost = strstr(lines.line, " ac") != NULL;
		}
	fg_file_reading_end(&lines.file);
	errno = saved;
	return lost;
}

bool
fg_protection_meets_huge_pages(void)
{
	char text[64];
	int saved = errno;
	bool refused = fg_sandbox_allows(FG_SANDBOX_NAMES) && prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1;
	errno = saved;
	return !refused && fg_sandbox_allows(FG_SANDBOX_FILES) &&
	       fg_file_text("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text) > 0 &&
	       !strstr(text, "[never]");
}
