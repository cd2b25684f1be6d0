// Each wrong call gets one line on stderr, which names the fault and its consequence. The calls have unknown traits,
// handles and alignments of allocators, or an event that is fulfilled twice, or that is none. In debug builds, a thread
// unsets a lock that it does not hold.
// stock: fails (libgomp says nothing of most of them)
#include "check.h"
#include <link.h>
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>


static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static void
init(int space, int key, uintptr_t value)
{
	omp_alloctrait_t trait = {(omp_alloctrait_key_t)key, value};
	CHECK(omp_init_allocator((omp_memspace_handle_t)space, 1, &trait) == omp_null_allocator);
}

static void
unknown_space(void)
{
	init(77, omp_atk_alignment, 16);
}

static void
unknown_trait(void)
{
	init(0, 99, 1);
}

static void
odd_alignment(void)
{
	init(0, omp_atk_alignment, 24);
}

static void
odd_pinned(void)
{
	init(0, omp_atk_pinned, 7);
}

static void
odd_partition(void)
{
	init(0, omp_atk_partition, omp_atv_allocator_fb);
}

static void
no_allocator(void)
{
	CHECK(!omp_alloc(10, (omp_allocator_handle_t)4000));
}

static void
odd_request(void)
{
	CHECK(!omp_aligned_alloc(48, 96, omp_default_mem_alloc));
}

static int bodies;

static void
fulfilled_twice(void)
{
	omp_event_handle_t event;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task detach(event)
		__atomic_fetch_add(&bodies, 1, __ATOMIC_RELAXED);
		omp_fulfill_event(event);
		omp_fulfill_event(event);
		CHECK(0, "it went on");
	}
}

static void
fulfilled_twice_inside(void)
{
	omp_event_handle_t event;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task detach(event)
		{
			omp_fulfill_event(event);
			omp_fulfill_event(event);
			CHECK(0, "it went on");
		}
	}
}

static omp_event_handle_t
event_of_a_region(void)
{
	omp_event_handle_t event;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task detach(event)
		__atomic_fetch_add(&bodies, 1, __ATOMIC_RELAXED);
		omp_fulfill_event(event);
	}
	return event;
}

static void
fulfilled_after_its_region(void)
{
	omp_event_handle_t event = event_of_a_region();
	omp_fulfill_event(event);
	CHECK(0, "it went on");
}

static void
fulfilled_after_others(void)
{
	omp_event_handle_t event = event_of_a_region();
	for (int i = 0; i < 100; i++)
		event_of_a_region();
	omp_fulfill_event(event);
	CHECK(0, "it went on");
}

static void
no_event(void)
{
	omp_event_handle_t event = event_of_a_region();
	omp_fulfill_event((omp_event_handle_t)((uintptr_t)event + 1000000));
}

static void
free_lock(void)
{
	omp_unset_lock(&lock);
	omp_set_lock(&lock);
	CHECK(!omp_test_lock(&lock));
	omp_unset_lock(&lock);
	CHECK(omp_test_lock(&lock));
}

static void *
unset(void *unused)
{
	omp_unset_lock(&lock);
	return unused;
}

static void
lock_of_another(void)
{
	pthread_t thread;
	omp_set_lock(&lock);
	CHECK(pthread_create(&thread, NULL, unset, NULL) == 0);
	pthread_join(thread, NULL);
	CHECK(omp_test_lock(&lock));
	omp_unset_lock(&lock);
}

static void *
unset_nest(void *unused)
{
	omp_unset_nest_lock(&nest_lock);
	return unused;
}

/* Without the checks it is free then. */
static void
nest_lock_of_another(void)
{
	pthread_t thread;
	omp_set_nest_lock(&nest_lock);
	CHECK(pthread_create(&thread, NULL, unset_nest, NULL) == 0);
	pthread_join(thread, NULL);
	CHECK(omp_test_nest_lock(&nest_lock));
}

enum when { ALWAYS, DEBUG };
static const struct {
	void (*call)(void);
	const char *text;
	int status;
	enum when when;
} calls[] = {
	{unknown_space, "omp_init_allocator: there is no memory space 77", 0, ALWAYS},
	{unknown_trait, "omp_init_allocator: there is no trait 99", 0, ALWAYS},
	{odd_alignment, "omp_atk_alignment cannot be 24; it is a power of two; no allocator is made", 0, ALWAYS},
	{odd_pinned, "omp_atk_pinned cannot be 7; it is true or false; no allocator is made", 0, ALWAYS},
	{odd_partition, "omp_atk_partition cannot be 14; it is environment, nearest, blocked or interleaved", 0,
	 ALWAYS},
	{no_allocator, "4000 is no allocator", 0, ALWAYS},
	{odd_request, "48 is no alignment", 0, ALWAYS},
	{fulfilled_twice, "event already fulfilled", 1, ALWAYS},
	{fulfilled_twice_inside, "event already fulfilled", 1, ALWAYS},
	{fulfilled_after_its_region, "event already fulfilled", 1, ALWAYS},
	{fulfilled_after_others, "event already fulfilled", 1, ALWAYS},
	{no_event, "is no event handle, the handle of a detach clause is wanted; ignored", 0, ALWAYS},
	{free_lock, "omp_unset_lock: nobody holds the lock", 0, DEBUG},
	{lock_of_another, "omp_unset_lock: the lock at", 0, DEBUG},
	{nest_lock_of_another, "omp_unset_nest_lock: another task holds the lock", 0, DEBUG},
};

/* Only a library with its assertions has this text. */
static int
with_assertions(struct dl_phdr_info *info, size_t size, void *unused)
{
	static const char text[] = "is called outside the runtime";
	(void)size, (void)unused;
	if (!strstr(info->dlpi_name, "libgomp"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		if (part->p_type == PT_LOAD && (part->p_flags & (PF_R | PF_W)) == PF_R &&
		    memmem((const char *)info->dlpi_addr + part->p_vaddr, part->p_filesz, text, sizeof text - 1))
			return 1;
	}
	return 0;
}

static void
run(unsigned number)
{
	char text[4000] = "";
	int out[2], status = -1;
	size_t got = 0;
	CHECK(pipe(out) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(out[1], STDERR_FILENO);
		close(out[0]);
		close(out[1]);
		calls[number].call();
		exit(check_failures ? 9 : 0);
	}
	close(out[1]);
	for (ssize_t r; (r = read(out[0], text + got, sizeof text - 1 - got)) > 0;)
		got += (size_t)r;
	close(out[0]);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == calls[number].status,
	      "call %u: status %x: %s", number, status, text);
	if (calls[number].when == ALWAYS || dl_iterate_phdr(with_assertions, NULL)) {
		char *first = strstr(text, calls[number].text);
		CHECK(first, "call %u: no \"%s\" in \"%s\"", number, calls[number].text, text);
		/* libgomp's lines have an empty one before them. */
		CHECK(strncmp(text, "\nlibgomp: ", 10) == 0 && strchr(text + 1, '\n') == text + got - 1,
		      "call %u: not one line: %s", number, text);
	} else {
		CHECK(got == 0, "call %u: %s", number, text);
	}
}

int
main(void)
{
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest_lock);
	for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
		run(i);
	return check_end();
}
