/* A plug-in for QEMU's user mode that counts the accesses of an unchanged program (floor: record; loaded by
 * qemu-x86_64, which `forestgomp run --emulate` starts).
 *
 *     qemu-x86_64 -plugin libforestgomp-qemu.so,out=TRACE ...
 *
 * Each thread of the program is one of the emulator's. So tables are taken as with hooks (table.c), and marks tell
 * which part a thread runs (mark.h). The code of the runtime does not count. At the end the counts are appended to
 * the trace, which the program has closed then, as events of a worker of their own.
 *
 * The unit is 8 bytes: a vector of 32 bytes comes as four accesses. String operations come byte by byte, and the
 * first byte of each unit counts. */
#include "record/count.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/mark.h"
#include "record/qemu_plugin.h"
#include "trace/events.h"
#include "trace/format.h"

enum { INSTRUCTION = 15 }; /* bytes of the longest */

static const char *out;
static int interface; /* the version that QEMU has */
static pid_t own_process;
static _Thread_local struct fgomp_part now; /* what the thread runs; region NULL: nothing */
static _Atomic uint64_t runtime_low, runtime_high;
static _Atomic unsigned long n_lost;

static int
part_now(struct fgomp_part *part)
{
	*part = now;
	return now.region != NULL;
}

static void
lost(unsigned long accesses)
{
	atomic_fetch_add(&n_lost, accesses);
}

static void
on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
	(void)vcpu, (void)unused;
	unsigned bytes = 1u << qemu_plugin_mem_size_shift(info), reads = !qemu_plugin_mem_is_store(info);
	if (__builtin_expect(address % BLOCK + bytes > BLOCK, 0))
		fg_count_range(address, bytes, reads, !reads);
	else if (reads)
		fg_count((const void *)address, bytes, 1, 0);
	else
		fg_count((const void *)address, bytes, 0, 1);
}

static void
on_string(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
	if (address % UNIT == 0)
		on_access(vcpu, info, address, unused);
}

/* `base` is the difference between the emulator's addresses and the program's. */
static void
on_part(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *base)
{
	(void)vcpu, (void)info;
	fg_tables_leave();
	memcpy(&now, (const char *)base + address, sizeof now);
}

static void
on_code(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *base)
{
	struct mark_code code;
	(void)vcpu, (void)info;
	memcpy(&code, (const char *)base + address, sizeof code);
	runtime_low = code.low;
	runtime_high = code.high;
}

static bool
is_string(const unsigned char *code, size_t size)
{
	return size >= 2 && (code[0] == 0xF3 || code[0] == 0xF2) && code[1] >= 0xA4 && code[1] <= 0xAF &&
	       !(code[1] & 1);
}

static void
on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	static const unsigned char mark[] = MARK_BYTES;
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		unsigned char code[INSTRUCTION];
		size_t size = qemu_plugin_insn_bytes(insn, interface, code, sizeof code);
		void *base = (char *)qemu_plugin_insn_haddr(insn) - address;
		if (size == MARK_SIZE && memcmp(code, mark, sizeof mark) == 0)
			qemu_plugin_register_vcpu_mem_cb(insn, code[MARK_SIZE - 1] == MARK_PART ? on_part : on_code,
							 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, base);
		else if (address < runtime_low || address >= runtime_high)
			qemu_plugin_register_vcpu_mem_cb(insn, is_string(code, size) ? on_string : on_access,
							 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
	}
}

/* ---- the end ---- */

static struct {
	FILE *file;
	struct fg_trace_head head;
	struct fg_trace_block block;
} trace;

static void
use(const struct fgomp_part *part, const void *address, unsigned units, int writes)
{
	struct fg_trace_record record = {.time = trace.head.end,
					 .event = FG_EVENT_use,
					 .bubble = part->bubble,
					 .member = part->member,
					 .a = units * FG_TRACE_USE_ONE + (writes ? FG_TRACE_USE_WRITES : 0),
					 .b = (uintptr_t)address};
	if (trace.file)
		trace.block.count += fwrite(&record, sizeof record, 1, trace.file);
}

static bool
trace_open(void)
{
	trace.file = fopen(out, "r+b");
	if (!trace.file || fread(&trace.head, sizeof trace.head, 1, trace.file) != 1 || fseek(trace.file, 0, SEEK_END))
		return false;
	long at = ftell(trace.file);
	at = (at + FG_TRACE_ALIGN - 1) / FG_TRACE_ALIGN * FG_TRACE_ALIGN;
	trace.block = (struct fg_trace_block){"BLOC", FG_TRACE_EVENTS, .lane = trace.head.n_lanes};
	return fseek(trace.file, at, SEEK_SET) == 0 && fwrite(&trace.block, sizeof trace.block, 1, trace.file) == 1;
}

/* The block is whole before the head tells of one worker more. */
static bool
trace_close(void)
{
	static const char nothing[FG_TRACE_ALIGN];
	uint64_t bytes = sizeof trace.block + trace.block.count * sizeof(struct fg_trace_record);
	size_t rest = (FG_TRACE_ALIGN - bytes % FG_TRACE_ALIGN) % FG_TRACE_ALIGN;
	trace.block.bytes = bytes + rest;
	trace.head.n_lanes++;
	trace.head.dropped += n_lost;
	return fwrite(nothing, 1, rest, trace.file) == rest &&
	       fseek(trace.file, -(long)trace.block.bytes, SEEK_CUR) == 0 &&
	       fwrite(&trace.block, sizeof trace.block, 1, trace.file) == 1 && fseek(trace.file, 0, SEEK_SET) == 0 &&
	       fwrite(&trace.head, sizeof trace.head, 1, trace.file) == 1;
}

static void
on_end(qemu_plugin_id_t id, void *unused)
{
	(void)id, (void)unused;
	if (getpid() != own_process) /* a child of fork has the tables of its parent */
		return;
	bool written = trace_open();
	if (written) {
		fg_tables_end();
		written = trace_close();
	}
	if (trace.file && fclose(trace.file) != 0)
		written = false;
	if (!written)
		fprintf(stderr, "forestgomp: cannot add what members use to %s, so it cannot be planned from\n", out);
}

QEMU_PLUGIN_EXPORT int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int n_words, char **words)
{
	static const struct fgomp_recording recording = {part_now, use, lost};
	for (int i = 0; i < n_words; i++)
		if (strncmp(words[i], "out=", 4) == 0)
			out = strdup(words[i] + 4);
	if (!out || info->system_emulation) {
		fprintf(stderr, "libforestgomp-qemu: it needs out=TRACE, and a single program\n");
		return 1;
	}
	interface = info->version.cur;
	own_process = getpid();
	fg_tables_begin(&recording);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_end, NULL);
	return 0;
}
