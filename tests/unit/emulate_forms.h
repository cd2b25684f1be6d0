/* The instructions of the test emulate, by their operands and the flags that they define. */
#pragma once
#include <Zydis/Zydis.h>

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
	FORM(LDDQU, "xX", "8", STAY),
	FORM(MOVD, "xe xW ex Wx", "8", STAY),
	FORM(MOVQ, "xq xD qx Dx xx", "8", STAY),
	FORM(PEXTRD, "exb Wxb", "8", STAY),
	FORM(PEXTRQ, "qxb Dxb", "8", STAY),
	FORM(PMOVSXDQ, "xx xD", "8", STAY),
	FORM(PMOVZXDQ, "xx xD", "8", STAY),
	FORM(VMOVDQU, "xx yy xX yY Xx Yy", "8", STAY),
	FORM(VMOVUPS, "xx yy xX yY Xx Yy", "8", STAY),
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
	FORM(MOVUPD, "xX Xx", "8", NOT_EMULATED),
	FORM(VMOVUPD, "xX yY Xx Yy", "8", NOT_EMULATED),
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
