/* OMP_PLACES and GOMP_CPU_AFFINITY: the notation of places (floor: team; called by boot/environment.c; OpenMP 5.2,
 * 21.1.6).
 *
 * The same functions read a text twice. The first pass (places == NULL) looks only at its syntax. Thus a text with a
 * later error builds nothing, and no CPU number of it is judged. It runs in a constructor, and may allocate. list.h has
 * its functions. */
#include "base/log.h"
#include "team/env/parse.h"
#include "team/places/list.h"
#include <limits.h>
#include <stdlib.h>

/* ":length[:stride]", or nothing. */
static bool
parse_interval(const char **text, unsigned long *length, long *stride, bool *given)
{
	*length = 1;
	*stride = 1;
	*given = fg_text_char(text, ':');
	if (!*given)
		return true;
	if (!fg_text_ulong(text, length, 10) || *length == 0)
		return false;
	return !fg_text_char(text, ':') || fg_text_long(text, stride);
}

/* One pass over "a[:length[:stride]], !b, ... }". It adds CPUs, or it removes the negated ones. A place = (CPUs
 * named without '!') - (CPUs named with '!'), wherever in the text they are named. */
static bool
parse_cpus(const char **text, cpu_set_t *set, bool removing, bool *any_negated)
{
	do {
		bool negated = fg_text_char(text, '!'), interval;
		unsigned long cpu, length;
		long stride;
		if (!fg_text_ulong(text, &cpu, 10) || !parse_interval(text, &length, &stride, &interval))
			return false;
		if (negated && interval)
			return false;
		*any_negated |= negated;
		if (!set || negated != removing)
			continue;
		if (!(negated ? fg_place_remove(set, cpu) : fg_place_add(set, cpu, length, stride)))
			return false;
	} while (fg_text_char(text, ','));
	return fg_text_char(text, '}');
}

static bool
parse_set(const char **text, cpu_set_t *set)
{
	bool any_negated = false;
	if (fg_text_char(text, '{')) {
		const char *start = *text;
		if (!parse_cpus(text, set, false, &any_negated))
			return false;
		if (set && any_negated) {
			*text = start;
			return parse_cpus(text, set, true, &any_negated);
		}
		return true;
	}
	unsigned long cpu;
	return fg_text_ulong(text, &cpu, 10) && (!set || fg_place_add(set, cpu, 1, 1));
}

/* One item of the list: a place, several places at a stride, or a place to remove. */
static bool
parse_item(const char **text, struct fg_places *places, unsigned long *total)
{
	bool negated = fg_text_char(text, '!'), interval;
	cpu_set_t set;
	CPU_ZERO(&set);
	unsigned long length;
	long stride;
	if (!parse_set(text, places ? &set : NULL) || !parse_interval(text, &length, &stride, &interval))
		return false;
	if ((negated && interval) || length >= FG_PLACES_MAX || (*total += negated ? 0 : length) > FG_PLACES_MAX)
		return false;
	if (!places)
		return true;
	if (negated)
		return fg_places_remove(places, &set);
	for (unsigned long i = 0; i < length; i++) {
		cpu_set_t *place = fg_places_append(places);
		if (!place)
			return false;
		*place = set;
		cpu_set_t from = set;
		if (i + 1 < length && !fg_place_shift(&set, &from, stride))
			return false;
	}
	return true;
}

static bool
parse_list(const char *text, struct fg_places *places)
{
	unsigned long total = 0;
	do
		if (!parse_item(&text, places, &total))
			return false;
	while (fg_text_char(&text, ','));
	return *text == '\0';
}

static bool
build_list(const char *text, struct fg_places *places)
{
	if (!parse_list(text, places))
		return false;
	if (places->count == 0) {
		fg_error("All places have been removed");
		return false;
	}
	return fg_places_trim(places);
}

/* "cores", "threads ( 4 )": the kind, and the number of places wanted. */
static bool
parse_kind(const char **text, enum fg_place_kind *kind)
{
	static const char *const names[] = {"threads", "cores", "sockets", "ll_caches", "numa_domains"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (fg_text_word(text, names[i])) {
			*kind = (enum fg_place_kind)i;
			return true;
		}
	return false;
}

static bool
parse_limit(const char *text, unsigned long *limit)
{
	*limit = ULONG_MAX;
	if (fg_text_char(&text, '(') && (!fg_text_ulong(&text, limit, 10) || !fg_text_char(&text, ')')))
		return false;
	return *text == '\0';
}

static bool
from_places(bool unwanted)
{
	const char *text = getenv("OMP_PLACES");
	if (!text)
		return false;
	text = fg_text_blanks(text);
	struct fg_places places = {0};
	enum fg_place_kind kind;
	unsigned long limit;
	bool valid;
	if (parse_kind(&text, &kind)) {
		valid = parse_limit(text, &limit);
		if (valid && !unwanted && fg_places_by_kind(&places, kind, limit))
			fg_places_publish(&places);
		else if (valid && !unwanted)
			fg_error("Error reading core/socket topology");
	} else {
		valid = parse_list(text, NULL);
		if (valid && !unwanted) {
			valid = build_list(text, &places);
			if (valid)
				fg_places_publish(&places);
			else
				fg_places_free(&places);
		}
	}
	if (!valid)
		fg_env_complain("OMP_PLACES");
	return fg_place_list.count != 0;
}

/* "0-6:2 1,3": a CPU number, or a range with a stride. Numbers may be hexadecimal or octal. */
static bool
parse_range(const char **text, struct fg_places *places)
{
	unsigned long first, last, stride = 1;
	if (!fg_text_ulong(text, &first, 0) || first >= FG_PLACES_MAX)
		return false;
	last = first;
	if (fg_text_char(text, '-')) {
		if (!fg_text_ulong(text, &last, 0) || last >= FG_PLACES_MAX || last < first)
			return false;
		if (fg_text_char(text, ':') &&
		    (!fg_text_ulong(text, &stride, 0) || stride == 0 || stride >= FG_PLACES_MAX))
			return false;
	}
	for (; places && first <= last && first < fg_place_cpu_bound(); first += stride) {
		cpu_set_t *place = fg_places_append(places);
		if (!place)
			return false;
		CPU_SET(first, place);
	}
	return true;
}

static bool
parse_cpu_affinity(const char *text, struct fg_places *places)
{
	do {
		if (!parse_range(&text, places))
			return false;
	} while (fg_text_char(&text, ',') || *text);
	return true;
}

static bool
from_cpu_affinity(bool unwanted)
{
	const char *text = getenv("GOMP_CPU_AFFINITY");
	if (!text)
		return false;
	text = fg_text_blanks(text);
	if (!parse_cpu_affinity(text, NULL)) {
		fg_error("Invalid value for enviroment variable GOMP_CPU_AFFINITY");
		return false;
	}
	struct fg_places places = {0};
	if (unwanted)
		return false;
	if (!parse_cpu_affinity(text, &places) || places.count == 0) {
		fg_places_free(&places);
		return false;
	}
	fg_places_publish(&places);
	return true;
}

bool
fg_places_from_env(bool unwanted)
{
	bool found = from_places(unwanted);
	return from_cpu_affinity(unwanted || found) || found;
}

void
fg_places_default(void)
{
	struct fg_places places = {0};
	if (fg_places_by_kind(&places, FG_PLACES_THREADS, ULONG_MAX))
		fg_places_publish(&places);
}
