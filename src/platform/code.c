/* Code (floor: platform): see code.h. */
#include "platform/code.h"

#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "platform/file.h"

#define DIGITS 40      /* of a build id; the rest of a longer one is left out */
#define HASH_DIGITS 16 /* of code without one */

/* A part of a program, as it lies in memory: its headers, and how they lead to bytes. */
struct program {
	const ElfW(Phdr) * part;
	unsigned parts;
	const unsigned char *base;
	bool loaded; /* by virtual addresses; else by offsets in the file, of which there are `size` bytes */
	size_t size;
};

/* NULL: the file is too short. */
static const unsigned char *
bytes_of(const struct program *program, const ElfW(Phdr) * part)
{
	if (program->loaded)
		return program->base + part->p_vaddr;
	return part->p_offset <= program->size && part->p_filesz <= program->size - part->p_offset
		       ? program->base + part->p_offset
		       : NULL;
}

static size_t
padded(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

/* Writes the build id out of a segment of notes. Returns the number of digits. */
static unsigned
build_id(const unsigned char *note, size_t size, char *digits)
{
	ElfW(Nhdr) head;
	while (size >= sizeof head) {
		memcpy(&head, note, sizeof head);
		size_t name = padded(head.n_namesz), rest = padded(head.n_descsz);
		if (name > size - sizeof head || rest > size - sizeof head - name)
			return 0;
		const unsigned char *id = note + sizeof head + name;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && memcmp(note + sizeof head, "GNU", 4) == 0) {
			unsigned n = head.n_descsz < DIGITS / 2 ? head.n_descsz : DIGITS / 2;
			for (unsigned i = 0; i < n; i++)
				sprintf(digits + (size_t)2 * i, "%02x", id[i]);
			return 2 * n;
		}
		note = id + rest;
		size -= sizeof head + name + rest;
	}
	return 0;
}

static void
digest(const unsigned char *bytes, size_t size, char *digits)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
	sprintf(digits, "%016" PRIx64, sum);
}

static bool
identify(const struct program *program, char *digits)
{
	for (unsigned i = 0; i < program->parts; i++) {
		const unsigned char *note = bytes_of(program, &program->part[i]);
		if (program->part[i].p_type == PT_NOTE && note && build_id(note, program->part[i].p_filesz, digits))
			return true;
	}
	for (unsigned i = 0; i < program->parts; i++) {
		const unsigned char *code = bytes_of(program, &program->part[i]);
		if (program->part[i].p_type == PT_LOAD && program->part[i].p_flags & PF_X && code) {
			digest(code, program->part[i].p_filesz, digits);
			return true;
		}
	}
	return false;
}

struct question {
	uint64_t address, offset;
	char digits[DIGITS + 1];
};

/* Modules without a build id, so that each is read once. The loader calls look_at under its own lock, which guards
 * this, too. Once a module has gone, another may lie at its place. */
static struct {
	ElfW(Addr) base[8];
	char digits[8][DIGITS + 1];
	unsigned n;
	unsigned long long gone;
} read_once;

static bool
identify_loaded(const struct program *program, const struct dl_phdr_info *info, char *digits)
{
	enum { MOST = sizeof read_once.base / sizeof *read_once.base };
	if (read_once.gone != info->dlpi_subs)
		read_once.n = 0;
	read_once.gone = info->dlpi_subs;
	for (unsigned i = 0; i < read_once.n && i < MOST; i++)
		if (read_once.base[i] == info->dlpi_addr) {
			strcpy(digits, read_once.digits[i]);
			return true;
		}
	bool known = identify(program, digits);
	if (known && strlen(digits) == HASH_DIGITS) {
		read_once.base[read_once.n % MOST] = info->dlpi_addr;
		strcpy(read_once.digits[read_once.n++ % MOST], digits);
	}
	return known;
}

static int
look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct question *question = arg;
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uint64_t low = info->dlpi_addr + part->p_vaddr;
		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || question->address - low >= part->p_memsz)
			continue;
		struct program program = {.part = info->dlpi_phdr,
					  .parts = info->dlpi_phnum,
					  .base = (const unsigned char *)info->dlpi_addr,
					  .loaded = true};
		question->offset = question->address - info->dlpi_addr;
		return identify_loaded(&program, info, question->digits);
	}
	return 0;
}

static bool
write_name(const struct question *question, char *name, size_t size)
{
	return snprintf(name, size, "%s+%" PRIx64, question->digits, question->offset) < (int)size;
}

bool
fg_code_name(uint64_t address, char *name, size_t size)
{
	struct question question = {.address = address};
	return dl_iterate_phdr(look_at, &question) && write_name(&question, name, size);
}

bool
fg_code_name_in_file(const char *path, uint64_t offset, char *name, size_t size)
{
	struct question question = {.offset = offset};
	struct fg_file_view view;
	bool known = false;
	if (!fg_file_view_open(path, &view))
		return false;
	const ElfW(Ehdr) *head = view.bytes;
	if (view.bytes && view.size >= sizeof *head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
	    head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_phentsize == sizeof(ElfW(Phdr)) &&
	    head->e_phoff <= view.size && head->e_phnum <= (view.size - head->e_phoff) / sizeof(ElfW(Phdr)) &&
	    head->e_phoff % _Alignof(ElfW(Phdr)) == 0) {
		struct program program = {
			.part = (const ElfW(Phdr) *)((const char *)view.bytes + head->e_phoff),
			.parts = head->e_phnum,
			.base = view.bytes,
			.size = view.size,
		};
		known = identify(&program, question.digits) && write_name(&question, name, size);
	}
	fg_file_view_close(&view);
	return known;
}
