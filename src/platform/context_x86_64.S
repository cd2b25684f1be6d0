/* Context switch for x86-64 (System V ABI): see context.h.
 *
 * Frame of a suspended context, from its stack pointer upwards:
 *   0 mxcsr   4 x87 control word   6 x87 status word   8 r15  16 r14  24 r13  32 r12  40 rbx  48 rbp  56 return address
 * The first word is a struct fg_float (float.h).
 *
 * The floating-point words are read after the write of the thread pointer. That write holds everything up anyhow, so
 * the reads take no time there. Before it they take 3 ns more. */

	.text
	.globl	fg_context_switch
	.hidden	fg_context_switch
	.type	fg_context_switch, @function
	.p2align 6
fg_context_switch:		/* (from rdi, to rsi, callback rdx, arg rcx) */
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r12, 0
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r13, 0
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r14, 0
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r15, 0
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	movq	%rsp, (%rdi)
	.globl	fg_context_switch_saved
	.hidden	fg_context_switch_saved
fg_context_switch_saved:
	movq	%rsp, %rbx
	movq	(%rsi), %rsp
	movq	8(%rsi), %rax
	cmpb	$0, fg_context_by_syscall(%rip)
	jne	2f
	wrfsbase %rax
1:	fnstsw	6(%rbx)
	stmxcsr	(%rbx)
	fnstcw	4(%rbx)
	movzbl	6(%rbx), %ebx		/* the callback, which does not use the x87, may free the old frame */
	testq	%rdx, %rdx
	jne	3f
4:	ldmxcsr	(%rsp)
	cmpb	%bl, 6(%rsp)
	jne	5f
	testb	%bl, %bl
	js	5f
	fldcw	4(%rsp)
7:	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore r15
	popq	%r14
	.cfi_adjust_cfa_offset -8
	.cfi_restore r14
	popq	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore r13
	popq	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore r12
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbx
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbp
	ret
	/* The registers that will be restored below are free to use here. */
	.cfi_adjust_cfa_offset 56
2:	movq	%rdx, %r12
	movq	%rcx, %r13
	movq	%rax, %rsi
	movl	$0x1002, %edi		/* ARCH_SET_FS */
	movl	$158, %eax		/* arch_prctl */
	syscall
	movq	%r12, %rdx
	movq	%r13, %rcx
	jmp	1b
3:	movq	%rcx, %rdi
	call	*%rdx
	jmp	4b
	/* The flags differ from those that are up, or an unmasked exception waits for the next such instruction, and
	 * fldcw would be that. */
5:	movb	$1, fg_float_x87_flags(%rip)
	fnclex
	cmpb	$0, 6(%rsp)
	jne	6f
	fldcw	4(%rsp)
	jmp	7b
6:	fnstenv	-32(%rsp)		/* no signal handler touches the memory there */
	movzwl	4(%rsp), %eax
	movw	%ax, -32(%rsp)		/* control word */
	movzbl	6(%rsp), %eax
	movw	%ax, -28(%rsp)		/* status word: flags only, the stack is empty */
	fldenv	-32(%rsp)
	jmp	7b
	.cfi_endproc
	.size	fg_context_switch, .-fg_context_switch
	.globl	fg_context_switch_end
	.hidden	fg_context_switch_end
fg_context_switch_end:

/* First return address of a made context: it calls the entry kept in rbx. Unwinding ends here. */
	.globl	fg_context_trampoline
	.hidden	fg_context_trampoline
	.type	fg_context_trampoline, @function
	.p2align 4
fg_context_trampoline:
	.cfi_startproc
	.cfi_undefined rip
	xorl	%ebp, %ebp
	call	*%rbx
	ud2
	.cfi_endproc
	.size	fg_context_trampoline, .-fg_context_trampoline

/* Parks the kernel thread: see context.h. (word rdi, value esi, stack rdx, then rcx) */
	.globl	fg_context_park
	.hidden	fg_context_park
	.type	fg_context_park, @function
	.p2align 4
fg_context_park:
	.cfi_startproc
	.cfi_undefined rip
	endbr64
	movq	%rdx, %rsp
	xorl	%ebp, %ebp
	movl	%esi, %ebx
	movq	%rdi, %r12
	movq	%rcx, %r13
	movl	%esi, (%rdi)		/* from here on other threads may use the old stack */
	movl	$202, %eax		/* futex */
	movl	$129, %esi		/* FUTEX_WAKE_PRIVATE */
	movl	$1, %edx
	syscall
1:	movl	$202, %eax
	movq	%r12, %rdi
	movl	$128, %esi		/* FUTEX_WAIT_PRIVATE */
	movl	%ebx, %edx
	xorl	%r10d, %r10d
	syscall
	cmpl	%ebx, (%r12)
	je	1b
	subq	$16, %rsp		/* a context to which no thread goes back */
	movq	%rsp, %rdi
	movq	%r13, %rsi
	xorl	%edx, %edx
	call	fg_context_switch
	ud2
	.cfi_endproc
	.size	fg_context_park, .-fg_context_park
	.globl	fg_context_park_end
	.hidden	fg_context_park_end
fg_context_park_end:

	.section .note.GNU-stack, "", @progbits

/* Indirect-branch tracking only. For a shadow stack each identity would need one, and the switch would have to change
 * it. */
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 1, 0
