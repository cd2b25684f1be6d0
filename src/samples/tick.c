/* Tick (floor: samples): see tick.h. */
#define _GNU_SOURCE
#include "samples/tick.h"

#include <string.h>
#include <ucontext.h>

#include "platform/here.h"
#include "samples/ring.h"
#include "team/team.h"

#define RED_ZONE 128
#define PAGE 4096 /* the smallest; a larger one only makes the copy shorter than it may be */

struct fg_atomic_u32 fg_ticks_on;

/* The processor's numbers of the registers: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15. */
static const uint8_t order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* From the red zone up, as far as the page of the stack pointer goes: those next to it need not exist. Where the
 * pointer is at a page's edge, neither need its own. */
static void
copy_stack(struct fg_registers *to, uint64_t sp)
{
	uint64_t page = sp & ~(uint64_t)(PAGE - 1), from = sp - page < RED_ZONE ? page : sp - RED_ZONE;
	uint64_t left = sp == page ? 0 : page + PAGE - from;
	to->stack_at = from;
	to->stack_bytes = left < sizeof to->stack ? (unsigned)left : sizeof to->stack;
	memcpy(to->stack, (const void *)(uintptr_t)from, to->stack_bytes);
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
	copy_stack(to, to->general[4]);
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
