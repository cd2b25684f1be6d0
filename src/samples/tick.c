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

/* The kernel's frame has the lower halves of the registers at a fixed place. The upper halves are in the part that its
 * header tells of, 576 bytes on. */
static unsigned
copy_vectors(struct fg_registers *to, const struct _libc_fpstate *state)
{
	enum { MAGIC = 0x46505853, AT_MAGIC = 464, AT_SIZE = 480, AT_HEADER = 512, AT_UPPER = 576, AVX = 4 };
	const unsigned char *bytes = (const unsigned char *)state;
	uint32_t magic, size;
	uint64_t parts = 0;
	if (!state)
		return 0;
	memcpy(&magic, bytes + AT_MAGIC, sizeof magic);
	memcpy(&size, bytes + AT_SIZE, sizeof size);
	if (magic == MAGIC && size >= AT_UPPER + 16 * 16)
		memcpy(&parts, bytes + AT_HEADER, sizeof parts);
	for (unsigned i = 0; i < 16; i++) {
		memcpy(to->vector[i], &state->_xmm[i], 16);
		if (parts & AVX)
			memcpy(to->vector[i] + 16, bytes + AT_UPPER + 16 * (size_t)i, 16);
	}
	return parts & AVX ? 32 : 16;
}

static void
copy(struct fg_registers *to, const struct fg_identity *self, const ucontext_t *from)
{
	for (unsigned i = 0; i < 16; i++)
		to->general[i] = (uint64_t)from->uc_mcontext.gregs[order[i]];
	to->ip = (uint64_t)from->uc_mcontext.gregs[REG_RIP];
	to->flags = (uint64_t)from->uc_mcontext.gregs[REG_EFL];
	to->fs_base = (uint64_t)__builtin_thread_pointer();
	to->vector_bytes = copy_vectors(to, from->uc_mcontext.fpregs);
	to->stack_at = to->stack_bytes = 0;
	if (to->general[4] - self->stack.low < self->stack.high - self->stack.low) /* else it may lie on no page yet */
		copy_stack(to, to->general[4]);
}

/* The thread is outside the runtime, so it is not just going from one team to another. A team of one, within another
 * one, belongs to the member that met it. */
static void
name_member(struct fg_sample *sample, const struct fg_identity *self)
{
	const struct fg_thread *thread = &self->thread;
	while (thread->team && thread->team->mode == FG_TEAM_SERIAL && thread->team->outer)
		thread = &thread->team->saved;
	sample->bubble = thread->team && thread->team->mode != FG_TEAM_SERIAL ? thread->bubble : 0;
	sample->member = thread->num;
}

void
fg_sample_tick(const struct fg_identity *self, const void *signal_context)
{
	struct fg_sample *sample = fg_load_relaxed(&fg_ticks_on) ? fg_ring_write() : NULL;
	if (!sample)
		return;
	const struct fg_team *team = self->thread.team;
	sample->region = team && team->mode != FG_TEAM_SERIAL ? (const void *)(uintptr_t)team->fn : NULL;
	name_member(sample, self);
	sample->node = fg_here_node();
	copy(&sample->registers, self, signal_context);
	fg_ring_written(sample);
}
