/* Unit tests of the walker's emulation: each instruction against the processor.
 *
 * Zydis encodes an instruction with random operands. The processor runs it from random registers and memory, and the
 * emulation does the same from a copy. All that the emulation says it knows must be so, and it must know all that the
 * architecture defines. In half of the runs some registers and flags are hidden from it: then it may know less, but
 * nothing wrong. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <Zydis/Zydis.h>
#include <cmocka.h>

#include "emulate_make.h"
#include "samples/decoder.h"
#include "samples/emulate.h"
#include "samples/lines.h"

#define RUNS 200 /* of each form; an argument says another number */

static unsigned runs = RUNS;
static volatile sig_atomic_t faulted;

static void
on_fault(int number, siginfo_t *info, void *signal_context)
{
	ucontext_t *context = signal_context;
	faulted = 1;
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)emulate_back;
}

/* Jumps back to emulate_run. */
static unsigned
jump_back(unsigned char *to)
{
	static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};
	uint64_t back = (uintptr_t)emulate_back;
	memcpy(to, jump, sizeof jump);
	memcpy(to + sizeof jump, &back, sizeof back);
	return sizeof jump + sizeof back;
}

static void
code_write(void)
{
	unsigned char mark[] = {0xc6, 0x05, 0, 0, 0, 0, 1};
	uint32_t distance = MARK - (TAKEN + sizeof mark);
	memcpy(mark + 2, &distance, sizeof distance);
	memcpy(mapping + CODE, at.text, at.length);
	jump_back(mapping + CODE + at.length);
	memcpy(mapping + TAKEN, mark, sizeof mark);
	jump_back(mapping + TAKEN + sizeof mark);
	mapping[MARK] = 0;
}

static void
memory_randomize(void)
{
	for (unsigned i = 0; i < AREA; i += 8) {
		uint64_t a = random_value(), b = random_value();
		memcpy(mapping + DATA + i, &a, sizeof a);
		memcpy(mapping + STACK + i, &b, sizeof b);
	}
}

static void
processor_randomize(void)
{
	for (unsigned i = 0; i < 16; i++)
		emulate_processor.general[i] = random_value();
	for (unsigned i = 0; i < 16; i++)
		for (unsigned j = 0; j < 32; j++)
			emulate_processor.vector[i][j] = (unsigned char)random_number();
	emulate_processor.general[FG_RSP] = (uintptr_t)mapping + STACK + AREA / 2;
	emulate_processor.flags = 0x202 | (random_number() & FG_FLAGS & ~(uint64_t)FG_DIRECTION);
	if (random_number() % 2) /* most divisions are possible then */
		emulate_processor.general[FG_RDX] = 0;
}

/* What the form needs besides: strings, the stack of leave and ret, targets. */
static void
processor_prepare(void)
{
	uint64_t taken = (uintptr_t)mapping + TAKEN, *general = emulate_processor.general;
	const ZydisEncoderOperand *operand = &at.request.operands[0];
	if (at.form->mnemonic == ZYDIS_MNEMONIC_LEAVE)
		general[FG_RBP] = (uintptr_t)mapping + STACK + AREA / 4;
	if (at.form->rule == STAY && at.form->operands[0] == '\0' && at.form >= strings &&
	    at.form < strings + sizeof strings / sizeof *strings) {
		general[FG_RSI] = (uintptr_t)mapping + DATA + 100 + random_number() % 100;
		general[FG_RDI] = (uintptr_t)mapping + DATA + 300 + random_number() % 100;
		general[FG_RCX] = random_number() % 12;
		emulate_processor.flags |= random_number() & FG_DIRECTION;
	}
	if (at.form->mnemonic == ZYDIS_MNEMONIC_LODSB || at.form->mnemonic == ZYDIS_MNEMONIC_SCASB ||
	    at.form->mnemonic == ZYDIS_MNEMONIC_CMPSB) {
		general[FG_RSI] = (uintptr_t)mapping + DATA + 7;
		general[FG_RDI] = (uintptr_t)mapping + DATA + 70;
	}
	if (!at.jumps)
		return;
	if (at.form->mnemonic == ZYDIS_MNEMONIC_RET)
		memcpy((void *)(uintptr_t)general[FG_RSP], &taken, sizeof taken);
	else if (at.request.operand_count && operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
		general[operand->reg.value - ZYDIS_REGISTER_RAX] = taken;
	else if (at.request.operand_count && operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
		for (unsigned i = 0; i < AREA; i += 8) /* wherever it is */
			memcpy(mapping + DATA + i, &taken, sizeof taken);
}

/* The flags that the architecture defines, and the emulation must know. */
static uint32_t
flags_defined(void)
{
	unsigned mask = at.width == 8 ? 63 : 31,
		 count = at.count == 256 ? (unsigned)at.before.general[FG_RCX] : at.count;
	uint32_t defined = FG_FLAGS;
	count &= mask;
	switch (at.form->rule) {
	case SHIFTS:
	case ROTATES:
		if (count > 1)
			defined &= ~(uint32_t)FG_OVERFLOW;
		if (at.form->rule == SHIFTS && count >= 8 * at.width)
			defined &= ~(uint32_t)FG_CARRY;
		return defined;
	case MULTIPLIES:
		return FG_CARRY | FG_OVERFLOW | FG_DIRECTION;
	case DIVIDES:
		return FG_DIRECTION;
	case NOT_EMULATED:
		return 0;
	default:
		return defined;
	}
}

#define AGREES(condition, what, number)                                                                                \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			disagree(what, number);                                                                        \
	} while (0)

static void
disagree(const char *what, unsigned number)
{
	char text[100] = "";
	for (unsigned i = 0; i < at.length; i++)
		snprintf(text + 3 * i, sizeof text - 3 * i, "%02x ", at.text[i]);
	fail_msg("%s (%s): %s %u differs", ZydisMnemonicGetString(at.form->mnemonic), text, what, number);
}

/* The emulation knows less. */
static void
hide(void)
{
	for (unsigned i = 0; i < 16; i++)
		if (random_number() % 4 == 0) {
			at.emulated.general_known[i] = (uint8_t)random_number();
			for (unsigned j = 0; j < 8; j++)
				if (!(at.emulated.general_known[i] >> j & 1))
					at.emulated.general[i] &= ~(UINT64_C(0xff) << 8 * j);
			at.emulated.vector_known[i] = 0;
		}
	uint32_t hidden = (uint32_t)random_number() & (uint32_t)random_number() & ~(uint32_t)FG_DIRECTION;
	at.emulated.flags_known &= ~hidden;
	at.emulated.flags ^= hidden & FG_FLAGS;
}

/* Returns whether the emulation can go on, and whether it knows where the instruction writes. */
static bool
emulation_run(bool *knows_places)
{
	unsigned char line[FG_LINE];
	bool kept;
	memcpy(at.sample.general, at.before.general, sizeof at.sample.general);
	at.sample.ip = (uintptr_t)mapping + CODE;
	at.sample.flags = at.before.flags;
	at.sample.vector_bytes = 32;
	memcpy(at.sample.vector, at.before.vector, sizeof at.sample.vector);
	at.sample.stack_at = (uintptr_t)mapping + STACK;
	at.sample.stack_bytes = AREA;
	memcpy(at.sample.stack, mapping + STACK, AREA);
	fg_lines_begin(&at.sample);
	for (unsigned i = 0; i < AREA; i += FG_LINE) {
		assert_int_equal(fg_lines_load((uintptr_t)mapping + DATA + i, line, FG_LINE), UINT64_MAX);
		assert_int_equal(fg_lines_load((uintptr_t)mapping + STACK + i, line, FG_LINE), UINT64_MAX);
	}
	fg_processor_begin(&at.emulated, &at.sample);
	if (at.hides)
		hide();
	const struct fg_instruction *instruction = fg_decode(at.sample.ip, at.text, (unsigned)at.length, &kept);
	assert_non_null(instruction);
	assert_int_equal(instruction->length, at.length);
	assert_true((instruction->operation == FG_OTHER) == (at.form->rule == NOT_EMULATED));
	fg_processor_locate(&at.emulated, instruction);
	*knows_places = true;
	for (unsigned i = 0; i < instruction->addresses; i++)
		*knows_places &= at.emulated.at[i].known;
	if (at.form->mnemonic == ZYDIS_MNEMONIC_PUSH || at.form->mnemonic == ZYDIS_MNEMONIC_CALL)
		*knows_places &= at.emulated.general_known[FG_RSP] == 0xff;
	return fg_emulate(&at.emulated, instruction);
}

static void
registers_compare(void)
{
	for (unsigned i = 0; i < 16; i++) {
		for (unsigned j = 0; j < 8; j++)
			AGREES(!(at.emulated.general_known[i] >> j & 1) ||
				       (uint8_t)(at.emulated.general[i] >> 8 * j) ==
					       (uint8_t)(emulate_processor.general[i] >> 8 * j),
			       "the general register", i);
		for (unsigned j = 0; j < 32; j++)
			AGREES(!(at.emulated.vector_known[i] >> j & 1) ||
				       at.emulated.vector[i][j] == emulate_processor.vector[i][j],
			       "the vector", i);
		if (!at.hides && at.form->rule != NOT_EMULATED) {
			AGREES(at.emulated.general_known[i] == 0xff, "what is known of the general register", i);
			AGREES(at.emulated.vector_known[i] == UINT32_MAX, "what is known of the vector", i);
		}
	}
	uint32_t defined = flags_defined();
	AGREES(((at.emulated.flags ^ emulate_processor.flags) & at.emulated.flags_known & FG_FLAGS) == 0, "the flags",
	       0);
	AGREES(at.hides || (at.emulated.flags_known & defined) == defined, "what is known of the flags", 0);
}

static void
memory_compare(unsigned area)
{
	unsigned char line[FG_LINE];
	for (unsigned i = 0; i < AREA; i += FG_LINE) {
		uint64_t known = fg_lines_load((uintptr_t)mapping + area + i, line, FG_LINE);
		for (unsigned j = 0; j < FG_LINE; j++)
			AGREES(!(known >> j & 1) || line[j] == mapping[area + i + j], "the byte of memory",
			       area + i + j);
		if (!at.hides && !at.repeated && at.form->rule != NOT_EMULATED)
			AGREES(known == UINT64_MAX, "what is known of the memory", area + i);
	}
}

static void
once(void)
{
	bool knows_places, made = false;
	for (unsigned tries = 0; !made; tries++) {
		assert_true(tries < 1000);
		processor_randomize();
		made = instruction_make();
	}
	memory_randomize();
	processor_prepare();
	code_write();
	at.before = emulate_processor;
	bool goes_on = emulation_run(&knows_places);
	faulted = 0;
	emulate_code = (uintptr_t)mapping + CODE;
	emulate_vectors_load();
	emulate_run();
	emulate_vectors_save();
	if (faulted) {
		AGREES(at.form->rule == DIVIDES && at.emulated.general_known[FG_RAX] != 0xff, "the complaint of", 0);
	} else {
		AGREES(goes_on || at.hides, "the flow of", 0);
		uint64_t next = (uintptr_t)mapping + (mapping[MARK] ? TAKEN : CODE + at.length);
		AGREES(!goes_on || at.hides || at.emulated.ip == next, "the next instruction of", 0);
		if (!(at.hides && at.jumps))
			registers_compare();
		if (knows_places && !(at.hides && at.repeated)) {
			memory_compare(DATA);
			memory_compare(STACK);
		}
	}
	fg_lines_end();
}

static void
forms_run(const struct form *forms, unsigned n)
{
	const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	assert_int_equal(sigaction(SIGFPE, &action, NULL), 0); /* cmocka has its own */
	for (unsigned i = 0; i < n; i++)
		for (unsigned run = 0; run < runs; run++) {
			at.form = &forms[i];
			at.hides = run % 2;
			once();
		}
}

static void
integers_agree(void **unused)
{
	forms_run(integers, sizeof integers / sizeof *integers);
}

static void
conditions_agree(void **unused)
{
	static const ZydisMnemonic first[][16] = {
		{ZYDIS_MNEMONIC_JO, ZYDIS_MNEMONIC_JNO, ZYDIS_MNEMONIC_JB, ZYDIS_MNEMONIC_JNB, ZYDIS_MNEMONIC_JZ,
		 ZYDIS_MNEMONIC_JNZ, ZYDIS_MNEMONIC_JBE, ZYDIS_MNEMONIC_JNBE, ZYDIS_MNEMONIC_JS, ZYDIS_MNEMONIC_JNS,
		 ZYDIS_MNEMONIC_JP, ZYDIS_MNEMONIC_JNP, ZYDIS_MNEMONIC_JL, ZYDIS_MNEMONIC_JNL, ZYDIS_MNEMONIC_JLE,
		 ZYDIS_MNEMONIC_JNLE},
		{ZYDIS_MNEMONIC_SETO, ZYDIS_MNEMONIC_SETNO, ZYDIS_MNEMONIC_SETB, ZYDIS_MNEMONIC_SETNB,
		 ZYDIS_MNEMONIC_SETZ, ZYDIS_MNEMONIC_SETNZ, ZYDIS_MNEMONIC_SETBE, ZYDIS_MNEMONIC_SETNBE,
		 ZYDIS_MNEMONIC_SETS, ZYDIS_MNEMONIC_SETNS, ZYDIS_MNEMONIC_SETP, ZYDIS_MNEMONIC_SETNP,
		 ZYDIS_MNEMONIC_SETL, ZYDIS_MNEMONIC_SETNL, ZYDIS_MNEMONIC_SETLE, ZYDIS_MNEMONIC_SETNLE},
		{ZYDIS_MNEMONIC_CMOVO, ZYDIS_MNEMONIC_CMOVNO, ZYDIS_MNEMONIC_CMOVB, ZYDIS_MNEMONIC_CMOVNB,
		 ZYDIS_MNEMONIC_CMOVZ, ZYDIS_MNEMONIC_CMOVNZ, ZYDIS_MNEMONIC_CMOVBE, ZYDIS_MNEMONIC_CMOVNBE,
		 ZYDIS_MNEMONIC_CMOVS, ZYDIS_MNEMONIC_CMOVNS, ZYDIS_MNEMONIC_CMOVP, ZYDIS_MNEMONIC_CMOVNP,
		 ZYDIS_MNEMONIC_CMOVL, ZYDIS_MNEMONIC_CMOVNL, ZYDIS_MNEMONIC_CMOVLE, ZYDIS_MNEMONIC_CMOVNLE}};
	static const char *const operands[] = {"j", "r m", "rr rm"}, *const widths[] = {"8", "1", "248"};
	for (unsigned kind = 0; kind < 3; kind++)
		for (unsigned condition = 0; condition < 16; condition++) {
			const struct form form = {first[kind][condition], operands[kind], widths[kind], STAY};
			at.jumps = kind == 0;
			forms_run(&form, 1);
		}
	at.jumps = false;
}

static void
flows_agree(void **unused)
{
	at.jumps = true;
	forms_run(flows, sizeof flows / sizeof *flows);
	at.jumps = false;
}

static void
strings_agree(void **unused)
{
	forms_run(strings, sizeof strings / sizeof *strings);
	at.repeated = true;
	forms_run(strings, sizeof strings / sizeof *strings);
	at.repeated = false;
}

static void
vectors_agree(void **unused)
{
	forms_run(vectors, sizeof vectors / sizeof *vectors);
}

static void
others_are_unknown(void **unused)
{
	forms_run(others, sizeof others / sizeof *others);
}

static int
begin(void **unused)
{
	static unsigned char alternate[1 << 16];
	const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
	mapping =
		mmap(NULL, MAPPING, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	return mapping == MAP_FAILED || sigaltstack(&stack, NULL);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_agree), cmocka_unit_test(conditions_agree),
		cmocka_unit_test(flows_agree),	  cmocka_unit_test(strings_agree),
		cmocka_unit_test(vectors_agree),  cmocka_unit_test(others_are_unknown),
	};
	if (argc > 1)
		runs = (unsigned)strtoul(argv[1], NULL, 10);
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) {
		printf("SKIP emulation against the processor: it lacks AVX2\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, begin, NULL);
}
