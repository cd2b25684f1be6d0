/* Compares the decoder's lengths of instructions with those of objdump. Reads the output of `objdump -d -w` and prints
 * PASS or FAIL. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "samples/decoder.h"

#define SHOWN 10

/* Reads "40: 48 89 c3", with tabs behind the colon and the bytes. Returns how many bytes there are. 0: no
 * instruction. */
static unsigned
bytes_read(const char *line, unsigned char *bytes)
{
	unsigned n = 0;
	char *end;
	const char *from = strchr(line, '\t');
	const char *words = from ? strchr(from + 1, '\t') : NULL;
	if (!words || strstr(words, "(bad)"))
		return 0;
	for (from++; n < 16; n++, from = end) {
		bytes[n] = (unsigned char)strtoul(from, &end, 16);
		if (end == from || end > words)
			break;
	}
	return n;
}

/* objdump takes a wait for a part of the x87 instruction behind it. */
static bool
is_wait(unsigned char byte)
{
	return byte == 0x9b;
}

/* objdump prints a prefix that does nothing as a line of its own. */
static bool
is_prefix(unsigned char byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x36 ||
	       byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65 || byte == 0xf0 || (byte & 0xf0) == 0x40;
}

int
main(int argc, char **argv)
{
	static char line[4096];
	unsigned char bytes[32];
	unsigned long looked = 0, wrong = 0;
	bool kept;
	alarm(300);
	while (fgets(line, sizeof line, stdin)) {
		unsigned n = bytes_read(line, bytes);
		if (n == 0 || is_wait(bytes[0]) || (n == 1 && is_prefix(bytes[0])))
			continue;
		/* More bytes follow in memory: they must not count. */
		memset(bytes + n, 0x90, sizeof bytes - n);
		const struct fg_instruction *instruction = fg_decode(16 * looked++, bytes, 15, &kept);
		if (instruction && instruction->length == n)
			continue;
		if (wrong++ < SHOWN)
			printf("    %u instead of %u: %s", instruction ? instruction->length : 0, n, line);
	}
	const char *name = argc > 1 ? argv[1] : "";
	if (wrong || looked == 0)
		printf("FAIL lengths in %s: %lu of %lu differ from objdump's\n", name, wrong, looked);
	else
		printf("PASS lengths in %s\n", name);
	return 0;
}
