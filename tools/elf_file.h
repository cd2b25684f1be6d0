/* Elf_file: an ELF file of 64 bits, read piece by piece (command; called by elf_look.c and program.c). A file may have
 * a gigabyte, so only what is asked for is read. All offsets come from the file, so each read may fail, and no size is
 * trusted. */
#pragma once
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_FILE_PARTS = 64 };

struct elf_file {
	int file;
	bool is_elf; /* else there are no parts */
	Elf64_Ehdr head;
	Elf64_Phdr parts[ELF_FILE_PARTS];
	unsigned n_parts;
};

/* False: it cannot be opened. Else elf_file_close must follow. */
bool elf_file_open(const char *path, struct elf_file *elf);
void elf_file_close(struct elf_file *elf);
/* NULL: it has no such part. */
const Elf64_Phdr *elf_file_part(const struct elf_file *elf, uint32_t type);
bool elf_file_read(const struct elf_file *elf, void *to, size_t size, uint64_t at);
/* The caller frees it. One byte of zero follows it. NULL: it has more than 4 MiB, or is not there. */
char *elf_file_piece(const struct elf_file *elf, uint64_t at, uint64_t size);

/* The dynamic part: what the loader reads. */
struct elf_dynamic {
	Elf64_Dyn *entries; /* NULL: there is none */
	size_t n;
	uint64_t names, names_size; /* where in the file; names == UINT64_MAX: nowhere */
};

void elf_dynamic_read(const struct elf_file *elf, struct elf_dynamic *dynamic);
void elf_dynamic_free(struct elf_dynamic *dynamic);
/* 0: it has no such entry. */
uint64_t elf_dynamic_value(const struct elf_dynamic *dynamic, int64_t tag);
/* The next library that it needs, from entry *at on, which begins with 0. False: there is none. A longer name is
 * cut. */
bool elf_dynamic_need(const struct elf_file *elf, const struct elf_dynamic *dynamic, size_t *at, char *name,
		      size_t size);
/* The name at this place among the names; "": it is not there. */
void elf_dynamic_name(const struct elf_file *elf, const struct elf_dynamic *dynamic, uint64_t at, char *name,
		      size_t size);
