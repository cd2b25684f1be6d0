/* The common part of the targets. Messages of the runtime go nowhere while a target runs. Its fatal ones, which end the
 * process, end the target instead. Both calls come here by the linker's --wrap. */
#include "fuzz.h"
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status);
ssize_t __real_write(int file, const void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size);

static bool running;
static jmp_buf fatal;

_Noreturn void
__wrap_exit(int status)
{
	if (running)
		longjmp(fatal, 1);
	__real_exit(status);
}

ssize_t
__wrap_write(int file, const void *bytes, size_t size)
{
	return running && file == STDERR_FILENO ? (ssize_t)size : __real_write(file, bytes, size);
}

void
fuzz_setenv(const char *name, const char *value)
{
	static char *before;
	size_t length = strlen(name), size = strlen(value) + 1;
	char *text = malloc(length + 1 + size);
	memcpy(text, name, length);
	text[length] = '=';
	memcpy(text + length + 1, value, size);
	putenv(text);
	free(before);
	before = text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	if (setjmp(fatal) == 0) {
		running = true;
		fuzz_text(text);
	}
	running = false;
	free(text);
	return 0;
}
