/* Objects (floor: stuck): see object.h. */
#include "stuck/object.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "platform/file.h"
#include "platform/map.h"
#include "stuck/peek.h"
#include "stuck/library.h"

#define OBJECTS 1024

static struct {
	struct fg_object *objects;
	unsigned n_objects;
	char text[4096]; /* the caller's stack may be a small one */
} all;

/* Reads the headers that lie at the object's start. */
static void
object_read(struct fg_object *object)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;
	if (!fg_peek(object->low, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return;
	uintptr_t low = UINTPTR_MAX, high = 0, table = 0;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		if (!fg_peek(object->low + head.e_phoff + i * sizeof part, &part, sizeof part))
			return;
		if (part.p_type == PT_GNU_EH_FRAME)
			table = part.p_vaddr;
		if (part.p_type != PT_LOAD)
			continue;
		if (part.p_vaddr - part.p_offset < low && part.p_offset == 0)
			low = part.p_vaddr;
		if (part.p_vaddr + part.p_memsz > high)
			high = part.p_vaddr + part.p_memsz;
	}
	object->bias = low == UINTPTR_MAX ? object->low : object->low - low;
	object->unwind_table = table ? table + object->bias : 0;
	if (object->bias + high > object->high)
		object->high = object->bias + high;
}

/* A line of /proc/self/maps. The mappings of an object lie one behind the other, its headers first. */
static void
line_read(const char *line)
{
	unsigned long low, high, offset;
	char rights[5];
	int path_at = 0;
	if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %n", &low, &high, rights, &offset, &path_at) < 4 || !path_at)
		return;
	const char *path = line + path_at;
	if (path[0] != '/' && strcmp(path, "[vdso]") != 0)
		return;
	struct fg_object *object = all.n_objects ? &all.objects[all.n_objects - 1] : NULL;
	if (!object || strncmp(object->path, path, sizeof object->path - 1) != 0) {
		if (offset != 0 || all.n_objects == OBJECTS)
			return;
		object = &all.objects[all.n_objects++];
		object->low = low;
		strncpy(object->path, path, sizeof object->path - 1);
	}
	object->high = high;
	if (rights[2] == 'x') {
		if (!object->text_low)
			object->text_low = low;
		object->text_high = high;
	}
}

static void
maps_read(struct fg_file_reading *maps)
{
	size_t used = 0;
	ssize_t got;
	while ((got = fg_file_reading_next(maps, all.text + used, sizeof all.text - 1 - used)) > 0) {
		used += (size_t)got;
		all.text[used] = '\0';
		char *line = all.text, *end;
		while ((end = strchr(line, '\n'))) {
			*end = '\0';
			line_read(line);
			line = end + 1;
		}
		used = strlen(line);
		if (used == sizeof all.text - 1) /* no line is as long as that */
			used = 0;
		memmove(all.text, line, used);
	}
}

void
fg_objects_find(void)
{
	struct fg_file_reading maps;
	bool there = fg_library->sandbox_allows(FG_SANDBOX_FILES) && fg_file_reading_begin(&maps, "/proc/self/maps");
	all.n_objects = 0;
	all.objects = fg_map(OBJECTS * sizeof *all.objects);
	if (there && all.objects)
		maps_read(&maps);
	if (there)
		fg_file_reading_end(&maps);
	for (unsigned i = 0; i < all.n_objects; i++)
		object_read(&all.objects[i]);
}

void
fg_objects_forget(void)
{
	if (all.objects)
		fg_unmap(all.objects, OBJECTS * sizeof *all.objects);
	all.objects = NULL;
	all.n_objects = 0;
}

const struct fg_object *
fg_object_of(uintptr_t address, bool data)
{
	for (unsigned i = 0; i < all.n_objects; i++) {
		const struct fg_object *object = &all.objects[i];
		if (data ? address >= object->low && address < object->high
			 : address >= object->text_low && address < object->text_high)
			return object;
	}
	return NULL;
}
