/* Decoder (floor: samples): see decoder.h. Only this file knows Zydis. */
#include "samples/decoder.h"

#include <Zydis/Zydis.h>
#include <string.h>

#define KEPT 4096
#define NO_CONDITION 16

static struct {
	ZydisDecoder zydis;
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	struct fg_instruction kept[KEPT];
	bool begun;
} decoder;

/* By the processor's number of the condition. */
static const struct {
	ZydisMnemonic jump, move, set;
} conditions[16] = {
	{ZYDIS_MNEMONIC_JO, ZYDIS_MNEMONIC_CMOVO, ZYDIS_MNEMONIC_SETO},
	{ZYDIS_MNEMONIC_JNO, ZYDIS_MNEMONIC_CMOVNO, ZYDIS_MNEMONIC_SETNO},
	{ZYDIS_MNEMONIC_JB, ZYDIS_MNEMONIC_CMOVB, ZYDIS_MNEMONIC_SETB},
	{ZYDIS_MNEMONIC_JNB, ZYDIS_MNEMONIC_CMOVNB, ZYDIS_MNEMONIC_SETNB},
	{ZYDIS_MNEMONIC_JZ, ZYDIS_MNEMONIC_CMOVZ, ZYDIS_MNEMONIC_SETZ},
	{ZYDIS_MNEMONIC_JNZ, ZYDIS_MNEMONIC_CMOVNZ, ZYDIS_MNEMONIC_SETNZ},
	{ZYDIS_MNEMONIC_JBE, ZYDIS_MNEMONIC_CMOVBE, ZYDIS_MNEMONIC_SETBE},
	{ZYDIS_MNEMONIC_JNBE, ZYDIS_MNEMONIC_CMOVNBE, ZYDIS_MNEMONIC_SETNBE},
	{ZYDIS_MNEMONIC_JS, ZYDIS_MNEMONIC_CMOVS, ZYDIS_MNEMONIC_SETS},
	{ZYDIS_MNEMONIC_JNS, ZYDIS_MNEMONIC_CMOVNS, ZYDIS_MNEMONIC_SETNS},
	{ZYDIS_MNEMONIC_JP, ZYDIS_MNEMONIC_CMOVP, ZYDIS_MNEMONIC_SETP},
	{ZYDIS_MNEMONIC_JNP, ZYDIS_MNEMONIC_CMOVNP, ZYDIS_MNEMONIC_SETNP},
	{ZYDIS_MNEMONIC_JL, ZYDIS_MNEMONIC_CMOVL, ZYDIS_MNEMONIC_SETL},
	{ZYDIS_MNEMONIC_JNL, ZYDIS_MNEMONIC_CMOVNL, ZYDIS_MNEMONIC_SETNL},
	{ZYDIS_MNEMONIC_JLE, ZYDIS_MNEMONIC_CMOVLE, ZYDIS_MNEMONIC_SETLE},
	{ZYDIS_MNEMONIC_JNLE, ZYDIS_MNEMONIC_CMOVNLE, ZYDIS_MNEMONIC_SETNLE},
};

/* Moves of doubles are not among them: these are no indices, and to read them costs more than all else. */
static const struct {
	ZydisMnemonic mnemonic;
	enum fg_operation operation;
} operations[] = {
	{ZYDIS_MNEMONIC_MOV, FG_MOVE},
	{ZYDIS_MNEMONIC_MOVNTI, FG_MOVE},
	{ZYDIS_MNEMONIC_MOVZX, FG_ZERO_EXTEND},
	{ZYDIS_MNEMONIC_MOVSX, FG_SIGN_EXTEND},
	{ZYDIS_MNEMONIC_MOVSXD, FG_SIGN_EXTEND},
	{ZYDIS_MNEMONIC_LEA, FG_LOAD_ADDRESS},
	{ZYDIS_MNEMONIC_ADD, FG_ADD},
	{ZYDIS_MNEMONIC_ADC, FG_ADD_CARRY},
	{ZYDIS_MNEMONIC_SUB, FG_SUBTRACT},
	{ZYDIS_MNEMONIC_SBB, FG_SUBTRACT_CARRY},
	{ZYDIS_MNEMONIC_CMP, FG_COMPARE},
	{ZYDIS_MNEMONIC_AND, FG_AND},
	{ZYDIS_MNEMONIC_TEST, FG_TEST},
	{ZYDIS_MNEMONIC_OR, FG_OR},
	{ZYDIS_MNEMONIC_XOR, FG_XOR},
	{ZYDIS_MNEMONIC_SHL, FG_SHIFT_LEFT},
	{ZYDIS_MNEMONIC_SHR, FG_SHIFT_RIGHT},
	{ZYDIS_MNEMONIC_SAR, FG_SHIFT_SIGNED},
	{ZYDIS_MNEMONIC_ROL, FG_ROTATE_LEFT},
	{ZYDIS_MNEMONIC_ROR, FG_ROTATE_RIGHT},
	{ZYDIS_MNEMONIC_INC, FG_INCREMENT},
	{ZYDIS_MNEMONIC_DEC, FG_DECREMENT},
	{ZYDIS_MNEMONIC_NEG, FG_NEGATE},
	{ZYDIS_MNEMONIC_NOT, FG_NOT},
	{ZYDIS_MNEMONIC_SHLX, FG_PLAIN_SHIFT_LEFT},
	{ZYDIS_MNEMONIC_SHRX, FG_PLAIN_SHIFT_RIGHT},
	{ZYDIS_MNEMONIC_SARX, FG_PLAIN_SHIFT_SIGNED},
	{ZYDIS_MNEMONIC_RORX, FG_PLAIN_ROTATE_RIGHT},
	{ZYDIS_MNEMONIC_IMUL, FG_MULTIPLY},
	{ZYDIS_MNEMONIC_MUL, FG_MULTIPLY_WIDE},
	{ZYDIS_MNEMONIC_DIV, FG_DIVIDE},
	{ZYDIS_MNEMONIC_IDIV, FG_DIVIDE_SIGNED},
	{ZYDIS_MNEMONIC_CBW, FG_EXTEND_RAX},
	{ZYDIS_MNEMONIC_CWDE, FG_EXTEND_RAX},
	{ZYDIS_MNEMONIC_CDQE, FG_EXTEND_RAX},
	{ZYDIS_MNEMONIC_CWD, FG_EXTEND_RDX_RAX},
	{ZYDIS_MNEMONIC_CDQ, FG_EXTEND_RDX_RAX},
	{ZYDIS_MNEMONIC_CQO, FG_EXTEND_RDX_RAX},
	{ZYDIS_MNEMONIC_XCHG, FG_EXCHANGE},
	{ZYDIS_MNEMONIC_PUSH, FG_PUSH},
	{ZYDIS_MNEMONIC_POP, FG_POP},
	{ZYDIS_MNEMONIC_LEAVE, FG_LEAVE},
	{ZYDIS_MNEMONIC_CALL, FG_CALL},
	{ZYDIS_MNEMONIC_RET, FG_RETURN},
	{ZYDIS_MNEMONIC_JMP, FG_JUMP},
	{ZYDIS_MNEMONIC_JCXZ, FG_CONDITIONAL_JUMP},
	{ZYDIS_MNEMONIC_JECXZ, FG_CONDITIONAL_JUMP},
	{ZYDIS_MNEMONIC_JRCXZ, FG_CONDITIONAL_JUMP},
	{ZYDIS_MNEMONIC_LOOP, FG_CONDITIONAL_JUMP},
	{ZYDIS_MNEMONIC_LOOPE, FG_CONDITIONAL_JUMP},
	{ZYDIS_MNEMONIC_LOOPNE, FG_CONDITIONAL_JUMP},
	{ZYDIS_MNEMONIC_UD0, FG_ENDS},
	{ZYDIS_MNEMONIC_UD1, FG_ENDS},
	{ZYDIS_MNEMONIC_UD2, FG_ENDS},
	{ZYDIS_MNEMONIC_HLT, FG_ENDS},
	{ZYDIS_MNEMONIC_INT, FG_ENDS},
	{ZYDIS_MNEMONIC_INT3, FG_ENDS},
	{ZYDIS_MNEMONIC_NOP, FG_NOTHING},
	{ZYDIS_MNEMONIC_ENDBR64, FG_NOTHING},
	{ZYDIS_MNEMONIC_PAUSE, FG_NOTHING},
	{ZYDIS_MNEMONIC_MOVD, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VMOVD, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_MOVQ, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VMOVQ, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_MOVDQU, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_MOVDQA, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_MOVUPS, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_MOVAPS, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_LDDQU, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VMOVDQU, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VMOVDQA, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VMOVUPS, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VMOVAPS, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VLDDQU, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VMOVDQU8, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VMOVDQU16, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VMOVDQU32, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VMOVDQU64, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VMOVDQA32, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VMOVDQA64, FG_VECTOR_MOVE},
	{ZYDIS_MNEMONIC_VZEROUPPER, FG_VECTOR_CLEAR},
	{ZYDIS_MNEMONIC_PEXTRD, FG_VECTOR_EXTRACT},
	{ZYDIS_MNEMONIC_PEXTRQ, FG_VECTOR_EXTRACT},
	{ZYDIS_MNEMONIC_VPEXTRD, FG_VECTOR_EXTRACT},
	{ZYDIS_MNEMONIC_VPEXTRQ, FG_VECTOR_EXTRACT},
	{ZYDIS_MNEMONIC_VEXTRACTI128, FG_VECTOR_EXTRACT},
	{ZYDIS_MNEMONIC_VEXTRACTF128, FG_VECTOR_EXTRACT},
	{ZYDIS_MNEMONIC_PMOVSXDQ, FG_VECTOR_WIDEN_SIGNED},
	{ZYDIS_MNEMONIC_VPMOVSXDQ, FG_VECTOR_WIDEN_SIGNED},
	{ZYDIS_MNEMONIC_PMOVZXDQ, FG_VECTOR_WIDEN},
	{ZYDIS_MNEMONIC_VPMOVZXDQ, FG_VECTOR_WIDEN},
};

static void
string_operation(struct fg_instruction *instruction, const ZydisDecodedInstruction *decoded)
{
	switch (decoded->mnemonic) {
	case ZYDIS_MNEMONIC_MOVSB:
	case ZYDIS_MNEMONIC_MOVSW:
	case ZYDIS_MNEMONIC_MOVSD:
	case ZYDIS_MNEMONIC_MOVSQ:
		instruction->operation = FG_STRING_MOVE;
		return;
	case ZYDIS_MNEMONIC_STOSB:
	case ZYDIS_MNEMONIC_STOSW:
	case ZYDIS_MNEMONIC_STOSD:
	case ZYDIS_MNEMONIC_STOSQ:
		instruction->operation = FG_STRING_STORE;
		return;
	default:
		return;
	}
}

static void
operation_set(struct fg_instruction *instruction, const ZydisDecodedInstruction *decoded)
{
	ZydisMnemonic mnemonic = decoded->mnemonic;
	if (decoded->meta.category == ZYDIS_CATEGORY_STRINGOP) {
		string_operation(instruction, decoded);
		return;
	}
	for (uint8_t i = 0; i < 16; i++)
		if (mnemonic == conditions[i].jump || mnemonic == conditions[i].move || mnemonic == conditions[i].set) {
			instruction->condition = i;
			instruction->operation = mnemonic == conditions[i].jump	  ? FG_CONDITIONAL_JUMP
						 : mnemonic == conditions[i].move ? FG_CONDITIONAL_MOVE
										  : FG_CONDITIONAL_SET;
			return;
		}
	for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
		if (operations[i].mnemonic == mnemonic) {
			instruction->operation = operations[i].operation;
			return;
		}
	if (decoded->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
		instruction->operation = FG_ENDS;
}

/* A general register; false: it is none. */
static bool
general(ZydisRegister name, struct fg_operand *operand)
{
	switch (ZydisRegisterGetClass(name)) {
	case ZYDIS_REGCLASS_GPR8:
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		break;
	default:
		return false;
	}
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
	operand->kind = FG_GENERAL;
	operand->number = (uint8_t)ZydisRegisterGetId(whole);
	operand->first_byte = name >= ZYDIS_REGISTER_AH && name <= ZYDIS_REGISTER_BH;
	operand->bytes = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, name) / 8;
	return true;
}

/* One of the 16 vectors that a sample has; false: it is none. */
static bool
vector(ZydisRegister name, struct fg_operand *operand)
{
	ZydisRegisterClass class = ZydisRegisterGetClass(name);
	if ((class != ZYDIS_REGCLASS_XMM && class != ZYDIS_REGCLASS_YMM && class != ZYDIS_REGCLASS_ZMM) ||
	    ZydisRegisterGetId(name) >= 16)
		return false;
	operand->kind = FG_VECTOR;
	operand->number = (uint8_t)ZydisRegisterGetId(name);
	operand->first_byte = 0;
	operand->bytes = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, name) / 8;
	return true;
}

static uint8_t
number_of(ZydisRegister name)
{
	struct fg_operand operand;
	return general(name, &operand) ? operand.number : FG_NO_REGISTER;
}

/* The letter behind GATHER, SCATTER, GATHERPF0 and so on is the index's: D has 4 bytes, Q has 8. */
static uint8_t
index_bytes(ZydisMnemonic mnemonic)
{
	const char *name = ZydisMnemonicGetString(mnemonic);
	const char *letter = name ? strstr(name, "ter") : NULL;
	if (name && !letter)
		letter = strstr(name, "her");
	if (!letter)
		return 8;
	letter += letter[3] == 'p' && letter[4] == 'f' ? 6 : 3;
	return *letter == 'd' ? 4 : 8;
}

static void
gather_set(struct fg_address *address, const ZydisDecodedOperand *memory)
{
	struct fg_operand index;
	unsigned values = 0;
	for (unsigned i = 0; i < decoder.decoded.operand_count; i++)
		if (decoder.operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && decoder.operands[i].size > values)
			values = decoder.operands[i].size;
	address->bytes = memory->element_size / 8u;
	address->index_bytes = index_bytes(decoder.decoded.mnemonic);
	if (!vector(memory->mem.index, &index) || address->bytes == 0) {
		address->index = FG_NO_REGISTER;
		address->lanes = 0xff;
		return;
	}
	unsigned by_values = values / 8 / address->bytes, by_indices = index.bytes / address->index_bytes;
	address->index = index.number;
	address->lanes = (uint8_t)(by_values < by_indices ? by_values : by_indices);
}

static void
address_set(struct fg_instruction *instruction, struct fg_address *address, const ZydisDecodedOperand *operand)
{
	const ZydisDecodedOperandMem *memory = &operand->mem;
	address->displacement = memory->disp.has_displacement ? memory->disp.value : 0;
	if (memory->base == ZYDIS_REGISTER_RIP || memory->base == ZYDIS_REGISTER_EIP)
		address->displacement += (int64_t)(instruction->ip + instruction->length);
	address->base = number_of(memory->base);
	address->index = number_of(memory->index);
	address->scale = memory->scale;
	address->narrow = decoder.decoded.address_width == 32;
	address->fs = memory->segment == ZYDIS_REGISTER_FS;
	address->unknown_segment = memory->segment == ZYDIS_REGISTER_GS;
	address->bytes = operand->size / 8u;
	address->read = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	address->written = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	if (memory->type == ZYDIS_MEMOP_TYPE_VSIB)
		gather_set(address, operand);
}

/* The stack, which calls, returns and the like use besides their operands. */
static bool
is_stack(const ZydisDecodedOperand *operand)
{
	return operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	       (operand->mem.base == ZYDIS_REGISTER_RSP || operand->mem.base == ZYDIS_REGISTER_RBP);
}

static bool
uses_no_memory(void)
{
	ZydisInstructionCategory category = decoder.decoded.meta.category;
	return category == ZYDIS_CATEGORY_PREFETCH || category == ZYDIS_CATEGORY_NOP ||
	       category == ZYDIS_CATEGORY_WIDENOP;
}

static void
operand_set(struct fg_instruction *instruction, struct fg_operand *operand, const ZydisDecodedOperand *decoded)
{
	operand->bytes = decoded->size / 8;
	switch (decoded->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		if (!general(decoded->reg.value, operand))
			vector(decoded->reg.value, operand);
		return;
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		operand->kind = FG_IMMEDIATE;
		instruction->immediate = decoded->imm.value.u;
		if (decoded->imm.is_relative)
			instruction->immediate += instruction->ip + instruction->length;
		return;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		if (instruction->addresses == FG_ADDRESSES || uses_no_memory())
			return;
		operand->kind = FG_MEMORY;
		operand->number = instruction->addresses++;
		address_set(instruction, &instruction->address[operand->number], decoded);
		return;
	default:
		return;
	}
}

static void
written_set(struct fg_instruction *instruction, const ZydisDecodedOperand *decoded)
{
	struct fg_operand operand;
	if (decoded->type != ZYDIS_OPERAND_TYPE_REGISTER || !(decoded->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return;
	if (general(decoded->reg.value, &operand))
		instruction->general_written |= (uint16_t)(1u << operand.number);
	else if (vector(decoded->reg.value, &operand))
		instruction->vector_written |= (uint16_t)(1u << operand.number);
}

/* What Zydis does not say. */
static void
corrections(struct fg_instruction *instruction, const ZydisDecodedInstruction *decoded)
{
	if (decoded->meta.category == ZYDIS_CATEGORY_SYSCALL)
		instruction->general_written |= 1u << FG_RAX;
	if (decoded->meta.category == ZYDIS_CATEGORY_STRINGOP)
		instruction->general_written |=
			1u << FG_RSI | 1u << FG_RDI | (uint16_t)(instruction->repeated << FG_RCX);
	if (decoded->mnemonic == ZYDIS_MNEMONIC_VZEROALL)
		instruction->vector_written = 0xffff;
	bool moves_quadword = decoded->mnemonic == ZYDIS_MNEMONIC_MOVQ || decoded->mnemonic == ZYDIS_MNEMONIC_VMOVQ;
	if (moves_quadword && instruction->operand[1].bytes > 8)
		instruction->operand[1].bytes = 8;
}

static void
translate(struct fg_instruction *instruction)
{
	const ZydisDecodedInstruction *decoded = &decoder.decoded;
	unsigned visible = 0;
	instruction->length = decoded->length;
	instruction->condition = NO_CONDITION;
	instruction->repeated =
		decoded->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
	instruction->clears = decoded->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY;
	operation_set(instruction, decoded);
	if (decoded->cpu_flags)
		instruction->flags_written = decoded->cpu_flags->modified | decoded->cpu_flags->set_0 |
					     decoded->cpu_flags->set_1 | decoded->cpu_flags->undefined;
	for (unsigned i = 0; i < decoded->operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoder.operands[i];
		struct fg_operand hidden = {0};
		written_set(instruction, operand);
		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value == ZYDIS_REGISTER_K0)
			continue; /* stands for no mask */
		if (operand->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN && visible < FG_OPERANDS)
			operand_set(instruction, &instruction->operand[visible++], operand);
		else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && !is_stack(operand))
			operand_set(instruction, &hidden, operand);
	}
	corrections(instruction, decoded);
	/* The emulation of these knows two or three operands, not that of one. */
	if (instruction->operation == FG_MULTIPLY && visible == 1)
		instruction->operation = FG_MULTIPLY_SIGNED;
}

const struct fg_instruction *
fg_decode(uint64_t ip, const unsigned char *code, unsigned available, bool *kept)
{
	struct fg_instruction *instruction = &decoder.kept[(ip ^ ip >> 12) % KEPT];
	*kept = instruction->length && instruction->ip == ip && instruction->length <= available &&
		memcmp(instruction->text, code, instruction->length) == 0;
	if (*kept)
		return instruction;
	if (!decoder.begun) {
		ZydisDecoderInit(&decoder.zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		decoder.begun = true;
	}
	*instruction = (struct fg_instruction){.ip = ip};
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder.zydis, code, available, &decoder.decoded, decoder.operands)))
		return NULL;
	translate(instruction);
	memcpy(instruction->text, code, instruction->length);
	return instruction;
}
