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

#include "samples/decoder.h"
#include "samples/emulate.h"
#include "samples/lines.h"

#define RUNS 200  /* of each form; an argument says another number */
#define CODE 0	  /* places in the mapping */
#define TAKEN 512 /* too far for a short jump */
#define MARK 1024
#define DATA (1 << 18)
#define STACK (1 << 19)
#define MAPPING (1 << 20)
#define AREA 512 /* of data, and of stack, that is compared */

/* What the processor begins with, and ends with. */
struct processor {
	uint64_t general[16], flags;
	unsigned char vector[16][32];
};
extern struct processor emulate_processor;
extern uint64_t emulate_own_stack, emulate_code;
extern char emulate_back[];
struct processor emulate_processor;
uint64_t emulate_own_stack, emulate_code;
void emulate_run(void), emulate_vectors_load(void), emulate_vectors_save(void);

#define FOR_16(word)                                                                                                   \
	word(0) word(1) word(2) word(3) word(4) word(5) word(6) word(7) word(8) word(9) word(10) word(11) word(12)     \
		word(13) word(14) word(15)
#define LOAD_VECTOR(n) "vmovdqu emulate_processor+136+32*" #n "(%rip), %ymm" #n "\n"
#define SAVE_VECTOR(n) "vmovdqu %ymm" #n ", emulate_processor+136+32*" #n "(%rip)\n"
#define FOR_GENERAL(word)                                                                                              \
	word("rax", 0) word("rcx", 1) word("rdx", 2) word("rbx", 3) word("rbp", 5) word("rsi", 6) word("rdi", 7)       \
		word("r8", 8) word("r9", 9) word("r10", 10) word("r11", 11) word("r12", 12) word("r13", 13)            \
			word("r14", 14) word("r15", 15) word("rsp", 4)
#define LOAD_GENERAL(name, n) "mov emulate_processor+8*" #n "(%rip), %" name "\n"
#define SAVE_GENERAL(name, n) "mov %" name ", emulate_processor+8*" #n "(%rip)\n"
/* A move changes no flags, and nothing of the stack is used between the two moves of rsp. */
#define BEGIN "push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
#define LOAD "mov %rsp, emulate_own_stack(%rip)\n push emulate_processor+128(%rip)\n popfq\n" FOR_GENERAL(LOAD_GENERAL)
#define SAVE FOR_GENERAL(SAVE_GENERAL) "mov emulate_own_stack(%rip), %rsp\n"
#define FLAGS "pushfq\n pop emulate_processor+128(%rip)\n cld\n"
#define END "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n"
__asm__(".text\nemulate_run:\n" BEGIN LOAD "jmp *emulate_code(%rip)\nemulate_back:\n" SAVE FLAGS END);
__asm__("emulate_vectors_load:\n" FOR_16(LOAD_VECTOR) "ret\n");
__asm__("emulate_vectors_save:\n" FOR_16(SAVE_VECTOR) "vzeroupper\n ret\n");

/* Which flags an instruction defines. */
enum rule { STAY, DEFINED, SHIFTS, ROTATES, MULTIPLIES, DIVIDES, NOT_EMULATED };

/* Operands: r, m have the width; n, t are a narrower register and memory; i, b an immediate of that width or of a byte;
 * c is cl; e, q registers of 4 and 8 bytes; W, D, X, Y memory of 4, 8, 16, 32 bytes; x, y vectors; j a target. */
struct form {
	ZydisMnemonic mnemonic;
	const char *operands; /* kinds of operand lists, with spaces between */
	const char *widths;
	enum rule rule;
};

#define TWO "rr rm mr ri mi"
#define FORM(name, operands, widths, rule) {ZYDIS_MNEMONIC_##name, operands, widths, rule}
static const struct form integers[] = {
	FORM(MOV, TWO, "1248", STAY),
	FORM(MOVNTI, "mr", "48", STAY),
	FORM(MOVZX, "rn rt", "248", STAY),
	FORM(MOVSX, "rn rt", "248", STAY),
	FORM(MOVSXD, "qe qW", "8", STAY),
	FORM(LEA, "rm", "248", STAY),
	FORM(ADD, TWO, "1248", DEFINED),
	FORM(ADC, TWO, "1248", DEFINED),
	FORM(SUB, TWO, "1248", DEFINED),
	FORM(SBB, TWO, "1248", DEFINED),
	FORM(CMP, TWO, "1248", DEFINED),
	FORM(AND, TWO, "1248", DEFINED),
	FORM(OR, TWO, "1248", DEFINED),
	FORM(XOR, TWO, "1248", DEFINED),
	FORM(TEST, "rr mr ri mi", "1248", DEFINED),
	FORM(SHL, "rb mb rc mc", "1248", SHIFTS),
	FORM(SHR, "rb mb rc mc", "1248", SHIFTS),
	FORM(SAR, "rb mb rc mc", "1248", SHIFTS),
	FORM(ROL, "rb mb rc mc", "1248", ROTATES),
	FORM(ROR, "rb mb rc mc", "1248", ROTATES),
	FORM(INC, "r m", "1248", DEFINED),
	FORM(DEC, "r m", "1248", DEFINED),
	FORM(NEG, "r m", "1248", DEFINED),
	FORM(NOT, "r m", "1248", STAY),
	FORM(SHLX, "rrr rmr", "48", STAY),
	FORM(SHRX, "rrr rmr", "48", STAY),
	FORM(SARX, "rrr rmr", "48", STAY),
	FORM(RORX, "rrb rmb", "48", STAY),
	FORM(IMUL, "rr rm rri rmi", "248", MULTIPLIES),
	FORM(IMUL, "r m", "1248", MULTIPLIES),
	FORM(MUL, "r m", "1248", MULTIPLIES),
	FORM(DIV, "r m", "1248", DIVIDES),
	FORM(IDIV, "r m", "1248", DIVIDES),
	FORM(CBW, "", "8", STAY),
	FORM(CWDE, "", "8", STAY),
	FORM(CDQE, "", "8", STAY),
	FORM(CWD, "", "8", STAY),
	FORM(CDQ, "", "8", STAY),
	FORM(CQO, "", "8", STAY),
	FORM(XCHG, "rr mr", "1248", STAY),
	FORM(PUSH, "r m i", "8", STAY),
	FORM(PUSH, "r m", "2", STAY),
	FORM(POP, "r m", "28", STAY),
	FORM(LEAVE, "", "8", STAY),
	FORM(NOP, "", "8", STAY),
	FORM(ENDBR64, "", "8", STAY),
	FORM(PAUSE, "", "8", STAY),
};

static const struct form flows[] = {
	FORM(CALL, "j r m", "8", STAY),
	FORM(JMP, "j r m", "8", STAY),
	FORM(RET, "", "8", STAY),
	FORM(RET, "i", "2", STAY),
};

static const struct form strings[] = {
	FORM(MOVSB, "", "1", STAY), FORM(MOVSW, "", "2", STAY), FORM(MOVSQ, "", "8", STAY),
	FORM(STOSB, "", "1", STAY), FORM(STOSD, "", "4", STAY), FORM(STOSQ, "", "8", STAY),
};

static const struct form vectors[] = {
	FORM(MOVDQU, "xx xX Xx", "8", STAY),
	FORM(MOVUPS, "xx xX Xx", "8", STAY),
	FORM(MOVUPD, "xX Xx", "8", STAY),
	FORM(LDDQU, "xX", "8", STAY),
	FORM(MOVD, "xe xW ex Wx", "8", STAY),
	FORM(MOVQ, "xq xD qx Dx xx", "8", STAY),
	FORM(PEXTRD, "exb Wxb", "8", STAY),
	FORM(PEXTRQ, "qxb Dxb", "8", STAY),
	FORM(PMOVSXDQ, "xx xD", "8", STAY),
	FORM(PMOVZXDQ, "xx xD", "8", STAY),
	FORM(VMOVDQU, "xx yy xX yY Xx Yy", "8", STAY),
	FORM(VMOVUPS, "xx yy xX yY Xx Yy", "8", STAY),
	FORM(VMOVUPD, "xX yY Xx Yy", "8", STAY),
	FORM(VLDDQU, "xX yY", "8", STAY),
	FORM(VMOVD, "xe xW ex Wx", "8", STAY),
	FORM(VMOVQ, "xq xD qx Dx xx", "8", STAY),
	FORM(VPEXTRD, "exb Wxb", "8", STAY),
	FORM(VPEXTRQ, "qxb Dxb", "8", STAY),
	FORM(VPMOVSXDQ, "xx yx xD yX", "8", STAY),
	FORM(VPMOVZXDQ, "xx yx xD yX", "8", STAY),
	FORM(VEXTRACTI128, "xyb Xyb", "8", STAY),
	FORM(VEXTRACTF128, "xyb Xyb", "8", STAY),
	FORM(VZEROUPPER, "", "8", STAY),
};

/* Not emulated: what is written must not be known. */
static const struct form others[] = {
	FORM(BSWAP, "r", "48", NOT_EMULATED),
	FORM(POPCNT, "rr rm", "248", NOT_EMULATED),
	FORM(TZCNT, "rr rm", "248", NOT_EMULATED),
	FORM(LZCNT, "rr rm", "248", NOT_EMULATED),
	FORM(BSF, "rr rm", "248", NOT_EMULATED),
	FORM(BT, "rr rb", "248", NOT_EMULATED),
	FORM(BTS, "rr rb mb", "248", NOT_EMULATED),
	FORM(XADD, "rr mr", "1248", NOT_EMULATED),
	FORM(CMPXCHG, "rr mr", "1248", NOT_EMULATED),
	FORM(MULX, "rrr rrm", "48", NOT_EMULATED),
	FORM(ANDN, "rrr rrm", "48", NOT_EMULATED),
	FORM(BLSR, "rr rm", "48", NOT_EMULATED),
	FORM(SHLD, "rrb mrb", "248", NOT_EMULATED),
	FORM(RCL, "rc mc", "1248", NOT_EMULATED),
	FORM(MOVBE, "rm mr", "248", NOT_EMULATED),
	FORM(LAHF, "", "8", NOT_EMULATED),
	FORM(STC, "", "8", NOT_EMULATED),
	FORM(CMC, "", "8", NOT_EMULATED),
	FORM(STD, "", "8", NOT_EMULATED),
	FORM(CPUID, "", "8", NOT_EMULATED),
	FORM(RDTSC, "", "8", NOT_EMULATED),
	FORM(LODSB, "", "1", NOT_EMULATED),
	FORM(SCASB, "", "1", NOT_EMULATED),
	FORM(CMPSB, "", "1", NOT_EMULATED),
	FORM(PADDD, "xx", "8", NOT_EMULATED),
	FORM(PSHUFD, "xxb", "8", NOT_EMULATED),
	FORM(ADDSD, "xx xD", "8", NOT_EMULATED),
	FORM(MOVSD, "xx xD Dx", "8", NOT_EMULATED),
	FORM(UCOMISD, "xx", "8", NOT_EMULATED),
	FORM(PMOVMSKB, "ex", "8", NOT_EMULATED),
	FORM(CVTTSD2SI, "qx ex", "8", NOT_EMULATED),
	FORM(VPADDD, "yyy yyY xxx", "8", NOT_EMULATED),
	FORM(VBROADCASTSS, "yx yW", "8", NOT_EMULATED),
	FORM(VINSERTI128, "yyxb", "8", NOT_EMULATED),
	FORM(VZEROALL, "", "8", NOT_EMULATED),
};

static unsigned runs = RUNS;
static unsigned char *mapping;
static volatile sig_atomic_t faulted;
static uint64_t state = 88172645463325252u;

static uint64_t
random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Small numbers, and those near the ends of their range, are likely. */
static uint64_t
random_value(void)
{
	uint64_t number = random_number();
	switch (random_number() % 6) {
	case 0:
		return number % 8;
	case 1:
		return -(number % 8);
	case 2:
		return (UINT64_C(1) << number % 64) - (number >> 32 & 1);
	case 3:
		return number % 128;
	}
	return number;
}

static void
on_fault(int number, siginfo_t *info, void *signal_context)
{
	ucontext_t *context = signal_context;
	faulted = 1;
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)emulate_back;
}

/* The run at hand. */
static struct {
	const struct form *form;
	unsigned width;
	bool hides, jumps, repeated;
	unsigned char text[32];
	ZyanUSize length;
	ZydisEncoderRequest request;
	struct processor before;
	struct fg_machine machine;
	struct fg_registers sample;
	unsigned count; /* of a shift, where it is a constant; else 256 */
} at;

static ZydisRegister
general_name(unsigned number, unsigned bytes)
{
	static const ZydisRegister first[] = {
		[1] = ZYDIS_REGISTER_AL, [2] = ZYDIS_REGISTER_AX, [4] = ZYDIS_REGISTER_EAX, [8] = ZYDIS_REGISTER_RAX};
	if (bytes > 1)
		return first[bytes] + number;
	if (number < 4)
		return random_number() % 2 ? ZYDIS_REGISTER_AL + number : ZYDIS_REGISTER_AH + number;
	return ZYDIS_REGISTER_SPL + (number - 4);
}

static void
memory_make(ZydisEncoderOperand *operand, unsigned bytes)
{
	unsigned base = (unsigned)random_number() % 16, index = (unsigned)random_number() % 16;
	unsigned width = random_number() % 4 ? 8 : 4;
	uint64_t place = (uintptr_t)mapping + DATA + random_number() % (AREA - 64);
	int32_t displacement = (int32_t)(random_number() % 3 ? random_number() % 100 : random_number());
	if (at.jumps) /* there are targets */
		place &= -(uint64_t)8;
	operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
	operand->mem.size = (ZyanU16)bytes;
	operand->mem.scale = 1;
	switch (random_number() % 8) {
	case 0: /* absolute */
		operand->mem.displacement = (ZyanI64)place;
		operand->mem.scale = 0;
		return;
	case 1: /* relative to the next instruction: corrected when its length is known */
		operand->mem.base = ZYDIS_REGISTER_RIP;
		operand->mem.scale = 0;
		operand->mem.displacement = (ZyanI64)(place - ((uintptr_t)mapping + CODE));
		return;
	}
	while (base == FG_RSP)
		base = (unsigned)random_number() % 16;
	operand->mem.base = general_name(base, width);
	operand->mem.displacement = displacement;
	if (index != FG_RSP && index != base && random_number() % 2) {
		operand->mem.index = general_name(index, width);
		operand->mem.scale = (ZyanU8)(1u << random_number() % 4);
	} else {
		operand->mem.scale = 0;
		index = 0;
	}
	uint64_t rest = place - (uint64_t)(int64_t)displacement -
			(operand->mem.scale ? emulate_processor.general[index] * operand->mem.scale : 0);
	emulate_processor.general[base] = width == 8 ? rest : (rest & UINT32_MAX) | random_number() << 32;
}

static void
operand_make(ZydisEncoderOperand *operand, char letter)
{
	unsigned width = at.width, narrow = width > 2 && random_number() % 2 ? 2 : 1;
	unsigned number = (unsigned)random_number() % 16;
	operand->type = ZYDIS_OPERAND_TYPE_REGISTER;
	switch (letter) {
	case 'r':
		operand->reg.value = general_name(number, width);
		return;
	case 'n':
		operand->reg.value = general_name(number, narrow);
		return;
	case 'e':
		operand->reg.value = general_name(number, 4);
		return;
	case 'q':
		operand->reg.value = general_name(number, 8);
		return;
	case 'c':
		operand->reg.value = ZYDIS_REGISTER_CL;
		return;
	case 'x':
		operand->reg.value = ZYDIS_REGISTER_XMM0 + number;
		return;
	case 'y':
		operand->reg.value = ZYDIS_REGISTER_YMM0 + number;
		return;
	case 'i':
		operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		operand->imm.s = width == 1   ? (int8_t)random_value()
				 : width == 2 ? (int16_t)random_value()
					      : (int32_t)random_value();
		return;
	case 'b':
		operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		at.count = random_number() % 2 ? 1 : (uint8_t)random_number();
		operand->imm.u = at.count;
		return;
	case 'j':
		operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		operand->imm.s = TAKEN; /* corrected when the length is known */
		return;
	case 'm':
		memory_make(operand, width);
		return;
	case 't':
		memory_make(operand, narrow);
		return;
	default:
		memory_make(operand, letter == 'W' ? 4 : letter == 'D' ? 8 : letter == 'X' ? 16 : 32);
	}
}

/* One of the lists of operands. */
static unsigned
list_choose(const char *lists, char *list)
{
	unsigned lists_there = 1, chosen, n = 0;
	for (const char *c = lists; *c; c++)
		lists_there += *c == ' ';
	chosen = (unsigned)random_number() % lists_there;
	for (const char *c = lists; *c; c++) {
		if (*c == ' ')
			chosen--;
		else if (chosen == 0)
			list[n++] = *c;
	}
	return n;
}

static bool
encode(void)
{
	at.length = sizeof at.text;
	return ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&at.request, at.text, &at.length));
}

static bool
is_jump(void)
{
	return at.jumps && at.form->mnemonic != ZYDIS_MNEMONIC_RET && at.request.operand_count &&
	       at.request.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

/* Makes one instruction, and the registers that it needs. False: there is none of this kind. */
static bool
instruction_make(void)
{
	char list[8];
	memset(&at.request, 0, sizeof at.request);
	at.count = 256;
	at.width = (unsigned)at.form->widths[random_number() % strlen(at.form->widths)] - '0';
	at.request.machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
	at.request.mnemonic = at.form->mnemonic;
	at.request.operand_count = (ZyanU8)list_choose(at.form->operands, list);
	if (at.repeated)
		at.request.prefixes = ZYDIS_ATTRIB_HAS_REP;
	for (unsigned i = 0; i < at.request.operand_count; i++)
		operand_make(&at.request.operands[i], list[i]);
	if (!encode())
		return false;
	for (unsigned i = 0; i < at.request.operand_count; i++)
		if (at.request.operands[i].mem.base == ZYDIS_REGISTER_RIP)
			at.request.operands[i].mem.displacement -= (ZyanI64)at.length;
	if (is_jump()) {
		at.request.branch_width = ZYDIS_BRANCH_WIDTH_NONE;
		at.request.operands[0].imm.s = TAKEN - (ZyanI64)at.length;
	}
	ZyanUSize before = at.length;
	return encode() && at.length == before;
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
			at.machine.general_known[i] = (uint8_t)random_number();
			for (unsigned j = 0; j < 8; j++)
				if (!(at.machine.general_known[i] >> j & 1))
					at.machine.general[i] &= ~(UINT64_C(0xff) << 8 * j);
			at.machine.vector_known[i] = 0;
		}
	uint32_t hidden = (uint32_t)random_number() & (uint32_t)random_number() & ~(uint32_t)FG_DIRECTION;
	at.machine.flags_known &= ~hidden;
	at.machine.flags ^= hidden & FG_FLAGS;
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
	fg_machine_begin(&at.machine, &at.sample);
	if (at.hides)
		hide();
	const struct fg_instruction *instruction = fg_decode(at.sample.ip, at.text, (unsigned)at.length, &kept);
	assert_non_null(instruction);
	assert_int_equal(instruction->length, at.length);
	assert_true((instruction->operation == FG_OTHER) == (at.form->rule == NOT_EMULATED));
	fg_machine_locate(&at.machine, instruction);
	*knows_places = true;
	for (unsigned i = 0; i < instruction->addresses; i++)
		*knows_places &= at.machine.at[i].known;
	if (at.form->mnemonic == ZYDIS_MNEMONIC_PUSH || at.form->mnemonic == ZYDIS_MNEMONIC_CALL)
		*knows_places &= at.machine.general_known[FG_RSP] == 0xff;
	return fg_emulate(&at.machine, instruction);
}

static void
registers_compare(void)
{
	for (unsigned i = 0; i < 16; i++) {
		for (unsigned j = 0; j < 8; j++)
			AGREES(!(at.machine.general_known[i] >> j & 1) ||
				       (uint8_t)(at.machine.general[i] >> 8 * j) ==
					       (uint8_t)(emulate_processor.general[i] >> 8 * j),
			       "the general register", i);
		for (unsigned j = 0; j < 32; j++)
			AGREES(!(at.machine.vector_known[i] >> j & 1) ||
				       at.machine.vector[i][j] == emulate_processor.vector[i][j],
			       "the vector", i);
		if (!at.hides && at.form->rule != NOT_EMULATED) {
			AGREES(at.machine.general_known[i] == 0xff, "what is known of the general register", i);
			AGREES(at.machine.vector_known[i] == UINT32_MAX, "what is known of the vector", i);
		}
	}
	uint32_t defined = flags_defined();
	AGREES(((at.machine.flags ^ emulate_processor.flags) & at.machine.flags_known & FG_FLAGS) == 0, "the flags", 0);
	AGREES(at.hides || (at.machine.flags_known & defined) == defined, "what is known of the flags", 0);
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
		AGREES(at.form->rule == DIVIDES && at.machine.general_known[FG_RAX] != 0xff, "the complaint of", 0);
	} else {
		AGREES(goes_on || at.hides, "the flow of", 0);
		uint64_t next = (uintptr_t)mapping + (mapping[MARK] ? TAKEN : CODE + at.length);
		AGREES(!goes_on || at.hides || at.machine.ip == next, "the next instruction of", 0);
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
