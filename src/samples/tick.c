/* Tick (floor: samples): see tick.h. */
#define _GNU_SOURCE
#include "samples/tick.h"

#include <string.h>
#include <ucontext.h>

#include "platform/here.h"
#include "samples/ring.h"
#include "team/team.h"

#define PAGE 4096 /* the smallest; a larger one only makes the copy shorter than it may be */

struct fg_atomic_u32 fg_ticks_on;

/* The processor's numbers of the registers: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15. */
static const uint8_t order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* The page above a stack pointer at a page's edge need not exist. */
static unsigned
stack_bytes(uint64_t sp)
{
	uint64_t left = sp % PAGE ? PAGE - sp % PAGE : 0;
	return left < sizeof((struct fg_registers *)NULL)->stack ? (unsigned)left
								 : sizeof((struct fg_registers *)NULL)->stack;
}

static void
copy(struct fg_registers *to, const ucontext_t *from)
{
	for (unsigned i = 0; i < 16; i++)
		to->general[i] = (uint64_t)from->uc_mcontext.gregs[order[i]];
	to->ip = (uint64_t)from->uc_mcontext.gregs[REG_RIP];
	to->flags = (uint64_t)from->uc_mcontext.gregs[REG_EFL];
	to->fs_base = (uint64_t)__builtin_thread_pointer();
	to->vector_bytes = 0;
	to->stack_at = to->general[4];
	to->stack_bytes = stack_bytes(to->stack_at);
	memcpy(to->stack, (const void *)(uintptr_t)to->stack_at, to->stack_bytes);
}

void
fg_sample_tick(const struct fg_identity *self, const void *signal_context)
{
	struct fg_sample *sample = fg_load_relaxed(&fg_ticks_on) ? fg_ring_write() : NULL;
	if (!sample)
		return;
	const struct fg_team *team = self->thread.team;
	sample->region = team && team->mode != FG_TEAM_SERIAL ? (const void *)(uintptr_t)team->fn : NULL;
	sample->member = self->thread.num;
	sample->node = fg_here_node();
	copy(&sample->registers, signal_context);
	fg_ring_written(sample);
}
