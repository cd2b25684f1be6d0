/* A target reads one text. Built by clang with libFuzzer (`make fuzz`), or by any compiler to run its seeds once. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* `text` ends with '\0' and lies in a block of its own size. */
void fuzz_text(const char *text);

/* As setenv, but the old value is freed, because the C library keeps every value it has seen. The block has the size of
 * the text, too. */
void fuzz_setenv(const char *name, const char *value);

/* Ends the process if it is not so. */
#define HOLDS(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			__builtin_trap();                                                                              \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
