/* A file that is compressed while it is written (compressed.c). */
#pragma once
#include <stdbool.h>
#include <stdio.h>

/* The name ends in .gz. */
bool compressed_asked(const char *path);
/* Opens it for writing, through zlib. NULL: as fopen; ENOSYS: this command was built without zlib. */
FILE *compressed_open(const char *path);
