/* Context switch for aarch64 (AAPCS64): see context.h.
 *
 * Frame of a suspended context, from its stack pointer upwards:
 *     0 x19..x30 (96 bytes)   96 d8..d15 (64 bytes)   160 fpcr (32 bits)   164 fpsr (32 bits)   168 unused
 * The word at 160 is a struct fg_float (float.h). */

	.text
	.globl	fg_context_switch
	.hidden	fg_context_switch
	.type	fg_context_switch, %function
	.p2align 6
fg_context_switch:		/* (from x0, to x1, callback x2, arg x3) */
	.cfi_startproc
	hint	34		/* bti c */
	sub	sp, sp, #176
	.cfi_adjust_cfa_offset 176
	stp	x19, x20, [sp]
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	.cfi_rel_offset x29, 80
	.cfi_rel_offset x30, 88
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	mrs	x9, fpcr
	mrs	x10, fpsr
	stp	w9, w10, [sp, #160]
	mov	x9, sp
	str	x9, [x0]
	.globl	fg_context_switch_saved
	.hidden	fg_context_switch_saved
fg_context_switch_saved:
	ldp	x9, x10, [x1]
	mov	sp, x9
	msr	tpidr_el0, x10
	cbz	x2, 1f
	mov	x0, x3
	blr	x2
1:	ldp	w9, w10, [sp, #160]
	msr	fpcr, x9
	msr	fpsr, x10
	ldp	d14, d15, [sp, #144]
	ldp	d12, d13, [sp, #128]
	ldp	d10, d11, [sp, #112]
	ldp	d8, d9, [sp, #96]
	ldp	x29, x30, [sp, #80]
	ldp	x27, x28, [sp, #64]
	ldp	x25, x26, [sp, #48]
	ldp	x23, x24, [sp, #32]
	ldp	x21, x22, [sp, #16]
	ldp	x19, x20, [sp]
	add	sp, sp, #176
	.cfi_adjust_cfa_offset -176
	ret
	.cfi_endproc
	.size	fg_context_switch, .-fg_context_switch
	.globl	fg_context_switch_end
	.hidden	fg_context_switch_end
fg_context_switch_end:

/* First return address of a made context: calls the entry kept in x19. Unwinding ends here. */
	.globl	fg_context_trampoline
	.hidden	fg_context_trampoline
	.type	fg_context_trampoline, %function
	.p2align 4
fg_context_trampoline:
	.cfi_startproc
	.cfi_undefined x30
	hint	36		/* bti j */
	mov	x29, xzr
	mov	x30, xzr
	blr	x19
	brk	#1
	.cfi_endproc
	.size	fg_context_trampoline, .-fg_context_trampoline

/* Parks the kernel thread: see context.h. (word x0, value w1, stack x2, then x3) */
	.globl	fg_context_park
	.hidden	fg_context_park
	.type	fg_context_park, %function
	.p2align 4
fg_context_park:
	.cfi_startproc
	.cfi_undefined x30
	hint	34		/* bti c */
	mov	sp, x2
	mov	x29, xzr
	mov	x19, x0
	mov	w20, w1
	mov	x21, x3
	stlr	w1, [x0]		/* from here on other threads may use the old stack */
	mov	x1, #129	/* FUTEX_WAKE_PRIVATE */
	mov	x2, #1
	mov	x8, #98		/* futex */
	svc	#0
1:	mov	x0, x19
	mov	x1, #128	/* FUTEX_WAIT_PRIVATE */
	mov	w2, w20
	mov	x3, xzr
	mov	x8, #98
	svc	#0
	ldar	w0, [x19]
	cmp	w0, w20
	b.eq	1b
	sub	sp, sp, #16	/* a context to which no thread goes back */
	mov	x0, sp
	mov	x1, x21
	mov	x2, xzr
	bl	fg_context_switch
	brk	#1
	.cfi_endproc
	.size	fg_context_park, .-fg_context_park
	.globl	fg_context_park_end
	.hidden	fg_context_park_end
fg_context_park_end:

	.section .note.GNU-stack, "", %progbits
