/* Mapped (floor: trace): see mapped.h.
 *
 * The handler may run at any time on any thread, so the blocks stand in a table without locks. A place of it is free,
 * or belongs to the thread that has set `start`. A thread stores to a block only after it, or the thread that gave it
 * the block, has noted the block here. So the handler finds each block to which a thread stores. */
#define _GNU_SOURCE
#include "trace/mapped.h"

#include <errno.h>
#include <stdint.h>

#include "base/atomic.h"
#include "platform/kernel_mask.h"
#include "platform/map.h"
#include "platform/signal_action.h"
#include "platform/thread.h"

#define PLACES 254 /* a page */
#define BEING_NOTED 1

struct table {
	struct fg_atomic_ptr next;
	struct {
		struct fg_atomic_u64 start; /* 0: the place is free */
		struct fg_atomic_u64 bytes;
	} blocks[PLACES];
};

static struct {
	struct table first;
	void (*on_cut)(void); /* NULL: the handler is not installed */
	struct fg_atomic_u32 is_cut;
	struct sigaction program;      /* its action for SIGBUS */
	struct fg_atomic_u32 changing; /* a thread changes `program`; no tick preempts it meanwhile */
} mapped;

static struct table *
next_of(struct table *table)
{
	struct table *next = fg_load_acquire(&table->next), *made = next ? next : fg_map(sizeof *made);
	if (next || !made)
		return made;
	if (fg_cas_acq_rel(&table->next, (void **)&next, made))
		return made;
	fg_unmap(made, sizeof *made);
	return next;
}

bool
fg_mapped_add(void *block, size_t bytes)
{
	for (struct table *table = &mapped.first; table; table = next_of(table))
		for (unsigned i = 0; i < PLACES; i++) {
			uint64_t none = 0;
			if (fg_load_relaxed(&table->blocks[i].start) ||
			    !fg_cas_acquire(&table->blocks[i].start, &none, BEING_NOTED))
				continue;
			fg_store_relaxed(&table->blocks[i].bytes, bytes);
			fg_store_release(&table->blocks[i].start, (uintptr_t)block);
			return true;
		}
	return false;
}

void
fg_mapped_remove(const void *block)
{
	for (struct table *table = &mapped.first; table; table = fg_load_acquire(&table->next))
		for (unsigned i = 0; i < PLACES; i++)
			if (fg_load_relaxed(&table->blocks[i].start) == (uintptr_t)block)
				fg_store_release(&table->blocks[i].start, 0);
}

/* Puts memory in the place of the block that has the address. False: there is none. */
static bool
replace(uintptr_t address)
{
	for (struct table *table = &mapped.first; table; table = fg_load_acquire(&table->next))
		for (unsigned i = 0; i < PLACES; i++) {
			uint64_t start = fg_load_acquire(&table->blocks[i].start),
				 bytes = fg_load_relaxed(&table->blocks[i].bytes);
			if (start > BEING_NOTED && address >= start && address - start < bytes)
				return fg_map_over((void *)(uintptr_t)start, bytes);
		}
	return false;
}

/* The default action, at a fault: the same instruction faults again. */
static void
default_action(int number, bool sent)
{
	fg_signal_default(number);
	if (sent)
		fg_thread_signal(fg_thread_id(), number);
}

static void
on_bus(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	bool sent = info->si_code <= 0;
	struct sigaction of_program = mapped.program;
	if (!sent && replace((uintptr_t)info->si_addr)) {
		if (!fg_exchange_acq_rel(&mapped.is_cut, 1))
			mapped.on_cut();
		errno = saved;
		return;
	}
	if (of_program.sa_flags & (int)SA_RESETHAND)
		mapped.program.sa_handler = SIG_DFL;
	if (of_program.sa_flags & SA_SIGINFO)
		of_program.sa_sigaction(number, info, context);
	else if (of_program.sa_handler == SIG_DFL || (of_program.sa_handler == SIG_IGN && !sent))
		default_action(number, sent);
	else if (of_program.sa_handler != SIG_IGN)
		of_program.sa_handler(number);
	errno = saved;
}

/* Where the program has no handler, nothing of the program's may run on top of ours. */
static int
install(const struct sigaction *of_program)
{
	struct sigaction action = *of_program;
	bool handled = action.sa_flags & SA_SIGINFO || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
	if (!handled)
		sigfillset(&action.sa_mask);
	action.sa_flags = (handled ? action.sa_flags & ~(int)SA_RESETHAND : SA_RESTART) | SA_SIGINFO;
	action.sa_sigaction = on_bus;
	return fg_signal_action(SIGBUS, &action, NULL);
}

void
fg_mapped_begin(void (*cut)(void))
{
	if (fg_signal_action(SIGBUS, NULL, &mapped.program) != 0)
		return;
	mapped.on_cut = cut;
	if (install(&mapped.program) != 0)
		mapped.on_cut = NULL;
}

bool
fg_mapped_uses(int number)
{
	return number == SIGBUS && mapped.on_cut;
}

int
fg_mapped_sigaction(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction wanted = action ? *action : (struct sigaction){0}, was;
	uint64_t mask = fg_mask_now();
	fg_mask_set(FG_MASK_ALL);
	while (fg_exchange_acquire(&mapped.changing, 1))
		fg_thread_yield();
	was = mapped.program;
	if (action) {
		mapped.program = wanted;
		install(&wanted);
	}
	fg_store_release(&mapped.changing, 0);
	fg_mask_set(mask);
	if (old)
		*old = was;
	return 0;
}
