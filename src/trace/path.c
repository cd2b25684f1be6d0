/* Path (floor: trace): see path.h. */
#define _GNU_SOURCE
#include "trace/path.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/host.h"
#include "platform/path.h"
#include "platform/process.h"
#include "trace/format.h"

/* What the name has become so far. */
struct text {
	char *end, *last;
};

static bool
put(struct text *text, const char *more)
{
	size_t length = strlen(more);
	if (length > (size_t)(text->last - text->end))
		return false;
	memcpy(text->end, more, length + 1);
	text->end += length;
	return true;
}

/* "q{NAME}" becomes the variable's value. Returns the end of the sign; NULL: it is wrong. */
static const char *
variable(const char *sign, struct text *text, char *why, size_t why_size)
{
	char name[128];
	const char *end = sign[1] == '{' ? strchr(sign, '}') : NULL;
	if (!end || end == sign + 2 || (size_t)(end - sign) - 2 >= sizeof name) {
		snprintf(why, why_size, "%%q needs the name of a variable, as in %%q{SLURM_PROCID}");
		return NULL;
	}
	snprintf(name, sizeof name, "%.*s", (int)(end - sign - 2), sign + 2);
	const char *value = getenv(name);
	if (!value) {
		snprintf(why, why_size, "the variable %s is not set", name);
		return NULL;
	}
	return put(text, value) ? end : NULL;
}

/* Returns the end of the sign; NULL: it is wrong, or the name is too long. */
static const char *
sign_put(const char *sign, unsigned number, struct text *text, char *why, size_t why_size)
{
	char word[300] = "";
	switch (*sign) {
	case 'p':
		snprintf(word, sizeof word, "%ld", (long)fg_process_id());
		break;
	case 'h':
		fg_host_name(word, sizeof word);
		break;
	case 'n':
		if (number > 1)
			snprintf(word, sizeof word, ".%u", number);
		break;
	case '%':
		word[0] = '%';
		break;
	case 'q':
		return variable(sign, text, why, why_size);
	default:
		snprintf(why, why_size, "%%%c has no meaning; known: %%p, %%h, %%n, %%q{VARIABLE}, %%%%",
			 *sign ? *sign : ' ');
		return NULL;
	}
	return put(text, word) ? sign : NULL;
}

bool
fg_trace_path(const char *name, unsigned number, char *path, size_t size, bool *numbered)
{
	char why[200] = "it is too long", plain[2] = "";
	struct text text = {path, path + size - 1};
	path[0] = '\0';
	for (const char *p = name; *p; p++) {
		plain[0] = *p;
		bool is_sign = *p == '%';
		if (is_sign) {
			*numbered |= p[1] == 'n';
			p = sign_put(p + 1, number, &text, why, sizeof why);
		}
		if (!p || (!is_sign && !put(&text, plain))) {
			snprintf(path, size, "%s", why);
			return false;
		}
	}
	return true;
}

/* A file that cannot be read may be anything. An empty one holds nothing that could be lost: mktemp makes such
 * files. */
const char *
fg_trace_path_refused(const char *path)
{
	char magic[sizeof FG_TRACE_MAGIC - 1];
	if (!fg_path_exists(path) && !fg_file_is_special(path))
		return NULL;
	if (fg_file_is_special(path))
		return "it is there and is no ordinary file; give the name of a file";
	int file = fg_file_open(path, O_RDONLY);
	ssize_t got = file >= 0 ? fg_file_read(file, magic, sizeof magic) : -1;
	bool ours = got == 0 || (got == sizeof magic && memcmp(magic, FG_TRACE_MAGIC, sizeof magic) == 0);
	if (file >= 0)
		fg_file_close(file);
	return ours ? NULL : "it is there and is no trace, so it stays as it is; give another name";
}

bool
fg_trace_path_is_written(const char *path, int *process)
{
	struct fg_trace_head head;
	int file = fg_file_is_special(path) ? -1 : fg_file_open(path, O_RDONLY);
	bool whole = file >= 0 && fg_file_read(file, &head, sizeof head) == sizeof head;
	if (file >= 0)
		fg_file_close(file);
	if (!whole || memcmp(head.magic, FG_TRACE_MAGIC, sizeof head.magic) != 0 || head.end)
		return false;
	*process = (int)head.pid;
	return *process != fg_process_id() && fg_process_is_there(*process); /* exec keeps the number */
}
