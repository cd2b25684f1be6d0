/* The processor of the test emulate: runs a piece of code from registers, flags and vectors that are given. */
#pragma once
#include <stdint.h>

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
