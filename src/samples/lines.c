/* Lines (floor: samples): see lines.h. */
#include "samples/lines.h"

#include <string.h>

#include "platform/own_memory.h"
#include "samples/library.h"

#define LINES 256 /* a power of 2 */
#define LINES_USED 192
#define AHEAD 4		 /* lines of code that one system call reads: they never cross a page */
#define RED_ZONE 128	 /* below the stack pointer */
#define STACK (64 << 10) /* above it */
#define FORGOTTEN 2

struct line {
	uint64_t address;
	uint64_t known, own; /* bits: bytes that are known, and those that the walk has stored */
	unsigned walk;	     /* which uses it */
	bool filled;
	unsigned char bytes[FG_LINE];
};

static struct {
	struct line table[LINES];
	unsigned walk, used;
	struct fg_own_memory memory;
	const struct fg_registers *sample;
	/* Areas that the walk has stored as a whole. */
	struct {
		uint64_t from, bytes;
	} forgotten[FORGOTTEN];
	unsigned n_forgotten;
} lines;

void
fg_lines_begin(const struct fg_registers *sample)
{
	if (++lines.walk == 0) { /* it counted round: nothing of then may seem to be of now */
		memset(lines.table, 0, sizeof lines.table);
		lines.walk = 1;
	}
	lines.used = lines.n_forgotten = 0;
	lines.sample = sample;
	bool may_read = !fg_samples_host || fg_samples_host->sandbox_allows(FG_SANDBOX_READS);
	bool may_open =
		!fg_samples_host || (!fg_samples_host->use && fg_samples_host->sandbox_allows(FG_SANDBOX_FILES));
	fg_own_memory_begin(&lines.memory, may_read, may_open);
}

void
fg_lines_end(void)
{
	fg_own_memory_end(&lines.memory);
}

bool
fg_lines_is_stack(uint64_t place, uint64_t stack_pointer)
{
	return place - (stack_pointer - RED_ZONE) < STACK + RED_ZONE;
}

/* The line's place in the table, or the free place for it. */
static struct line *
place_of(uint64_t address)
{
	unsigned i = (unsigned)(address / FG_LINE * UINT64_C(0x9e3779b97f4a7c15) >> 32) % LINES;
	while (lines.table[i].walk == lines.walk && lines.table[i].address != address)
		i = (i + 1) % LINES;
	return &lines.table[i];
}

/* Bytes [from, from + bytes) of the line are unknown. */
static void
forget_in(struct line *line, uint64_t from, uint64_t bytes)
{
	for (unsigned i = 0; i < FG_LINE; i++)
		if (line->address + i - from < bytes)
			line->known &= ~(UINT64_C(1) << i);
}

/* The thread's own stack is as the sample has it, or unknown. */
static void
stack_set(struct line *line)
{
	const struct fg_registers *sample = lines.sample;
	unsigned copied = sample->stack_bytes < sizeof sample->stack ? sample->stack_bytes : sizeof sample->stack;
	for (unsigned i = 0; i < FG_LINE; i++) {
		uint64_t place = line->address + i, bit = UINT64_C(1) << i;
		if (line->own & bit)
			continue;
		if (place - sample->stack_at < copied) {
			line->bytes[i] = sample->stack[place - sample->stack_at];
			line->known |= bit;
		} else if (fg_lines_is_stack(place, sample->general[4])) {
			line->known &= ~bit;
		}
	}
}

/* `bytes` are what memory has there; NULL: it cannot be read. */
static void
line_fill(struct line *line, const unsigned char *bytes)
{
	for (unsigned i = 0; bytes && i < FG_LINE; i++)
		if (!(line->own >> i & 1)) {
			line->bytes[i] = bytes[i];
			line->known |= UINT64_C(1) << i;
		}
	stack_set(line);
	for (unsigned i = 0; i < lines.n_forgotten && i < FORGOTTEN; i++)
		forget_in(line, lines.forgotten[i].from, lines.forgotten[i].bytes);
	line->filled = true;
}

/* NULL: the table is full, so its bytes are unknown now and later. */
static struct line *
line_of(uint64_t address)
{
	struct line *line = place_of(address);
	if (line->walk == lines.walk)
		return line;
	if (lines.used >= LINES_USED)
		return NULL;
	line->address = address;
	line->walk = lines.walk;
	line->known = line->own = 0;
	line->filled = false;
	lines.used++;
	return line;
}

/* The same, with these bytes read if that was not done yet. The kernel takes more time for that than all else here. */
static struct line *
line_with(uint64_t address, uint64_t needed)
{
	unsigned char bytes[FG_LINE];
	struct line *line = line_of(address);
	if (line && !line->filled && (line->own & needed) != needed)
		line_fill(line, fg_own_memory_read(&lines.memory, address, bytes, FG_LINE) ? bytes : NULL);
	return line;
}

static uint64_t
bits_of(unsigned first, unsigned n)
{
	return (n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << first;
}

uint64_t
fg_lines_load(uint64_t from, void *to, unsigned bytes)
{
	uint64_t known = 0;
	memset(to, 0, bytes);
	for (unsigned done = 0, n; done < bytes; done += n) {
		unsigned first = (from + done) % FG_LINE;
		n = FG_LINE - first < bytes - done ? FG_LINE - first : bytes - done;
		const struct line *line = line_with(from + done - first, bits_of(first, n));
		uint64_t there = line ? line->known & bits_of(first, n) : 0;
		if (there == bits_of(first, n))
			memcpy((unsigned char *)to + done, line->bytes + first, n);
		for (unsigned i = 0; there != bits_of(first, n) && i < n; i++)
			if (there >> (first + i) & 1)
				((unsigned char *)to)[done + i] = line->bytes[first + i];
		known |= there >> first << done;
	}
	return known;
}

void
fg_lines_store(uint64_t to, const void *from, unsigned bytes, uint64_t known)
{
	for (unsigned done = 0, n; done < bytes; done += n) {
		unsigned first = (to + done) % FG_LINE;
		n = FG_LINE - first < bytes - done ? FG_LINE - first : bytes - done;
		struct line *line = line_of(to + done - first);
		if (!line)
			continue;
		memcpy(line->bytes + first, (const unsigned char *)from + done, n);
		line->own |= bits_of(first, n);
		line->known = (line->known & ~bits_of(first, n)) | (known >> done << first & bits_of(first, n));
	}
}

void
fg_lines_forget(uint64_t to, uint64_t bytes)
{
	for (unsigned i = 0; i < LINES; i++)
		if (lines.table[i].walk == lines.walk)
			forget_in(&lines.table[i], to, bytes);
	lines.forgotten[lines.n_forgotten % FORGOTTEN].from = to;
	lines.forgotten[lines.n_forgotten++ % FORGOTTEN].bytes = bytes;
}

/* Reads the lines around this one, because code is read in order. */
static void
code_fill(uint64_t address)
{
	unsigned char bytes[AHEAD * FG_LINE];
	uint64_t first = address & -(uint64_t)sizeof bytes;
	if (lines.used + AHEAD > LINES_USED || !fg_own_memory_read(&lines.memory, first, bytes, sizeof bytes))
		return;
	for (unsigned i = 0; i < AHEAD; i++) {
		struct line *line = line_of(first + i * FG_LINE);
		if (!line->filled)
			line_fill(line, bytes + i * FG_LINE);
	}
}

unsigned
fg_lines_code(uint64_t from, unsigned char *to, unsigned bytes)
{
	for (unsigned done = 0, n; done < bytes; done += n) {
		unsigned first = (from + done) % FG_LINE;
		n = FG_LINE - first < bytes - done ? FG_LINE - first : bytes - done;
		if (place_of(from + done - first)->walk != lines.walk)
			code_fill(from + done - first);
		if (fg_lines_load(from + done, to + done, n) != bits_of(0, n))
			return done;
	}
	return bytes;
}
