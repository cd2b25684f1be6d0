/* Unit tests of the walk: loops of machine code, walked from registers that a sample could have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "samples/lines.h"
#include "samples/library.h"
#include "samples/walk.h"

#define CODE 0x1000 /* places in the mapping; the page at 0 cannot be read */
#define DATA 0x20000
#define STACK 0x60000
#define MAPPING 0x80000

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

static unsigned char *mapping;
static struct fg_registers sample;
static struct fg_walk walk;

static int
begin(void **state)
{
	mapping = mmap(NULL, MAPPING, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fg_samples_host = NULL;
	memset(&sample, 0, sizeof sample);
	sample.ip = (uintptr_t)mapping + CODE;
	sample.flags = 0x202;
	for (unsigned i = 0; i < 16; i++)
		sample.general[i] = 0x1000000000;
	sample.general[RSP] = sample.stack_at = (uintptr_t)mapping + STACK;
	sample.stack_bytes = sizeof sample.stack;
	return mapping == MAP_FAILED || mprotect(mapping, CODE, PROT_NONE);
}

static int
end(void **state)
{
	return munmap(mapping, MAPPING);
}

#define CODE_IS(...)                                                                                                   \
	do {                                                                                                           \
		const unsigned char text[] = {__VA_ARGS__};                                                            \
		memcpy(mapping + CODE, text, sizeof text);                                                             \
	} while (0)

static void
accesses(unsigned i, uintptr_t place, unsigned bytes, bool write)
{
	assert_true(i < walk.count);
	assert_int_equal(walk.accesses[i].address, place);
	assert_int_equal(walk.accesses[i].bytes, bytes);
	assert_int_equal(walk.accesses[i].write, write);
}

static uintptr_t
data(unsigned at)
{
	return (uintptr_t)mapping + DATA + at;
}

static void
goes_round_a_loop(void **state)
{
	CODE_IS(0x48, 0x8b, 0x08,	/* mov (%rax),%rcx */
		0x48, 0x01, 0x4b, 0x08, /* add %rcx,8(%rbx) */
		0x48, 0x83, 0xc0, 0x10, /* add $16,%rax */
		0xeb, 0xf3);		/* jmp to the begin */
	sample.general[RAX] = data(0);
	sample.general[RBX] = data(0x8000);
	fg_walk(&sample, &walk);
	assert_true(walk.closed);
	assert_int_equal(walk.instructions % 4, 0);
	assert_int_equal(walk.count, walk.instructions / 4 * 3);
	for (unsigned i = 0; i < walk.count / 3; i++) {
		accesses(3 * i, data(16 * i), 8, false);
		accesses(3 * i + 1, data(0x8008), 8, false);
		accesses(3 * i + 2, data(0x8008), 8, true);
	}
}

/* A list: the next address is a value in memory, or one that the walk itself has stored. */
static void
follows_what_loads_give(void **state)
{
	uint64_t first = data(0x100), second = data(0x300);
	CODE_IS(0x48, 0x8b, 0x00, /* mov (%rax),%rax */
		0x48, 0x89, 0x18, /* mov %rbx,(%rax) */
		0x48, 0x8b, 0x08, /* mov (%rax),%rcx */
		0x8a, 0x11,	  /* mov (%rcx),%dl */
		0x0f, 0x0b);	  /* ud2 */
	sample.general[RAX] = data(0);
	sample.general[RBX] = second;
	memcpy(mapping + DATA, &first, sizeof first);
	fg_walk(&sample, &walk);
	assert_false(walk.closed);
	assert_int_equal(walk.count, 4);
	accesses(1, first, 8, true);
	accesses(2, first, 8, false);
	accesses(3, second, 1, false);
	assert_int_equal(*(uint64_t *)(void *)(mapping + DATA + 0x100), 0); /* the walk itself writes nothing */
}

/* The stack comes from the copy, and the rest of it is unknown, although memory has something there. */
static void
takes_the_stack_from_the_sample(void **state)
{
	uint64_t copied = data(0x500), later = data(0x700);
	CODE_IS(0x48, 0x8b, 0x04, 0x24,				/* mov (%rsp),%rax */
		0x8a, 0x00,					/* mov (%rax),%al */
		0x48, 0x8b, 0x84, 0x24, 0x00, 0x10, 0x00, 0x00, /* mov 0x1000(%rsp),%rax */
		0x8a, 0x00, 0x0f, 0x0b);			/* mov (%rax),%al; ud2 */
	memcpy(sample.stack, &copied, sizeof copied);
	memcpy(mapping + STACK, &later, sizeof later);
	memcpy(mapping + STACK + 0x1000, &later, sizeof later);
	fg_walk(&sample, &walk);
	assert_int_equal(walk.instructions, 5);
	assert_int_equal(walk.count, 1);
	accesses(0, copied, 1, false);
}

static void
leaves_thread_local_memory_out(void **state)
{
	CODE_IS(0x64, 0x48, 0x8b, 0x04, 0x25, 0x10, 0, 0, 0, /* mov %fs:0x10,%rax */
		0x8a, 0x00, 0x0f, 0x0b);		     /* mov (%rax),%al; ud2 */
	uint64_t pointed = data(0x900);
	sample.fs_base = data(0);
	memcpy(mapping + DATA + 0x10, &pointed, sizeof pointed);
	fg_walk(&sample, &walk);
	assert_int_equal(walk.count, 1);
	accesses(0, pointed, 1, false);
}

/* rcx comes from an address that is not mapped, so the flags are unknown. */
static void
guesses_branches(void **state)
{
	CODE_IS(0x48, 0x8b, 0x0c, 0x25, 0x10, 0, 0, 0, /* mov 0x10,%rcx */
		0x48, 0x85, 0xc9,		       /* test %rcx,%rcx */
		0x75, 0x02,			       /* jne over the next: not taken */
		0x8a, 0x18,			       /* mov (%rax),%bl */
		0x75, 0xef);			       /* jne to the begin: taken */
	sample.general[RAX] = data(0);
	fg_walk(&sample, &walk);
	assert_true(walk.closed);
	assert_int_equal(walk.instructions % 5, 0);
	accesses(1, data(0), 1, false);
}

/* What is not known, less itself, is zero. */
static void
knows_zero(void **state)
{
	CODE_IS(0x48, 0x8b, 0x0c, 0x25, 0x10, 0, 0, 0, /* mov 0x10,%rcx */
		0x48, 0x8b, 0x14, 0x25, 0x10, 0, 0, 0, /* mov 0x10,%rdx */
		0x31, 0xc9, 0x48, 0x29, 0xd2,	       /* xor %ecx,%ecx; sub %rdx,%rdx */
		0x8a, 0x04, 0x0b, 0x8a, 0x04, 0x13,    /* mov (%rbx,%rcx),%al; mov (%rbx,%rdx),%al */
		0x0f, 0x0b);			       /* ud2 */
	sample.general[RBX] = data(0);
	fg_walk(&sample, &walk);
	assert_int_equal(walk.count, 4);
	accesses(2, data(0), 1, false);
	accesses(3, data(0), 1, false);
}

static void
goes_through_calls(void **state)
{
	CODE_IS(0xe8, 0x04, 0, 0, 0,	/* call over the next two */
		0xeb, 0xf9, 0x90, 0x90, /* jmp to the begin */
		0x8a, 0x00, 0xc3);	/* mov (%rax),%al; ret */
	sample.general[RAX] = data(0);
	memset(sample.stack, 0xee, sizeof sample.stack);
	fg_walk(&sample, &walk);
	assert_true(walk.closed);
	assert_int_equal(walk.instructions % 4, 0);
	accesses(0, data(0), 1, false);
}

static void
sees_the_rest_of_a_repeated_move(void **state)
{
	CODE_IS(0xf3, 0x48, 0xa5, 0x0f, 0x0b); /* rep movsq; ud2 */
	sample.general[RSI] = data(0);
	sample.general[RDI] = data(0x4000);
	sample.general[RCX] = 100;
	fg_walk(&sample, &walk);
	assert_true(walk.closed);
	assert_int_equal(walk.count, 2);
	accesses(0, data(0x4000), 800, true);
	accesses(1, data(0), 800, false);
	sample.flags |= 0x400; /* backwards */
	fg_walk(&sample, &walk);
	accesses(0, data(0x4000) - 792, 800, true);
	sample.general[RCX] = 0;
	fg_walk(&sample, &walk);
	assert_int_equal(walk.count, 0);
	assert_false(walk.closed);
}

/* Memory has a pointer there, but the walk has stored something else over it. */
static void
does_not_know_what_a_repeated_store_leaves(void **state)
{
	uint64_t before = data(0x700);
	CODE_IS(0x90, 0xf3, 0x48, 0xab,	      /* nop; rep stosq */
		0x48, 0x8b, 0x03, 0x8a, 0x00, /* mov (%rbx),%rax; mov (%rax),%al */
		0x0f, 0x0b);		      /* ud2 */
	memcpy(mapping + DATA + 0x108, &before, sizeof before);
	sample.general[RDI] = data(0x100);
	sample.general[RBX] = data(0x108);
	sample.general[RCX] = 2;
	fg_walk(&sample, &walk);
	assert_int_equal(walk.count, 2);
	sample.general[RCX] = 1;
	fg_walk(&sample, &walk);
	assert_int_equal(walk.count, 3);
	accesses(2, before, 1, false);
}

static void
sees_each_lane_of_a_gather(void **state)
{
	CODE_IS(0xc4, 0xe2, 0xf5, 0x92, 0x04, 0xd0, 0x0f, 0x0b); /* vgatherdpd %ymm1,(%rax,%xmm2,8),%ymm0; ud2 */
	const int32_t index[4] = {3, -1, 100, 7};
	sample.general[RAX] = data(0x800);
	sample.vector_bytes = 32;
	memcpy(sample.vector[2], index, sizeof index);
	fg_walk(&sample, &walk);
	assert_int_equal(walk.count, 4);
	for (unsigned i = 0; i < 4; i++)
		accesses(i, data(0x800) + (uintptr_t)(8 * (intptr_t)index[i]), 8, false);
	sample.vector_bytes = 0;
	fg_walk(&sample, &walk);
	assert_int_equal(walk.count, 0);
}

static void
is_empty_behind_a_system_call(void **state)
{
	CODE_IS(0x0f, 0x05, 0x8a, 0x00, 0xeb, 0xfc); /* syscall; mov (%rax),%al; jmp behind syscall */
	sample.general[RAX] = data(0);
	sample.ip += 2;
	fg_walk(&sample, &walk);
	assert_int_equal(walk.instructions, 0);
	assert_int_equal(walk.count, 0);
	mapping[CODE] = 0x90;
	fg_walk(&sample, &walk);
	assert_true(walk.closed);
	assert_true(walk.count > 0);
}

/* Nobody is killed: code that is not there, ends at a page that cannot be read, or is no code. */
static void
ends_where_there_is_no_code(void **state)
{
	sample.ip = (uintptr_t)mapping;
	fg_walk(&sample, &walk);
	assert_int_equal(walk.instructions, 0);
	sample.ip = 0xffffffffff600000; /* the old page of system calls */
	fg_walk(&sample, &walk);
	assert_int_equal(walk.count, 0);
	sample.ip = UINT64_MAX;
	fg_walk(&sample, &walk);
	assert_int_equal(walk.instructions, 0);
	sample.ip = (uintptr_t)mapping + MAPPING - 1;
	mapping[MAPPING - 1] = 0x90;
	fg_walk(&sample, &walk);
	assert_false(walk.closed);
	sample.ip = (uintptr_t)mapping + CODE;
	mapping[CODE] = 0x06;
	fg_walk(&sample, &walk);
	assert_int_equal(walk.instructions, 0);
}

/* Such code can only be executed, where the processor has keys for pages. The kernel may read it or refuse. */
static void
lives_with_code_that_cannot_be_read(void **state)
{
	CODE_IS(0x8a, 0x00, 0xeb, 0xfc); /* mov (%rax),%al; jmp to the begin */
	sample.general[RAX] = data(0);
	assert_int_equal(mprotect(mapping + CODE, 0x1000, PROT_EXEC), 0);
	fg_walk(&sample, &walk);
	assert_true(walk.closed == (walk.count > 0));
	assert_int_equal(mprotect(mapping + CODE, 0x1000, PROT_READ | PROT_WRITE), 0);
}

/* The code changes between two walks: what was kept of it does not count. */
static void
decodes_changed_code_anew(void **state)
{
	CODE_IS(0x8a, 0x00, 0xeb, 0xfc); /* mov (%rax),%al; jmp to the begin */
	sample.general[RAX] = data(0);
	sample.general[RBX] = data(0x40);
	fg_walk(&sample, &walk);
	accesses(0, data(0), 1, false);
	CODE_IS(0x8a, 0x03, 0xeb, 0xfc); /* mov (%rbx),%al; jmp to the begin */
	fg_walk(&sample, &walk);
	accesses(0, data(0x40), 1, false);
}

/* An endless run of instructions, and more accesses than there is room for. */
static void
has_an_end(void **state)
{
	memset(mapping + CODE, 0x90, 0x1000); /* nop */
	for (unsigned i = 0; i < 8; i++) {
		fg_walk(&sample, &walk);
		assert_false(walk.closed);
		assert_true(walk.instructions <= 512);
	}
	for (unsigned i = 0; i < 0x1000; i += 2)
		memcpy(mapping + CODE + i, (const unsigned char[]){0x8a, 0x18}, 2); /* mov (%rax),%bl */
	sample.general[RAX] = data(0);
	for (unsigned i = 0; i < 8; i++)
		fg_walk(&sample, &walk);
	assert_false(walk.closed);
	assert_int_equal(walk.count, FG_WALK_ACCESSES);
}

static bool
only_files(enum fg_sandbox_call call)
{
	return call == FG_SANDBOX_FILES;
}

static bool
nothing(enum fg_sandbox_call call)
{
	(void)call;
	return false;
}

/* Where process_vm_readv is refused, a file of /proc serves. Without both there is no code, so the walk is empty. */
static void
has_a_second_way_to_read(void **state)
{
	CODE_IS(0x8a, 0x00, 0xeb, 0xfc); /* mov (%rax),%al; jmp to the begin */
	sample.general[RAX] = data(0);
	fg_samples_host = &(struct fg_samples_library){.sandbox_allows = only_files};
	fg_walk(&sample, &walk);
	assert_true(walk.closed);
	accesses(0, data(0), 1, false);
	fg_samples_host = &(struct fg_samples_library){.sandbox_allows = nothing};
	fg_walk(&sample, &walk);
	assert_int_equal(walk.instructions, 0);
}

#define EACH(function) cmocka_unit_test_setup_teardown(function, begin, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(goes_round_a_loop),
		EACH(follows_what_loads_give),
		EACH(takes_the_stack_from_the_sample),
		EACH(leaves_thread_local_memory_out),
		EACH(guesses_branches),
		EACH(knows_zero),
		EACH(goes_through_calls),
		EACH(sees_the_rest_of_a_repeated_move),
		EACH(does_not_know_what_a_repeated_store_leaves),
		EACH(sees_each_lane_of_a_gather),
		EACH(is_empty_behind_a_system_call),
		EACH(ends_where_there_is_no_code),
		EACH(lives_with_code_that_cannot_be_read),
		EACH(decodes_changed_code_anew),
		EACH(has_an_end),
		EACH(has_a_second_way_to_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
