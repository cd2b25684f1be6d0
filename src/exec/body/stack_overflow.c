/* Stack overflow (floor: exec): see stack_overflow.h.
 *
 * The handler runs on an alternate stack of the kernel thread, where nothing of the runtime is switched (preempt.c
 * makes sure of that). It looks only at the running member's stack. This is the piece of memory with the control
 * block to which the thread pointer leads. So a wild pointer into the guard of another stack is a plain segmentation
 * fault. The stack of a thread of the program is the program's own matter. A fault in a window is none of these, and
 * comes first (memory/windows.h). No signal interrupts the handler, because a tick must not switch on the alternate
 * stack while the thread moves a window or waits for one. After a message, and for a fault that it
 * does not know, the handler returns to the faulting instruction with the default action set. */
#define _GNU_SOURCE
#include "exec/body/stack_overflow.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>

#include "base/log.h"
#include "base/options.h"
#include "exec/ground/options.h"
#include "exec/thread/identity.h"
#include "memory/windows.h"
#include "platform/fault.h"
#include "platform/signal_action.h"
#include "platform/stack.h"
#include "platform/thread.h"

#define ENDING_STEP_NS 10000000
#define MIB (1ul << 20)
#define FRAME_MAX (1024 * MIB)
#define PLUGINS_MAX 16
#define SIGNAL_FRAME_MAX (16ul << 10)

static struct {
	pthread_once_t once;
	struct fg_atomic_u32 told;
	/* The code of bubble schedulers that were loaded. They are loaded before any thread of the runtime begins. */
	struct plugin {
		const char *name;
		uintptr_t inside, low, high;
	} plugins[PLUGINS_MAX];
	unsigned n_plugins;
} overflow = {.once = PTHREAD_ONCE_INIT};
#define NO_ROOM ((void *)1) /* the pthread is the runtime's own, and needs none */
static __thread struct {
	void *fault_stack; /* of the pthread's own kernel thread */
	void *room;	   /* NULL: the pthread is the program's */
} own __attribute__((tls_model("initial-exec")));

/* A stack has overflowed in one of three cases:
 * - the fault lies in the guard;
 * - a frame bigger than the guard begins at an address that is no stack. A stack that the program made itself can be
 * read at the stack pointer;
 * - the kernel found no room for a signal's frame, and tells no address. */
static bool
overflowed(const char *low, const char *high, const siginfo_t *info, const char *sp)
{
	const char *fault = info->si_addr;
	if (sp >= high || sp < low - FRAME_MAX)
		return false;
	if (info->si_code == SI_KERNEL)
		return sp < low + SIGNAL_FRAME_MAX;
	return (fault >= low - FG_STACK_GUARD && fault < low) || (sp < low && !fg_fault_readable(sp));
}

static void
tell(const struct fg_identity *self, unsigned long size)
{
	const char *variable = fg_option_table[FG_OPTION_stacksize].given ? "FGOMP_STACKSIZE" : "OMP_STACKSIZE";
	unsigned long more = size < MIB ? 1 : 2 * size / MIB;
	fg_error("Stack overflow in thread %u of %u: a stack of %lu KiB was not enough; raise %s, for example %s=%luM",
		 self->thread.num, self->thread.size, size >> 10, variable, variable, more);
}

static void
look_at(const struct fg_identity *self, const siginfo_t *info, const char *sp)
{
	char *low, *high;
	if (!fg_fault_mapping(fg_context_tls(), &low, &high) || !overflowed(low, high, info, sp))
		return;
	while (fg_exchange_acq_rel(&overflow.told, 1)) /* another thread writes the message, and ends the process */
		fg_thread_sleep(ENDING_STEP_NS);
	tell(self, fg_exec_options.stack_size ? fg_identity_stack_size() : (unsigned long)(high - low));
}

/* Finds the object that has the address, and the range of its code. */
static int
find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct plugin *plugin = arg;
	uintptr_t low = 0, high = 0;
	bool found = false;
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;
		if (part->p_type != PT_LOAD)
			continue;
		found |= plugin->inside >= start && plugin->inside - start < part->p_memsz;
		if (part->p_flags & PF_X) {
			low = start;
			high = start + part->p_memsz;
		}
	}
	if (found) {
		plugin->low = low;
		plugin->high = high;
	}
	return found;
}

void
fg_stack_overflow_plugin(const char *name, const void *inside)
{
	struct plugin plugin = {.name = name, .inside = (uintptr_t)inside};
	if (overflow.n_plugins == PLUGINS_MAX || !dl_iterate_phdr(find_code, &plugin))
		return;
	overflow.plugins[overflow.n_plugins++] = plugin;
	fg_stack_overflow_install();
}

static void
look_at_plugins(uintptr_t pc, const siginfo_t *info)
{
	for (unsigned i = 0; i < overflow.n_plugins; i++)
		if (pc >= overflow.plugins[i].low && pc < overflow.plugins[i].high &&
		    !fg_exchange_acq_rel(&overflow.told, 1))
			fg_error("bubble scheduler %s crashed: it used the address %p, where it has no memory",
				 overflow.plugins[i].name, info->si_addr);
}

static void
on_fault(int number, siginfo_t *info, void *context)
{
	const struct fg_identity *self = fg_self();
	bool sent = info->si_code <= 0;
	if (info->si_code == SEGV_ACCERR && fg_windows_fault(info->si_addr))
		return;
	if (!sent && self && !self->root)
		look_at(self, info, fg_fault_sp(context));
	if (!sent)
		look_at_plugins(fg_fault_pc(context), info);
	fg_signal_default(number);
	if (sent || info->si_code == SI_KERNEL) /* the fault may not happen again by itself */
		fg_thread_signal(fg_thread_id(), number);
}

static void
install(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK}, old;
	sigfillset(&action.sa_mask);
	if (fg_signal_action(SIGSEGV, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
		fg_signal_action(SIGSEGV, &action, NULL);
}

void
fg_stack_overflow_install(void)
{
	pthread_once(&overflow.once, install);
}

bool
fg_stack_overflow_handles(void)
{
	struct sigaction now;
	install();
	return fg_signal_action(SIGSEGV, NULL, &now) == 0 && now.sa_sigaction == on_fault;
}

void
fg_stack_overflow_room(void *memory)
{
	own.room = memory ? memory : NO_ROOM;
}

bool
fg_stack_overflow_of_runtime(void)
{
	return own.room != NULL;
}

void
fg_stack_overflow_kernel_thread(void)
{
	fg_stack_overflow_install();
	own.fault_stack = fg_fault_stack(own.room == NO_ROOM ? NULL : own.room);
}

void
fg_stack_overflow_kernel_thread_end(void)
{
	if (own.fault_stack && own.fault_stack == own.room)
		fg_fault_stack_end(own.fault_stack);
	else if (own.fault_stack)
		fg_fault_stack_free(own.fault_stack);
	own.fault_stack = NULL;
}
