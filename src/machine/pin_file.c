/* Pin file (floor: machine): see pin_file.h. */
#include "machine/pin_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blanks.h"

struct reader {
	struct fg_pin *pin;
	unsigned line, threads;
	const char *wrong; /* with what is accepted */
	bool *used;	   /* by PU: scratch memory */
};

static bool
fails(struct reader *reader, const char *wrong)
{
	reader->wrong = wrong;
	return false;
}

/* A number up to `most`, with a blank or the end behind it. Returns where the next word begins; NULL: there is none. */
static const char *
number(const char *at, unsigned most, unsigned *value)
{
	char *end;
	at = fg_blanks_skip(at);
	if (*at < '0' || *at > '9')
		return NULL;
	unsigned long read = strtoul(at, &end, 10);
	*value = (unsigned)read;
	return read <= most && (*fg_blanks_skip(end) == '\0' || end != fg_blanks_skip(end)) ? fg_blanks_skip(end)
											    : NULL;
}

static struct fg_pin_layout *
last(const struct fg_pin *pin)
{
	struct fg_pin_layout *layout = pin->first;
	while (layout && layout->next)
		layout = layout->next;
	return layout;
}

static const struct fg_pin_layout *
first_of(const struct fg_pin *pin, unsigned size)
{
	const struct fg_pin_layout *layout = pin->first;
	while (layout && layout->size != size)
		layout = layout->next;
	return layout;
}

/* The PUs of `layout` are those of the size's first layout. `used` marks those of `layout`. */
static bool
fits(const struct fg_pin *pin, const struct fg_pin_layout *layout, const bool *used)
{
	const struct fg_pin_layout *first = first_of(pin, layout->size);
	bool same = !first || first->pu[0] == layout->pu[0];
	for (unsigned k = 0; first && k < layout->size; k++)
		same &= used[first->pu[k]];
	return same;
}

static bool
read_pus(struct reader *reader, const char *at, struct fg_pin_layout *layout)
{
	memset(reader->used, 0, reader->pin->pus * sizeof *reader->used);
	for (unsigned k = 0; k < layout->size; k++) {
		unsigned pu;
		at = number(at, reader->pin->pus - 1, &pu);
		if (!at)
			return fails(reader, "accepted: a PU of the machine for each member");
		if (reader->used[pu])
			return fails(reader, "a PU stands there twice");
		reader->used[pu] = true;
		layout->pu[k] = (uint16_t)pu;
	}
	if (*at)
		return fails(reader, "accepted: as many PUs as threads");
	return fits(reader->pin, layout, reader->used) ||
	       fails(reader, "accepted: the PUs of the other layouts of this size, with the same first one");
}

static bool
add(struct reader *reader, const char *name, size_t length, const char *pus)
{
	if (!reader->threads)
		return fails(reader, "accepted: `threads = N` before it");
	struct fg_pin_layout *layout = calloc(1, sizeof *layout + reader->threads * sizeof *layout->pu);
	if (!layout)
		return fails(reader, "there is no memory");
	layout->size = reader->threads;
	memcpy(layout->name, name, length);
	if (!read_pus(reader, pus, layout)) {
		free(layout);
		return false;
	}
	struct fg_pin_layout *before = last(reader->pin);
	*(before ? &before->next : &reader->pin->first) = layout;
	return true;
}

static bool
read_region(struct reader *reader, const char *value)
{
	size_t length = strcspn(value, " \t");
	if (length < 3 || length >= FG_PIN_NAME || strspn(value, "0123456789abcdef+") != length)
		return fails(reader, "accepted: BUILD-ID+OFFSET PU PU ...");
	return add(reader, value, length, value + length);
}

static bool
read_machine(struct reader *reader, const char *value)
{
	int used = 0;
	struct fg_pin *pin = reader->pin;
	if (sscanf(value, "%u %" SCNx64 "%n", &pin->pus, &pin->digest, &used) != 2 || value[used] || pin->pus < 1 ||
	    pin->pus > FG_PIN_PUS || pin->first)
		return fails(reader, "accepted: PUS DIGEST, before the layouts");
	return true;
}

static bool
read_value(struct reader *reader, const char *key, const char *value)
{
	unsigned version;
	if (strcmp(key, "pin") == 0) {
		const char *end = number(value, FG_PIN_VERSION, &version);
		return (end && !*end && version == FG_PIN_VERSION) || fails(reader, "accepted: version 1");
	}
	if (strcmp(key, "machine") == 0)
		return read_machine(reader, value);
	if (!reader->pin->pus)
		return fails(reader, "accepted: `machine = PUS DIGEST` before it");
	if (strcmp(key, "threads") == 0) {
		const char *end = number(value, reader->pin->pus, &reader->threads);
		return (end && !*end && reader->threads > 1) || fails(reader, "accepted: 2 up to the number of PUs");
	}
	if (strcmp(key, "default") == 0)
		return add(reader, "", 0, value);
	return strcmp(key, "region") == 0 ? read_region(reader, value)
					  : fails(reader, "accepted: pin, machine, threads, default, region");
}

/* `text` is a line of its own, and is written to. */
static bool
read_line(struct reader *reader, char *text)
{
	text[strcspn(text, "#")] = '\0';
	char *key = (char *)fg_blanks_skip(text), *equals = strchr(key, '=');
	if (!*key)
		return true;
	if (!equals)
		return fails(reader, "accepted: KEY = VALUE");
	char *end = equals;
	while (end > key && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	char *value = (char *)fg_blanks_skip(equals + 1);
	for (end = value + strlen(value); end > value && strchr(" \t\r", end[-1]);)
		*--end = '\0';
	if (reader->line == 1 && strcmp(key, "pin") != 0)
		return fails(reader, "accepted: `pin = 1` as the first line");
	return read_value(reader, key, value);
}

/* Each size has a default. */
static bool
is_whole(struct reader *reader)
{
	for (const struct fg_pin_layout *layout = reader->pin->first; layout; layout = layout->next)
		if (!fg_pin_find(reader->pin, layout->size, ""))
			return fails(reader, "there is no default for a number of threads");
	return reader->pin->first || fails(reader, "there is no layout");
}

bool
fg_pin_read(const char *text, struct fg_pin *pin, char *why, size_t size)
{
	size_t length = strlen(text);
	char *copy = malloc(length + 1);
	struct reader reader = {.pin = pin, .used = malloc(FG_PIN_PUS * sizeof *reader.used)};
	*pin = (struct fg_pin){0};
	bool right = copy && reader.used;
	if (right)
		memcpy(copy, text, length + 1);
	else
		reader.wrong = "there is no memory";
	for (char *at = copy, *next; right && at; at = next) {
		next = strchr(at, '\n');
		if (next)
			*next++ = '\0';
		reader.line++;
		right = read_line(&reader, at);
	}
	if (!right)
		snprintf(why, size, "line %u: %s", reader.line, reader.wrong);
	else if (!is_whole(&reader)) {
		snprintf(why, size, "%s", reader.wrong);
		right = false;
	}
	if (!right)
		fg_pin_free(pin);
	free(copy);
	free(reader.used);
	return right;
}

void
fg_pin_free(struct fg_pin *pin)
{
	for (struct fg_pin_layout *layout = pin->first, *next; layout; layout = next) {
		next = layout->next;
		free(layout);
	}
	pin->first = NULL;
}

const struct fg_pin_layout *
fg_pin_find(const struct fg_pin *pin, unsigned size, const char *name)
{
	const struct fg_pin_layout *rest = NULL;
	for (const struct fg_pin_layout *layout = pin->first; layout; layout = layout->next) {
		if (layout->size != size)
			continue;
		if (strcmp(layout->name, name) == 0)
			return layout;
		if (!layout->name[0])
			rest = layout;
	}
	return rest;
}

/* FNV-1a. */
static uint64_t
mix(uint64_t digest, uint32_t value)
{
	for (unsigned i = 0; i < sizeof value; i++)
		digest = (digest ^ (value >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
	return digest;
}

uint64_t
fg_pin_digest(const struct fg_machine *machine)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325);
	for (unsigned i = 0; i < machine->n_levels; i++)
		digest = mix(mix(digest, machine->levels[i]->first_pu), machine->levels[i]->n_pus);
	return digest;
}
