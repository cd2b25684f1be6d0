/* Job server (floor: share): see jobserver.h. */
#include "share/jobserver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "platform/path.h"
#include "platform/pipe.h"
#include "platform/process.h"
#include "platform/sandbox.h"

#define ANCESTORS 100 /* processes between make and this one, at most */

static struct {
	struct fg_jobserver_name name;
	struct fg_file_id id; /* of the pipe */
	int file;	      /* it is open here; -1: it is not */
} own = {.file = -1};

/* Copies a word of MAKEFLAGS. There a backslash stands before a blank that belongs to the word. Returns its end. */
static const char *
word_copy(const char *from, char *to, size_t size)
{
	size_t length = 0;
	for (; *from && *from != ' '; from++) {
		if (*from == '\\' && from[1])
			from++;
		if (length + 1 < size)
			to[length++] = *from;
	}
	to[length] = '\0';
	return from;
}

/* "3,4", "-2,-2" or "fifo:PATH". */
static void
read_value(const char *value, struct fg_jobserver_name *name)
{
	char end;
	if (strncmp(value, "fifo:/", 6) == 0 && strlen(value) < sizeof name->path - 1) {
		name->kind = FG_JOBSERVER_FIFO;
		snprintf(name->path, sizeof name->path, "%s", value + 5);
	} else if (sscanf(value, "%5d,%5d%c", &name->reader, &name->writer, &end) == 2) {
		name->kind = name->reader < 0 || name->writer < 0 ? FG_JOBSERVER_WITHHELD : FG_JOBSERVER_PIPE;
	} else {
		name->kind = FG_JOBSERVER_STRANGE;
		snprintf(name->path, sizeof name->path, "%.100s", value);
	}
}

/* Words behind "--" are variables. If there are several names, the last one counts. Make 4.1 has the other word. */
void
fg_jobserver_read(const char *makeflags, struct fg_jobserver_name *name)
{
	static const char *const words[] = {"--jobserver-auth=", "--jobserver-fds="};
	char word[sizeof name->path + 32];
	*name = (struct fg_jobserver_name){0};
	for (const char *at = makeflags ? makeflags : ""; *at;) {
		if (*at == ' ') {
			at++;
			continue;
		}
		at = word_copy(at, word, sizeof word);
		if (strcmp(word, "--") == 0)
			return;
		for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
			if (strncmp(word, words[i], strlen(words[i])) == 0)
				read_value(word + strlen(words[i]), name);
	}
}

/* Both numbers must be ends of one pipe. */
static bool
is_pipe(const struct fg_jobserver_name *name, struct fg_file_id *id)
{
	struct fg_file_id other;
	bool reads, writes, unused;
	return fg_pipe_is(name->reader, &reads, &unused, id) && fg_pipe_is(name->writer, &unused, &writes, &other) &&
	       reads && writes && id->device == other.device && id->inode == other.inode;
}

/* 0: it is not known. */
static int
parent_of(int process)
{
	char path[40], text[400];
	int parent = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", process);
	fg_file_text(path, text, sizeof text);
	const char *name_end = strrchr(text, ')');
	return name_end && sscanf(name_end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* Make has its pipe under these numbers itself. A program that has lost make's files may have a pipe of its own there,
 * if the library is loaded late. */
static bool
is_inherited(const struct fg_jobserver_name *name)
{
	char path[40], here[64], there[64];
	int process = fg_process_id();
	snprintf(path, sizeof path, "/proc/self/fd/%d", name->reader);
	if (!fg_path_leads_to(path, here, sizeof here))
		return false;
	for (unsigned i = 0; i < ANCESTORS && (process = parent_of(process)) > 0; i++) {
		snprintf(path, sizeof path, "/proc/%d/fd/%d", process, name->reader);
		if (fg_path_leads_to(path, there, sizeof there) && strcmp(here, there) == 0)
			return true;
	}
	return false;
}

void
fg_jobserver_find(const char *makeflags)
{
	fg_jobserver_read(makeflags, &own.name);
	if (own.name.kind != FG_JOBSERVER_PIPE || !fg_sandbox_allows(FG_SANDBOX_FILES))
		return;
	if (!is_pipe(&own.name, &own.id) || !is_inherited(&own.name))
		own.name.kind = FG_JOBSERVER_WITHHELD;
}

/* The numbers may have become those of other files meanwhile. */
static int
open_it(void)
{
	char path[40];
	struct fg_file_id id;
	if (own.name.kind == FG_JOBSERVER_FIFO)
		return fg_pipe_open(own.name.path, &own.id);
	if (!is_pipe(&own.name, &id) || id.device != own.id.device || id.inode != own.id.inode) {
		errno = EBADF;
		return -1;
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", own.name.reader);
	return fg_pipe_open(path, &own.id);
}

bool
fg_jobserver_open(void)
{
	static const char unused[] = "so the program takes no tokens";
	switch (own.name.kind) {
	case FG_JOBSERVER_NONE:
		fg_note("FGOMP_JOBSERVER: `make -jN` has not started this program, %s", unused);
		return false;
	case FG_JOBSERVER_STRANGE:
		fg_error("FGOMP_JOBSERVER: '%s' in MAKEFLAGS is no job server that is known, %s", own.name.path,
			 unused);
		return false;
	case FG_JOBSERVER_WITHHELD:
		fg_error("FGOMP_JOBSERVER: make gives its job server only to a command that begins with '+', %s",
			 unused);
		return false;
	default:
		break;
	}
	errno = EPERM;
	own.file = fg_sandbox_allows(FG_SANDBOX_FILES) ? open_it() : -1;
	if (own.file < 0)
		fg_error("FGOMP_JOBSERVER: the job server of make cannot be opened (%s), %s", strerror(errno), unused);
	return own.file >= 0;
}

bool
fg_jobserver_take(char *token)
{
	return fg_pipe_get(own.file, &own.id, token);
}

bool
fg_jobserver_is_open(void)
{
	return fg_file_is(own.file, &own.id);
}

bool
fg_jobserver_give(char token)
{
	return fg_pipe_put(own.file, &own.id, token);
}
