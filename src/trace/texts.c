/* Texts (floor: trace): see texts.h. The block is mapped, so that the file has the texts however the process ends. It
 * is full of line ends first: a reader that comes between two lines finds empty lines. */
#include "trace/texts.h"

#include <string.h>

#include "base/atomic.h"
#include "trace/decision.h"
#include "trace/file.h"

#define PLACES (1u << (FG_TEXT_BITS - 1)) /* at most half of them are used */
#define LONGEST 200

static struct {
	struct fg_atomic_u64 noted[PLACES]; /* addresses; the place + 1 is the text's number */
	struct fg_atomic_u32 n_noted, used;
	struct fg_atomic_ptr lines; /* NULL: there is no room in the file */
} texts;
#define ROOM (FG_TRACE_ALIGN - sizeof(struct fg_trace_block))

void
fg_trace_texts_begin(void)
{
	uint64_t offset;
	struct fg_trace_block *block = fg_trace_file_block(FG_TRACE_ALIGN, &offset);
	if (!block)
		return;
	memset(block + 1, '\n', ROOM);
	block->count = ROOM;
	block->kind = FG_TRACE_TEXTS;
	fg_store_release(&texts.lines, block + 1);
}

/* snprintf is no choice here, because the caller may be a policy under a lock. */
static unsigned
write_number(char *line, uint32_t number)
{
	char digits[12];
	unsigned n = 0, length = 0;
	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		line[length++] = digits[--n];
	return length;
}

/* Writes "NUMBER TEXT\n" into a part of the block that is this text's own. */
static void
line_write(char *block, const char *text, uint32_t number)
{
	char line[LONGEST + 16];
	unsigned length = write_number(line, number);
	line[length++] = ' ';
	for (unsigned i = 0; text[i] && i < LONGEST; i++)
		line[length++] = text[i] == '\n' ? ' ' : text[i];
	line[length++] = '\n';
	uint32_t at = fg_add_relaxed(&texts.used, length);
	if (at + length <= ROOM)
		memcpy(block + at, line, length);
}

uint32_t
fg_trace_text(const char *text)
{
	char *block = text ? fg_load_acquire(&texts.lines) : NULL;
	if (!block)
		return 0;
	uint64_t address = (uintptr_t)text;
	uint64_t place = address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - FG_TEXT_BITS + 1);
	for (;; place = (place + 1) % PLACES) {
		uint64_t seen = fg_load_relaxed(&texts.noted[place]);
		if (seen == address)
			return (uint32_t)place + 1;
		if (seen)
			continue;
		if (fg_load_relaxed(&texts.n_noted) >= PLACES / 2)
			return 0;
		if (fg_cas_relaxed(&texts.noted[place], &seen, address)) {
			fg_add_relaxed(&texts.n_noted, 1);
			line_write(block, text, (uint32_t)place + 1);
			return (uint32_t)place + 1;
		}
		if (seen == address)
			return (uint32_t)place + 1;
	}
}
