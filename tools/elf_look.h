/* Elf_look: what the file of a library or program tells without being loaded (command; called by doctor_libraries.c).
 * Only the few parts that are needed are read, because a file may have a gigabyte. */
#pragma once
#include <stdbool.h>

struct elf_facts {
	bool is_elf;	   /* else nothing below is known */
	char needs[128];   /* the OpenMP runtime that it asks for; "": none */
	char search[256];  /* where it looks for that first: its RUNPATH or RPATH; "": nowhere */
	char compiler[64]; /* "gcc 8.5"; "": it does not tell */
	bool is_ours;	   /* it defines FGOMP_1.0 */
	bool this_version; /* and it is of the version of this command */
};

/* `deep` also looks for the compiler, and whether it is ours. */
void elf_look(const char *path, bool deep, struct elf_facts *facts);
