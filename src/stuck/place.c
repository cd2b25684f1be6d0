/* Place (floor: stuck): see place.h. */
#include "stuck/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "platform/symbol.h"
#include "stuck/object.h"
#include "stuck/peek.h"
#include "stuck/library.h"

#define FRAMES_MAX 200
#define WORDS_MAX 4096

static const char *
file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The runtime itself, the C library and related libraries: users want to know where they called these. The library has
 * the function for reports. */
static bool
is_service(const struct fg_object *object)
{
	static const char *const names[] = {"libc.so",	 "libc-2",   "libpthread", "ld-linux",		 "ld-2",
					    "libstdc++", "libgcc_s", "[vdso]",	   "libforestgomp-stuck"};
	uintptr_t own = (uintptr_t)fg_library->report;
	if (own >= object->text_low && own < object->text_high)
		return true;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(file_name(object->path), names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* The program's code at this address; NULL: no object has it, or a service has it. */
static const struct fg_object *
program_at(uintptr_t pc)
{
	const struct fg_object *object = fg_object_of(pc, false);
	return object && !is_service(object) ? object : NULL;
}

/* The instruction before is a call. */
static bool
is_behind_call(uintptr_t pc)
{
#if defined(__x86_64__)
	uint8_t code[7];
	if (!fg_peek(pc - sizeof code, code, sizeof code))
		return false;
	if (code[2] == 0xe8)
		return true;
	for (unsigned length = 2; length <= 7; length++)
		if (code[7 - length] == 0xff && (code[8 - length] & 0x38) == 0x10)
			return true;
	return false;
#else
	uint32_t code;
	return !(pc & 3) && fg_peek(pc - 4, &code, sizeof code) &&
	       ((code & 0xfc000000) == 0x94000000 || (code & 0xfffffc1f) == 0xd63f0000);
#endif
}

/* Where the tables lead no further, the first word of the stack that looks like a return address into the program
 * stands in. */
static void
scan(const struct fg_unwind *unwind, struct fg_place *place)
{
	uint64_t words[64];
	uintptr_t sp = unwind->value[FG_UNWIND_SP] & ~(uintptr_t)7;
	for (unsigned done = 0; done < WORDS_MAX; done += 64, sp += sizeof words) {
		if (!fg_peek(sp, words, sizeof words))
			return;
		for (unsigned i = 0; i < 64; i++)
			if (program_at(words[i]) && is_behind_call(words[i])) {
				place->pc = words[i];
				place->called = place->near = true;
				return;
			}
	}
}

static void
note(struct fg_place *place, uintptr_t pc, uintptr_t function)
{
	place->entry = pc;
	if (place->n_functions < FG_PLACE_FUNCTIONS && function)
		place->function[place->n_functions++] = function;
}

void
fg_place_find(struct fg_unwind *unwind, struct fg_place *place)
{
	*place = (struct fg_place){0};
	for (unsigned i = 0; i < FRAMES_MAX; i++) {
		uintptr_t pc = unwind->pc;
		const struct fg_object *program = program_at(pc - unwind->called);
		if (place->pc) {
			place->caller = program ? pc : 0;
			return;
		}
		if (program) {
			place->pc = pc;
			place->called = unwind->called;
		}
		if (!unwind->called && !place->futex)
			place->futex = fg_unwind_futex(unwind);
		enum fg_unwound went = fg_unwind_step(unwind);
		if (!program && !place->pc)
			note(place, pc, unwind->function);
		if (went == FG_UNWIND_WENT)
			continue;
		if (went == FG_UNWIND_END)
			place->end = !place->pc;
		else if (!place->pc)
			scan(unwind, place);
		return;
	}
}

int
fg_place_within(const struct fg_place *place, uintptr_t function)
{
	for (unsigned i = 0; i < place->n_functions; i++)
		if (place->function[i] == function)
			return (int)i;
	return -1;
}

bool
fg_place_exported(uintptr_t function, char *name, size_t size)
{
	uint64_t offset;
	const struct fg_object *object = fg_object_of(function, false);
	return object &&
	       fg_symbol_find(object->path, function - object->bias, FG_SYMBOL_EXPORTED, name, size, &offset) &&
	       offset == 0;
}

static void
name_find(uintptr_t pc, bool called, char *text, size_t size)
{
	char name[200];
	uint64_t offset = 0;
	const struct fg_object *object = fg_object_of(pc - called, false);
	if (!object) {
		snprintf(text, size, "0x%" PRIxPTR, pc);
		return;
	}
	uint64_t address = pc - object->bias;
	const char *file = file_name(object->path);
	if (!fg_symbol_find(object->path, address - called, FG_SYMBOL_FUNCTION, name, sizeof name, &offset))
		snprintf(text, size, "%s+0x%" PRIx64, file, address);
	else if (offset + called)
		snprintf(text, size, "%s+0x%" PRIx64 " (%s+0x%" PRIx64 ")", name, offset + called, file, address);
	else
		snprintf(text, size, "%s (%s+0x%" PRIx64 ")", name, file, address);
}

/* Most members stand at the same places, so some names are kept until fg_place_forget. */
#define KEPT 32
static struct {
	uintptr_t pc;
	bool called;
	char text[800];
} kept[KEPT];

void
fg_place_name(uintptr_t pc, bool called, char *text, size_t size)
{
	unsigned at = (unsigned)(pc ^ pc >> 5) % KEPT;
	if (kept[at].pc != pc || kept[at].called != called || !pc) {
		kept[at].pc = pc;
		kept[at].called = called;
		name_find(pc, called, kept[at].text, sizeof kept[at].text);
	}
	snprintf(text, size, "%s", kept[at].text);
}

void
fg_place_forget(void)
{
	memset(kept, 0, sizeof kept);
}

bool
fg_place_entry(const struct fg_place *place, char *name, size_t size)
{
	uint64_t offset;
	const struct fg_object *object = place->entry ? fg_object_of(place->entry - 1, false) : NULL;
	if (!object ||
	    !fg_symbol_find(object->path, place->entry - 1 - object->bias, FG_SYMBOL_EXPORTED, name, size, &offset))
		return false;
	size_t skip = strspn(name, "_"), length = strlen(name);
	while (length > skip && name[length - 1] == '_')
		name[--length] = '\0';
	memmove(name, name + skip, length - skip + 1);
	return true;
}

bool
fg_place_variable(uintptr_t address, char *name, size_t size)
{
	uint64_t offset;
	const struct fg_object *object = fg_object_of(address, true);
	if (!object || !fg_symbol_find(object->path, address - object->bias, FG_SYMBOL_DATA, name, size, &offset))
		return false;
	size_t length = strlen(name);
	if (offset)
		snprintf(name + length, size - length, "+0x%" PRIx64, offset);
	return true;
}
