/* Kept (floor: share): see kept.h. */
#include "share/kept.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "platform/file.h"
#include "platform/float.h"
#include "platform/map.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/sandbox.h"
#include "share/learnt.h"
#include "share/notebook.h"

bool fg_kept_on;

static struct {
	char *path; /* without links, so that a later chdir changes nothing */
	struct fg_notebook *book;
} own;

static bool
fails(const char **why, const char *text)
{
	*why = text;
	return false;
}

/* The true name of a file that may not be there yet. NULL: its folder is not there, or there is no memory. */
static char *
true_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	if (fg_path_exists(path))
		return fg_path_true_name(path);
	char *folder = slash ? strndup(path, (size_t)(last - path)) : strdup(".");
	char *found = folder && *last ? fg_path_true_name(folder) : NULL;
	char *name = found ? malloc(strlen(found) + strlen(last) + 2) : NULL;
	if (name)
		sprintf(name, "%s/%s", found, last);
	free(folder);
	free(found);
	return name;
}

static bool
read_text(char *text, size_t size, const char **why)
{
	struct fg_file_reading reading;
	size_t used = 0;
	ssize_t got;
	text[0] = '\0';
	if (fg_file_is_special(own.path))
		return fails(why, "it is no ordinary file");
	if (!fg_path_exists(own.path))
		return true;
	if (!fg_file_reading_begin(&reading, own.path))
		return fails(why, strerror(errno));
	while ((got = fg_file_reading_next(&reading, text + used, size - 1 - used)) > 0)
		used += (size_t)got;
	int error = errno;
	fg_file_reading_end(&reading);
	if (got < 0)
		return fails(why, strerror(error));
	text[used] = '\0';
	if (used == size - 1)
		return fails(why, "it is longer than 256 KiB, so it stays as it is");
	return strlen(text) == used || fails(why, "it is no text, so it stays as it is");
}

/* Adds what the file says. `text` has room for any notebook. */
static bool
read_file(struct fg_notebook *book, char *text, const char **why)
{
	unsigned wrong;
	if (!read_text(text, FG_NOTEBOOK_BYTES, why))
		return false;
	if (!fg_notebook_read(book, text, &wrong))
		return fails(why, "it does not begin with `learnt = 1`, so it stays as it is");
	if (wrong)
		fg_note("FGOMP_LEARNT=%s: line %u is wrong, and is left out", own.path, wrong);
	return true;
}

void
fg_kept_start(const char *path)
{
	const char *why = "there is no memory";
	char *text = malloc(FG_NOTEBOOK_BYTES);
	free(own.book); /* tests start again */
	free(own.path);
	own.book = calloc(1, sizeof *own.book);
	own.path = true_name(path);
	if (!own.path)
		why = "its folder is not there";
	fg_kept_on = text && own.book && own.path && read_file(own.book, text, &why);
	if (fg_kept_on)
		fg_note("FGOMP_LEARNT=%s: regions known: %u", own.path, own.book->n);
	else
		fg_error("FGOMP_LEARNT=%s: %s; what this program learns is not kept", path, why);
	free(text);
}

const struct fg_notebook_region *
fg_kept_find(const char *name, unsigned size)
{
	return fg_notebook_find(own.book, name, size);
}

/* With what this program has learnt. Returns how many regions that are. */
static unsigned
put_all(struct fg_notebook *book)
{
	char name[FG_NOTEBOOK_NAME];
	struct fg_curve curve;
	unsigned size, n = 0;
	for (unsigned place = 0; fg_learnt_kept(&place, name, &size, &curve); n++)
		fg_notebook_put(book, name, size, &curve);
	return n;
}

#define NAMES 10

/* The new file is "PATH.PROCESS" first, or "PATH.PROCESS.1" and so on: a killed process with the same number, of
 * another container or an earlier boot, may have left one. Beyond a limit on the size of files a signal would end the
 * program. */
static bool
write_file(const char *text, size_t size, const char **why)
{
	size_t room = strlen(own.path) + 18;
	char *fresh = malloc(room);
	if (!fresh)
		return fails(why, "there is no memory");
	int end = snprintf(fresh, room, "%s.%d", own.path, fg_process_id());
	bool right = false, may = fg_map_file_may_reach(size), taken = true;
	for (unsigned i = 0; may && taken && i < NAMES; i++) {
		if (i > 0)
			snprintf(fresh + end, room - (size_t)end, ".%u", i);
		right = fg_file_replace(own.path, fresh, text, size);
		taken = !right && errno == EEXIST;
	}
	if (!right)
		fails(why, may ? strerror(errno) : "a limit on the size of files forbids it");
	free(fresh);
	return right;
}

static bool
replace(struct fg_notebook *book, char *text, const char **why)
{
	if (!fg_sandbox_allows(FG_SANDBOX_BOARD))
		return fails(why, "a sandbox may forbid it");
	if (!read_file(book, text, why))
		return false;
	put_all(book);
	return write_file(text, fg_notebook_write(book, text), why);
}

/* Not inlined: its arithmetic must stay where the flags of the program are put aside. */
static __attribute__((noinline)) void
end(void)
{
	const char *why = "there is no memory";
	struct fg_notebook *book = calloc(1, sizeof *book);
	char *text = malloc(FG_NOTEBOOK_BYTES);
	unsigned n = book && text ? put_all(book) : 0;
	if (book)
		*book = (struct fg_notebook){0};
	if (n && replace(book, text, &why))
		fg_note("FGOMP_LEARNT=%s: regions learnt: %u", own.path, n);
	else if (n)
		fg_error("FGOMP_LEARNT=%s: %s; what this program has learnt is not kept", own.path, why);
	free(text);
	free(book);
}

void
fg_kept_end(void)
{
	if (!fg_kept_on)
		return;
	struct fg_float program = fg_float_put_aside();
	end();
	fg_float_take_back(program);
}
