/* The affinity format (floor: team; see affinity_format.h). Its fields are %[0][.][width]type, where type is a
 * letter or {name}. */
#include "team/places/affinity_format.h"
#include "base/log.h"
#include "base/uncancelled.h"
#include "exec/thread/identity.h"
#include "platform/host.h"
#include "platform/process.h"
#include "team/env/icv.h"
#include "team/places/bind.h"
#include "team/team.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text under construction. Its first `size` characters are kept. */
struct output {
	char *buffer;
	size_t size, length;
};

struct field {
	char type;
	bool zeros, right;
	bool has_width;
	size_t width;
};

static const struct {
	const char *name;
	char type;
} field_names[] = {
	{"team_num", 't'},	   {"num_teams", 'T'},	     {"nesting_level", 'L'}, {"thread_num", 'n'},
	{"num_threads", 'N'},	   {"ancestor_tnum", 'a'},   {"host", 'H'},	     {"process_id", 'P'},
	{"native_thread_id", 'i'}, {"thread_affinity", 'A'},
};

struct format {
	struct format *older;
	char text[];
};
static const char preset_format[] = "level %L thread %i affinity %A";

static const char *
format_text(void)
{
	const struct format *format = fg_load_acquire(&fg_place_list.format);
	return format ? format->text : preset_format;
}

void
fg_affinity_format_set(const char *text, size_t length)
{
	const char *now = format_text();
	if (strlen(now) == length && memcmp(now, text, length) == 0)
		return;
	struct format *format = malloc(sizeof *format + length + 1);
	if (!format)
		fg_fatal("Out of memory allocating %zu bytes", sizeof *format + length + 1);
	memcpy(format->text, text, length);
	format->text[length] = '\0';
	format->older = fg_exchange_acq_rel(&fg_place_list.format, format);
}

size_t
fg_affinity_format_get(char *buffer, size_t size)
{
	const char *text = format_text();
	size_t length = strlen(text);
	if (size) {
		size_t kept = length < size ? length : size - 1;
		memcpy(buffer, text, kept);
		buffer[kept] = '\0';
	}
	return length;
}

static void
put(struct output *out, const char *text, size_t length)
{
	size_t room = out->length < out->size ? out->size - out->length : 0;
	if (room)
		memcpy(out->buffer + out->length, text, length < room ? length : room);
	if (__builtin_add_overflow(out->length, length, &out->length))
		fg_fatal("overflow in omp_capture_affinity");
}

static void
fill(struct output *out, char c, size_t length)
{
	size_t room = out->length < out->size ? out->size - out->length : 0;
	if (room)
		memset(out->buffer + out->length, c, length < room ? length : room);
	if (__builtin_add_overflow(out->length, length, &out->length))
		fg_fatal("overflow in omp_capture_affinity");
}

/* Zeros go after a sign or "0x". */
static void
put_field(struct output *out, const struct field *field, const char *text, bool number)
{
	size_t length = strlen(text);
	size_t missing = field->has_width && field->width > length ? field->width - length : 0;
	if (number && field->zeros) {
		size_t prefix = *text == '-' ? 1 : strncmp(text, "0x", 2) == 0 ? 2 : 0;
		put(out, text, prefix);
		fill(out, '0', missing);
		put(out, text + prefix, length - prefix);
		return;
	}
	if (field->right)
		fill(out, ' ', missing);
	put(out, text, length);
	if (!field->right)
		fill(out, ' ', missing);
}

static void
put_number(struct output *out, const struct field *field, int number)
{
	char text[16];
	snprintf(text, sizeof text, "%d", number);
	put_field(out, field, text, true);
}

/* CPUs as "0-3,8". */
static void
put_cpus(struct output *out, const cpu_set_t *set)
{
	const char *comma = "";
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, set))
			continue;
		unsigned last = cpu;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		char text[32];
		int length = last > cpu ? snprintf(text, sizeof text, "%s%u-%u", comma, cpu, last)
					: snprintf(text, sizeof text, "%s%u", comma, cpu);
		put(out, text, (size_t)length);
		comma = ",";
		cpu = last;
	}
}

static void
put_affinity(struct output *out, const struct field *field, const struct fg_identity *self)
{
	const cpu_set_t *set =
		fg_place_list.count ? fg_place_cpus(fg_place_current(self).place) : &fg_place_list.start_mask;
	struct output measure = {NULL, 0, 0};
	put_cpus(&measure, set);
	size_t missing = field->has_width && field->width > measure.length ? field->width - measure.length : 0;
	if (field->right)
		fill(out, ' ', missing);
	put_cpus(out, set);
	if (!field->right)
		fill(out, ' ', missing);
}

static void
put_host(struct output *out, const struct field *field)
{
	char name[1024];
	put_field(out, field, fg_host_name(name, sizeof name) ? name : "node", false);
}

/* The type of a field: its letter, or the letter of its {name}. *text moves past it. */
static char
parse_type(const char **text)
{
	const char *at = *text;
	if (*at != '{') {
		*text = *at ? at + 1 : at;
		return *at;
	}
	const char *end = strchr(++at, '}');
	if (!end)
		fg_fatal("unterminated long type name '%s' in affinity format", at);
	*text = end + 1;
	for (size_t i = 0; i < sizeof field_names / sizeof *field_names; i++)
		if (strlen(field_names[i].name) == (size_t)(end - at) &&
		    strncmp(at, field_names[i].name, (size_t)(end - at)) == 0)
			return field_names[i].type;
	fg_fatal("unsupported long type name '%.*s' in affinity format", (int)(end - at), at);
}

static struct field
parse_field(const char **text)
{
	struct field field = {0};
	const char *at = *text;
	if (*at == '0') {
		field.zeros = true;
		if (*++at != '.')
			fg_fatal("leading zero not followed by dot in affinity format");
	}
	if (*at == '.') {
		field.right = true;
		at++;
	}
	if (*at >= '1' && *at <= '9') {
		char *end;
		field.width = strtoul(at, &end, 10);
		field.has_width = true;
		at = end;
	} else if (field.right) {
		fg_fatal("leading zero or right justification in affinity format requires size");
	}
	field.type = parse_type(&at);
	*text = at;
	return field;
}

static void
print_field(struct output *out, const struct field *field, const struct fg_identity *self)
{
	const struct fg_team *team = self ? self->thread.team : NULL;
	char handle[32];
	switch (field->type) {
	case 't':
		put_number(out, field, (int)fg_icv_current()->league_num);
		break;
	case 'T':
		put_number(out, field, (int)fg_icv_current()->league_size + 1);
		break;
	case 'L':
		put_number(out, field, team ? (int)team->level : 0);
		break;
	case 'n':
		put_number(out, field, team ? (int)self->thread.num : 0);
		break;
	case 'N':
		put_number(out, field, team ? (int)team->size : 1);
		break;
	case 'a':
		put_number(out, field, !team ? -1 : team->saved.team ? (int)team->saved.num : 0);
		break;
	case 'H':
		put_host(out, field);
		break;
	case 'P':
		put_number(out, field, fg_process_id());
		break;
	case 'i':
		snprintf(handle, sizeof handle, "0x%lx", (unsigned long)pthread_self());
		put_field(out, field, handle, true);
		break;
	case 'A':
		put_affinity(out, field, self);
		break;
	default:
		fg_fatal("unsupported type %c in affinity format", field->type);
	}
}

size_t
fg_affinity_print(char *buffer, size_t size, const char *format)
{
	fg_assert_outside(fg_self());
	const struct fg_identity *self = fg_self();
	struct output out = {buffer, size, 0};
	if (!format || !*format)
		format = format_text();
	while (*format) {
		size_t plain = strcspn(format, "%");
		put(&out, format, plain);
		format += plain;
		if (!*format)
			break;
		format++;
		if (*format == '%') {
			put(&out, format++, 1);
			continue;
		}
		struct field field = parse_field(&format);
		print_field(&out, &field, self);
	}
	return out.length;
}

void
fg_affinity_display(const char *format)
{
	fg_assert_outside(fg_self());
	char few[512];
	char *text = few;
	size_t length = fg_affinity_print(few, sizeof few, format);
	if (length >= sizeof few) {
		text = calloc(length + 1, 1);
		if (!text)
			fg_fatal("Out of memory allocating %zu bytes", length + 1);
		fg_affinity_print(text, length, format);
	}
	text[length] = '\n';
	int cancel = fg_uncancelled_begin();
	fwrite(text, 1, length + 1, stderr);
	fg_uncancelled_end(cancel);
	if (text != few)
		free(text);
}

/* Each thread of the program that opens regions has a "last team" of its own. */
bool
fg_affinity_due(const struct fg_team *team, bool moved)
{
	static __thread unsigned last_size;
	if (team->level > 1)
		return team->size > 1;
	if (team->size == 1 || (team->size == last_size && !moved))
		return false;
	last_size = team->size;
	return true;
}
