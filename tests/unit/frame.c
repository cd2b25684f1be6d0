/* Signal frames (platform/frame.c): with a frame that was moved, or without the kernel's help, all registers, flags and
 * the mask are as they were. */
#define _GNU_SOURCE
#include "platform/frame.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#define ALTERNATE 65536
static char alternate[ALTERNATE];
static volatile sig_atomic_t returned, handled;

static bool
is_alternate(const void *address)
{
	return (uintptr_t)address - (uintptr_t)alternate < ALTERNATE;
}

static void
give_alternate(void)
{
	stack_t stack = {.ss_sp = alternate, .ss_size = ALTERNATE};
	assert_int_equal(sigaltstack(&stack, NULL), 0);
}

static void
install_handler(void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	handled = returned = 0;
}

/* A handler uses all registers that it may. */
static void
spoil(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pxor %%xmm0, %%xmm0\n\tpxor %%xmm7, %%xmm7\n\tpxor %%xmm15, %%xmm15\n\tfninit" ::
				 : "xmm0", "xmm7", "xmm15");
#else
	__asm__ volatile("movi v0.2d, #0\n\tmovi v9.2d, #0\n\tmovi v31.2d, #0" ::: "v0", "v9", "v31");
#endif
}

/* The alternate stack is free now. */
static void
on_moved(int signal, siginfo_t *info, void *context)
{
	memset(alternate, 0xee, ALTERNATE);
	spoil();
	handled += signal == SIGUSR1 && info->si_signo == SIGUSR1 && !is_alternate(&signal) && !is_alternate(info) &&
		   !is_alternate(context);
}

static volatile uintptr_t low;

static void
on_alternate(int signal, siginfo_t *info, void *context)
{
	if (fg_frame_is_alternate(context) && !fg_frame_met_alternate(context))
		fg_frame_move(&(struct fg_frame_move){on_moved, low, __builtin_frame_address(0)}, signal, info,
			      context);
	returned++;
}

static void
start_timer(timer_t *timer)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	const struct itimerspec every = {{0, 50000}, {0, 50000}};
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, timer), 0);
	assert_int_equal(timer_settime(*timer, 0, &every, NULL), 0);
}

__attribute__((noinline)) static double
series(int terms)
{
	double sum = 0, sign = 1;
	__asm__ volatile("" : "+r"(terms)); /* each call is made */
	for (int i = 0; i < terms; i++, sign = -sign)
		sum += sign / (2 * i + 1);
	return sum;
}

/* A timer's signals come anywhere. The frame goes to the stack that they met, and the handler's return leads back. */
static void
moved(void **state)
{
	(void)state;
	timer_t timer;
	low = 0;
	give_alternate();
	install_handler(on_alternate, SA_ONSTACK);
	double first = series(10000);
	start_timer(&timer);
	for (int i = 0; i < 10000; i++)
		assert_true(series(10000) == first);
	timer_delete(timer);
	assert_true(handled > 0);
	assert_int_equal(returned, 0);
}

/* With no room for it the frame stays. */
static void
no_room(void **state)
{
	(void)state;
	give_alternate();
	install_handler(on_alternate, SA_ONSTACK);
	low = (uintptr_t)__builtin_frame_address(0) - 1024;
	raise(SIGUSR1);
	low = (uintptr_t)__builtin_frame_address(0) + 65536;
	raise(SIGUSR1);
	assert_int_equal(handled, 0);
	assert_int_equal(returned, 2);
}

/* A handler that was interrupted on the alternate stack is left alone; one without such a stack as well. */
static void
on_nested(int signal, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	struct sigaction action = {.sa_sigaction = on_alternate, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigaction(SIGUSR2, &action, NULL);
	(void)signal;
	raise(SIGUSR2);
}

static void
nested(void **state)
{
	(void)state;
	low = 0;
	give_alternate();
	struct sigaction action = {.sa_sigaction = on_nested, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigaction(SIGUSR1, &action, NULL);
	handled = returned = 0;
	raise(SIGUSR1);
	assert_int_equal(returned, 1);
	stack_t none = {.ss_flags = SS_DISABLE};
	sigaltstack(&none, NULL);
	install_handler(on_alternate, SA_ONSTACK);
	raise(SIGUSR1);
	assert_int_equal(returned, 1);
	assert_int_equal(handled, 0);
}

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

/* A stack that the kernel disarms while a handler is on it is armed again when the frame has left it. */
static volatile sig_atomic_t armed;

static void
on_moved_armed(int signal, siginfo_t *info, void *context)
{
	stack_t stack;
	armed = sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE);
	on_moved(signal, info, context);
}

static void
on_disarmed(int signal, siginfo_t *info, void *context)
{
	fg_frame_move(&(struct fg_frame_move){on_moved_armed, low, __builtin_frame_address(0)}, signal, info, context);
	returned++;
}

static void
disarmed(void **state)
{
	(void)state;
	stack_t stack = {.ss_sp = alternate, .ss_size = ALTERNATE, .ss_flags = (int)SS_AUTODISARM};
	low = 0;
	if (sigaltstack(&stack, NULL) != 0)
		skip(); /* qemu-user knows no such stacks */
	install_handler(on_disarmed, SA_ONSTACK);
	for (int i = 0; i < 3; i++) {
		armed = 0;
		raise(SIGUSR1);
		assert_true(armed);
	}
	assert_int_equal(handled, 3);
	assert_int_equal(sigaltstack(NULL, &stack), 0);
	assert_ptr_equal(stack.ss_sp, alternate);
}

#define MOVES cmocka_unit_test(moved), cmocka_unit_test(no_room), cmocka_unit_test(nested), cmocka_unit_test(disarmed)

#if defined(__x86_64__)

#define VECTORS 16
#define WIDTH 64

static void
on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	handled++;
	spoil();
	fg_frame_resume(context);
	returned = 1;
}

static bool moves;

static void
install(void)
{
	low = 0;
	if (moves) {
		give_alternate();
		install_handler(on_alternate, SA_ONSTACK);
	} else
		install_handler(on_signal, 0);
}

static int
resume_there(void **state)
{
	(void)state;
	moves = false;
	return 0;
}

static int
move_there(void **state)
{
	(void)state;
	moves = true;
	return 0;
}

/* With all general registers, a flag and the red zone in use. The kernel's two registers are lost in a system call. */
__attribute__((noinline)) static uint64_t
registers_kept(uint64_t process)
{
	uint64_t wrong = 62 /* kill */, first = process, second = SIGUSR1;
	__asm__ volatile(
		"movq $0x1111, %%rbx\n\tmovq $0x2222, %%rdx\n\tmovq $0x3333, %%r8\n\tmovq $0x4444, %%r9\n\t"
		"movq $0x5555, %%r10\n\tmovq $0x6666, %%r12\n\tmovq $0x7777, %%r13\n\tmovq $0x8888, %%r14\n\t"
		"movq $0x9999, %%r15\n\tmovq $0xbbbb, -120(%%rsp)\n\t"
		"stc\n\tsyscall\n\t"
		"setnc %%cl\n\tmovzbl %%cl, %%ecx\n\torq %%rcx, %%rax\n\t"
		"xorq $0x1111, %%rbx\n\torq %%rbx, %%rax\n\txorq $0x2222, %%rdx\n\torq %%rdx, %%rax\n\t"
		"xorq $0x3333, %%r8\n\torq %%r8, %%rax\n\txorq $0x4444, %%r9\n\torq %%r9, %%rax\n\t"
		"xorq $0x5555, %%r10\n\torq %%r10, %%rax\n\txorq $0x6666, %%r12\n\torq %%r12, %%rax\n\t"
		"xorq $0x7777, %%r13\n\torq %%r13, %%rax\n\txorq $0x8888, %%r14\n\torq %%r14, %%rax\n\t"
		"xorq $0x9999, %%r15\n\torq %%r15, %%rax\n\txorq $0xbbbb, -120(%%rsp)\n\torq -120(%%rsp), %%rax"
		: "+a"(wrong), "+D"(first), "+S"(second)
		:
		: "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory");
	return wrong | (first ^ process) | (second ^ SIGUSR1);
}

static void
general_registers(void **state)
{
	(void)state;
	install();
	for (int i = 0; i < 100; i++)
		assert_int_equal(registers_kept((uint64_t)getpid()), 0);
	assert_int_equal(handled, 100);
	assert_int_equal(returned, 0);
}

#define EACH(do)                                                                                                       \
	do                                                                                                             \
	(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11) do(12) do(13) do(14) do(15)
#define LOAD(n) "vmovups " #n "*64(%[in]), %%ymm" #n "\n\t"
#define KEEP(n) "vmovups %%ymm" #n ", " #n "*64(%[out])\n\t"

/* In one piece: the compiler has no say in between. */
__attribute__((noinline)) static void
vectors_through(const char *in, char *out, uint64_t turns)
{
	__asm__ volatile(EACH(LOAD) "1: decq %[turns]\n\tjnz 1b\n\t" EACH(KEEP)
			 : [turns] "+r"(turns)
			 : [in] "r"(in), [out] "r"(out)
			 : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

/* A timer's signals come anywhere; many are on their way at once. */
static void
vector_registers(void **state)
{
	(void)state;
	static char in[VECTORS * WIDTH], out[VECTORS * WIDTH];
	if (!__builtin_cpu_supports("avx"))
		skip();
	install();
	for (int i = 0; i < VECTORS * WIDTH; i++)
		in[i] = (char)(7 * i + 1);
	timer_t timer;
	start_timer(&timer);
	for (int i = 0; i < 2000; i++) {
		memset(out, 0, sizeof out);
		vectors_through(in, out, 100000);
		for (int k = 0; k < VECTORS; k++)
			assert_memory_equal(in + k * WIDTH, out + k * WIDTH, 32);
	}
	timer_delete(timer);
	assert_true(handled > 0);
	assert_int_equal(returned, 0);
}

/* The x87's and SSE's modes and flags, which the handler has changed. */
static void
modes(void **state)
{
	(void)state;
	install();
	const uint16_t control = 0xb7f; /* rounds up */
	const uint32_t mxcsr = 0x5f80 | 0x20;
	uint16_t control_now, status_now;
	uint32_t mxcsr_now;
	__asm__ volatile("fldcw %0\n\tldmxcsr %1\n\tfldpi\n\tfmul %%st(0)\n\tfstp %%st(0)"
			 :
			 : "m"(control), "m"(mxcsr));
	raise(SIGUSR1);
	__asm__ volatile("fnstcw %0\n\tstmxcsr %1\n\tfnstsw %2" : "=m"(control_now), "=m"(mxcsr_now), "=m"(status_now));
	__asm__ volatile("fninit");
	const uint32_t usual = 0x1f80;
	__asm__ volatile("ldmxcsr %0" : : "m"(usual));
	assert_int_equal(control_now, control);
	assert_int_equal(mxcsr_now, mxcsr);
	assert_int_equal(status_now & 0x7f, 0x20);
	assert_int_equal(handled, 1);
}

/* Signals that the handler blocks are unblocked again; signals that were blocked before are not. */
static void
mask(void **state)
{
	(void)state;
	install();
	sigset_t before, after;
	sigemptyset(&before);
	sigaddset(&before, SIGCHLD);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	raise(SIGUSR1);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_int_equal(handled, 1);
	for (int signal = 1; signal < SIGRTMIN; signal++)
		assert_int_equal(sigismember(&after, signal), sigismember(&before, signal));
	sigemptyset(&before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The kernel's return does where no frame has registers of AMX. */
static volatile sig_atomic_t asked;

static void
on_signal_returns(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	fg_frame_return(context);
	asked++;
}

static void
without_amx(void **state)
{
	(void)state;
	struct sigaction action = {.sa_sigaction = on_signal_returns, .sa_flags = SA_SIGINFO};
	sigaction(SIGUSR1, &action, NULL);
	asked = 0;
	raise(SIGUSR1);
	uint32_t low, high;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	assert_int_equal(asked, low >> 18 & 1 ? 0 : 1);
}

#define EITHER_WAY(test) cmocka_unit_test_setup(test, resume_there), cmocka_unit_test_setup(test, move_there)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		EITHER_WAY(general_registers),
		EITHER_WAY(vector_registers),
		EITHER_WAY(modes),
		EITHER_WAY(mask),
		cmocka_unit_test(without_amx),
		MOVES,
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

/* There the kernel is always asked. */
static void
returns(void **state)
{
	(void)state;
	fg_frame_return(NULL);
	fg_frame_resume(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(returns), MOVES};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
