/* Walks: random code from random registers never kills, hangs or writes beside the result. The first bytes are the
 * registers, and the others the code, which ends at a page that cannot be read. */
#include "fuzz.h"
#include "samples/walk.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
#define REGISTERS 40 /* bytes of the text that say what registers hold */

static unsigned char *code; /* two pages, and a third that cannot be read */
static unsigned char data[1 << 16];

static void
pages_make(void)
{
	code = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	HOLDS(code != MAP_FAILED);
	HOLDS(mprotect(code + 2 * PAGE, PAGE, PROT_NONE) == 0);
}

/* A byte chooses: a place in the data, in the code or in the stack, a small number, or bits as they come. */
static uint64_t
value_of(unsigned char choice, unsigned char more)
{
	switch (choice % 8) {
	case 0:
	case 1:
		return (uintptr_t)data + 64 * (uint64_t)more;
	case 2:
		return (uintptr_t)code + 2 * PAGE - more;
	case 3:
		return more;
	case 4:
		return -(uint64_t)more;
	case 5:
		return (uint64_t)more << 56;
	case 6:
		return UINT64_C(0x0101010101010101) * more;
	}
	return (uintptr_t)data + sizeof data - more;
}

static struct {
	struct fg_walk walk;
	unsigned char behind[64];
} result;

int
LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	static struct fg_registers sample;
	if (size <= REGISTERS)
		return 0;
	if (!code)
		pages_make();
	size_t length = size - REGISTERS < PAGE ? size - REGISTERS : PAGE;
	uint64_t begin = (uintptr_t)code + 2 * PAGE - length;
	memset(code, 0x90, PAGE);
	memcpy((void *)(uintptr_t)begin, text + REGISTERS, length);
	for (unsigned i = 0; i < 16; i++)
		sample.general[i] = value_of(text[2 * i], text[2 * i + 1]);
	sample.ip = begin;
	sample.flags = text[32];
	sample.fs_base = value_of(text[33], text[34]);
	sample.vector_bytes = text[35]; /* wrong ones, too */
	sample.stack_at = sample.general[4];
	sample.stack_bytes = text[36] * 4u;
	memset(sample.vector, text[37], sizeof sample.vector);
	memset(sample.stack, text[38], sizeof sample.stack);
	memset(result.behind, 0xa5, sizeof result.behind);
	fg_walk(&sample, &result.walk);
	HOLDS(result.walk.count <= FG_WALK_ACCESSES && result.walk.instructions <= 512);
	HOLDS(!result.walk.closed || result.walk.instructions > 0);
	for (unsigned i = 0; i < sizeof result.behind; i++)
		HOLDS(result.behind[i] == 0xa5);
	return 0;
}
