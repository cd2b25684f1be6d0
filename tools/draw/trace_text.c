/* The text in a trace (command): see trace_text.h. The lookups of trace_read.h that search it are here, too. */
#include "draw/trace_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/symbol.h"

/* Reads numbers in hexadecimal at the start of a line. *rest is the text behind them. */
static bool
numbers(char *line, unsigned n, uint64_t *number, char **rest)
{
	for (unsigned i = 0; i < n; i++) {
		char *end;
		number[i] = strtoull(line, &end, 16);
		if (end == line || *end != ' ')
			return false;
		line = end + 1;
	}
	*rest = line;
	return *line != '\0';
}

static int
by_address(const void *a, const void *b)
{
	const struct fg_trace_name *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

void
fg_trace_text_names(struct fg_trace *trace, char *text)
{
	char *save = NULL, *rest;
	uint64_t address;
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		if (!numbers(line, 1, &address, &rest))
			continue;
		trace->names = realloc(trace->names, (trace->n_names + 1) * sizeof *trace->names);
		trace->names[trace->n_names++] = (struct fg_trace_name){address, rest};
	}
	if (trace->n_names)
		qsort(trace->names, trace->n_names, sizeof *trace->names, by_address);
}

/* Equal texts are one, whatever their addresses were. */
static const char *
same_text(const struct fg_trace *trace, const char *text)
{
	for (unsigned i = 0; i <= FG_TEXT_MASK; i++)
		if (trace->said[i] && strcmp(trace->said[i], text) == 0)
			return trace->said[i];
	return text;
}

void
fg_trace_text_said(struct fg_trace *trace, char *text)
{
	char *save = NULL, *end;
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		unsigned long number = strtoul(line, &end, 10);
		if (end != line && *end == ' ' && end[1] && number > 0 && number <= FG_TEXT_MASK)
			trace->said[number] = same_text(trace, end + 1);
	}
}

void
fg_trace_text_modules(struct fg_trace *trace, char *text)
{
	char *save = NULL, *rest;
	uint64_t number[3];
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		if (!numbers(line, 3, number, &rest))
			continue;
		trace->modules = realloc(trace->modules, (trace->n_modules + 1) * sizeof *trace->modules);
		trace->modules[trace->n_modules++] = (struct fg_trace_module){number[0], number[1], number[2], rest};
	}
}

void
fg_trace_fact(const struct fg_trace *trace, const char *name, char *value, size_t size)
{
	size_t length = strlen(name);
	value[0] = '\0';
	for (const char *line = trace->facts; line && *line;) {
		const char *end = strchrnul(line, '\n');
		if (strncmp(line, name, length) == 0 && line[length] == '=') {
			snprintf(value, size, "%.*s", (int)(end - line - (ptrdiff_t)length - 1), line + length + 1);
			return;
		}
		line = *end ? end + 1 : end;
	}
}

void
fg_trace_function(const struct fg_trace *trace, uint64_t address, char *name, size_t size)
{
	const struct fg_trace_name key = {address, NULL};
	const struct fg_trace_name *known =
		trace->n_names ? bsearch(&key, trace->names, trace->n_names, sizeof key, by_address) : NULL;
	if (known) {
		snprintf(name, size, "%s", known->name);
		return;
	}
	for (size_t i = 0; i < trace->n_modules; i++) {
		const struct fg_trace_module *module = &trace->modules[i];
		if (address >= module->low && address < module->high) {
			fg_symbol_name(module->path, address - module->bias, name, size);
			return;
		}
	}
	snprintf(name, size, "0x%" PRIx64, address);
}

const struct fg_event_words *
fg_event_words(unsigned event)
{
	static const struct fg_event_words words[] = {{NULL, NULL, NULL, NULL, NULL},
#define FG_EVENT_WORDS(event, meaning, about, a, b) {#event, meaning, #about, #a, #b},
						      FG_EVENTS(FG_EVENT_WORDS)
#undef FG_EVENT_WORDS
	};
	return event > FG_EVENT_none && event < FG_EVENT_COUNT ? &words[event] : NULL;
}
