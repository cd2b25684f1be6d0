/* Where a thread stands: reading memory that may be gone, objects, unwinding from contexts, signals and system calls.
 * */
#include "platform/kernel_thread.h"
#include "stuck/library.h"
#include "stuck/object.h"
#include "stuck/peek.h"
#include "stuck/place.h"
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

static int
begin(void **state)
{
	(void)state;
	fg_library = &fg_stuck_library;
	if (!fg_peek_begin())
		return -1;
	fg_objects_find();
	return 0;
}

static int
end(void **state)
{
	(void)state;
	fg_objects_forget();
	fg_peek_end();
	return 0;
}

static void
memory(void **state)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), copy[16];
	memcpy(page + 4096 - 8, "12345678abcdefg", 16);
	assert_true(fg_peek((uintptr_t)page + 4096 - 8, copy, 16));
	assert_string_equal(copy, "12345678abcdefg");
	munmap(page + 4096, 4096);
	assert_false(fg_peek((uintptr_t)page + 4096 - 8, copy, 16));
	assert_true(fg_peek((uintptr_t)page + 4096 - 8, copy, 8));
	assert_false(fg_peek(0, copy, 8));
	assert_false(fg_peek(UINTPTR_MAX - 4, copy, 8));
	munmap(page, 4096);
}

static int variable[4];

static void
names(void **state)
{
	char name[200];
	const struct fg_object *object = fg_object_of((uintptr_t)names, false);
	assert_non_null(object);
	assert_non_null(strstr(object->path, "unit_place"));
	assert_null(fg_object_of((uintptr_t)variable, false));
	assert_ptr_equal(fg_object_of((uintptr_t)variable, true), object);
	assert_true(fg_place_variable((uintptr_t)&variable[1], name, sizeof name));
	assert_string_equal(name, "variable+0x4");
	fg_place_name((uintptr_t)names, false, name, sizeof name);
	assert_memory_equal(name, "names (unit_place+0x", 20);
	fg_place_name((uintptr_t)names + 5, true, name, sizeof name);
	assert_memory_equal(name, "names+0x5 (unit_place+0x", 24);
	assert_null(fg_object_of(16, true));
	fg_place_name(16, false, name, sizeof name);
	assert_string_equal(name, "0x10");
}

/* The functions below that have not returned, from where `unwind` stands. */
static char chain[1000];

static void
chain_of(struct fg_unwind *unwind)
{
	chain[0] = '\0';
	for (unsigned i = 0; i < 50; i++) {
		char name[200];
		fg_place_name(unwind->pc, unwind->called, name, sizeof name);
		name[strcspn(name, "+ ")] = '\0';
		strncat(chain, name, sizeof chain - strlen(chain) - 2);
		strcat(chain, " ");
		if (fg_unwind_step(unwind) != FG_UNWIND_WENT)
			return;
	}
}

static struct fg_context here, there;
static _Alignas(16) char stack[65536];

__attribute__((noipa)) static void
inner(void)
{
	fg_context_switch(&there, &here, NULL, NULL);
	__asm__ volatile("" ::: "memory");
}

/* Its frame has a size that is not known before. */
__attribute__((noipa)) static void
middle(unsigned size)
{
	char room[size];
	memset(room, 1, size);
	__asm__ volatile("" ::"r"(room) : "memory");
	inner();
	__asm__ volatile("" ::"r"(room) : "memory");
}

static void
entry(void)
{
	middle(100);
	inner();
	__asm__ volatile("" ::: "memory");
}

static void
of_context(void **state)
{
	struct fg_unwind unwind;
	fg_context_init();
	here.tls = fg_context_tls();
	fg_context_make(&there, stack + sizeof stack, fg_context_tls(), entry);
	fg_context_switch(&here, &there, NULL, NULL);
	assert_true(fg_unwind_context(&unwind, &there));
	chain_of(&unwind);
	assert_non_null(strstr(chain, "inner middle entry fg_context_trampoline "));
	fg_context_switch(&here, &there, NULL, NULL);
	assert_true(fg_unwind_context(&unwind, &there));
	chain_of(&unwind);
	assert_non_null(strstr(chain, "inner entry fg_context_trampoline "));
}

static volatile sig_atomic_t handled;

static void
handler(int number, siginfo_t *info, void *context)
{
	struct fg_unwind unwind;
	(void)number, (void)info;
	fg_unwind_signal(&unwind, context);
	chain_of(&unwind);
	handled = 1;
}

/* The word that a signal meets behind its frame stands exactly there. */
__attribute__((noipa)) static void
interrupted(void)
{
	while (!handled)
		;
}

static void
handler_within(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info, (void)context;
	inner();
	handled = 1;
}

static void
in_handler(void)
{
	raise(SIGUSR1);
	__asm__ volatile("" ::: "memory");
}

static void
of_signal(void **state)
{
#ifdef __SANITIZE_THREAD__
	skip(); /* handlers are called by it, and later */
#endif
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	struct fg_unwind unwind;
	sigaction(SIGALRM, &action, NULL);
	ualarm(10000, 0);
	interrupted();
	assert_memory_equal(chain, "interrupted of_signal ", 22);
	/* A context that was switched away from within a handler. */
	handled = 0;
	action.sa_sigaction = handler_within;
	action.sa_flags |= SA_NODEFER;
	sigaction(SIGUSR1, &action, NULL);
	fg_context_make(&there, stack + sizeof stack, fg_context_tls(), in_handler);
	fg_context_switch(&here, &there, NULL, NULL);
	assert_true(fg_unwind_context(&unwind, &there));
	chain_of(&unwind);
	assert_non_null(strstr(chain, "inner handler_within "));
#ifdef __x86_64__
	assert_non_null(strstr(chain, " in_handler fg_context_trampoline "));
#endif
}

static int pipe_ends[2], sleeper_tid;

static void *
sleeper(void *arg)
{
	char byte;
	__atomic_store_n(&sleeper_tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
	assert_int_equal(read(pipe_ends[0], &byte, 1), 1);
	return arg;
}

static void
of_system_call(void **state)
{
	pthread_t thread;
	struct fg_kernel_thread kernel;
	struct fg_unwind unwind;
	struct fg_place place = {0};
	(void)place;
	assert_int_equal(pipe(pipe_ends), 0);
	assert_int_equal(pthread_create(&thread, NULL, sleeper, NULL), 0);
	unsigned looks = 0;
	do {
		usleep(1000);
		fg_kernel_thread_look(__atomic_load_n(&sleeper_tid, __ATOMIC_ACQUIRE), &kernel);
	} while (++looks < 5000 && (kernel.state != FG_KERNEL_CALL || kernel.call != SYS_read));
	if (looks == 5000) {
		assert_int_equal(write(pipe_ends[1], "", 1), 1);
		pthread_join(thread, NULL);
		skip(); /* no such file in /proc; or, under qemu-user, another processor's numbers in it */
	}
	assert_string_equal(fg_kernel_call_name(kernel.call), "read");
	assert_int_equal(kernel.argument, pipe_ends[0]);
	fg_unwind_kernel(&unwind, kernel.sp, kernel.pc);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) /* whose read() is not the C library's */
	chain_of(&unwind);
	assert_non_null(strstr(chain, " sleeper "));
	/* This program has the runtime in it, so all of it is the runtime's. */
	fg_unwind_kernel(&unwind, kernel.sp, kernel.pc);
	fg_place_find(&unwind, &place);
	assert_true(place.pc == 0 && place.end && !place.near);
	assert_true(fg_place_within(&place, (uintptr_t)sleeper) > 0);
#endif
	assert_true(fg_kernel_thread_used(sleeper_tid) > 0);
	assert_int_equal(write(pipe_ends[1], "", 1), 1);
	pthread_join(thread, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(memory, begin, end),
		cmocka_unit_test_setup_teardown(names, begin, end),
		cmocka_unit_test_setup_teardown(of_context, begin, end),
		cmocka_unit_test_setup_teardown(of_signal, begin, end),
		cmocka_unit_test_setup_teardown(of_system_call, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
