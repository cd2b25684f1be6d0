/* The contexts of virtual threads on this one kernel thread: stacks, switches, images of the thread-local storage. They
 * take the place of platform/context.c. */
#include "internal.h"
#include "platform/context.h"
#include <link.h>
#include <stdlib.h>
#include <string.h>

static char *tls_block, *tls_first;
static size_t tls_size;

/* The machine's part. It pushes the registers that the ABI keeps over a call, and changes stacks. */
void model_first(void);
#if defined(__x86_64__)
__asm__(".globl model_swap\nmodel_swap:\n"
	"push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
	".globl model_first\nmodel_first:\nxor %ebp,%ebp\ncall *%rbx\nud2\n");
void *
model_stack_begin(char *top, void (*entry)(void))
{
	uintptr_t *frame = (uintptr_t *)top - 9; /* the stack is aligned where model_first calls */
	memset(frame, 0, 72);
	frame[4] = (uintptr_t)entry; /* rbx */
	frame[6] = (uintptr_t)model_first;
	return frame;
}
#elif defined(__aarch64__)
__asm__(".globl model_swap\nmodel_swap:\n"
	"sub sp,sp,#160\nstp x19,x20,[sp]\nstp x21,x22,[sp,#16]\nstp x23,x24,[sp,#32]\nstp x25,x26,[sp,#48]\n"
	"stp x27,x28,[sp,#64]\nstp x29,x30,[sp,#80]\nstp d8,d9,[sp,#96]\nstp d10,d11,[sp,#112]\n"
	"stp d12,d13,[sp,#128]\nstp d14,d15,[sp,#144]\nmov x9,sp\nstr x9,[x0]\nmov sp,x1\n"
	"ldp x19,x20,[sp]\nldp x21,x22,[sp,#16]\nldp x23,x24,[sp,#32]\nldp x25,x26,[sp,#48]\n"
	"ldp x27,x28,[sp,#64]\nldp x29,x30,[sp,#80]\nldp d8,d9,[sp,#96]\nldp d10,d11,[sp,#112]\n"
	"ldp d12,d13,[sp,#128]\nldp d14,d15,[sp,#144]\nadd sp,sp,#160\nret\n"
	".globl model_first\nmodel_first:\nblr x19\nbrk #1\n");
void *
model_stack_begin(char *top, void (*entry)(void))
{
	uintptr_t *frame = (uintptr_t *)top - 20;
	memset(frame, 0, 160);
	frame[0] = (uintptr_t)entry;
	frame[11] = (uintptr_t)model_first;
	return frame;
}
#endif

static int
tls_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS) {
			tls_block = info->dlpi_tls_data;
			tls_size = info->dlpi_phdr[i].p_memsz;
		}
	return 1; /* only the program itself, which comes first */
}

void
model_tls_init(void)
{
	dl_iterate_phdr(tls_find, NULL);
	tls_first = malloc(tls_size + 1);
	memcpy(tls_first, tls_block, tls_size);
	/* errno and the like: everything near the thread pointer belongs to the running thread */
	char *self = __builtin_thread_pointer();
	model_plain_tls(self - (64 << 10), self + (8 << 10));
}

void *
model_tls_new(void)
{
	return memcpy(model_alloc(tls_size + 16), tls_first, tls_size);
}

void *
fg_context_tls(void)
{
	if (!model_current()->tls)
		model_current()->tls = model_tls_new();
	return model_current()->tls;
}

void
model_tls_out(void)
{
	memcpy(fg_context_tls(), tls_block, tls_size);
}

void
model_tls_in(const void *image)
{
	memcpy(tls_block, image ? image : tls_first, tls_size);
}

void
fg_context_init(void)
{
}

void
model_callback_run(void)
{
	struct model_thread *t = model_current();
	void (*callback)(void *) = t->callback;
	t->callback = NULL;
	if (callback)
		callback(t->callback_arg);
}

static void
context_begin(void)
{
	register void (*entry)(void) __asm__(
#if defined(__x86_64__)
		"r12"
#else
		"x20"
#endif
	);
	void (*go)(void) = entry;
	model_callback_run();
	go();
}

/* The runtime's own switch, within a virtual kernel thread. The thread-local storage is an image that goes with the
 * context. */
void
fg_context_make(struct fg_context *context, void *top, void *tls, void (*entry)(void))
{
	uintptr_t *frame = context->sp = model_stack_begin(top, context_begin);
#if defined(__x86_64__)
	frame[3] = (uintptr_t)entry; /* r12 */
#else
	frame[1] = (uintptr_t)entry; /* x20 */
#endif
	context->tls = tls ? tls : model_tls_new();
}

void
fg_context_switch(struct fg_context *from, const struct fg_context *to, void (*callback)(void *), void *arg)
{
	struct model_thread *t = model_current();
	t->callback = callback;
	t->callback_arg = arg;
	model_plain_touch(from, sizeof from->sp, true, __builtin_return_address(0));
	model_plain_touch(to, sizeof *to, false, __builtin_return_address(0));
	model_tls_out();
	t->tls = to->tls;
	model_tls_in(t->tls);
	model_swap(&from->sp, to->sp);
	model_callback_run();
}
