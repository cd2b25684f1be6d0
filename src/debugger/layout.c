/* Layout: a table of what a debugger must know of the runtime's structures (floor: debugger; read from outside, by
 * share/forestgomp-gdb.py).
 *
 * The compiler fills it in from the structures, so it cannot go stale, and a stripped library has it. The script reads
 * the table in the memory of the process or of the core file, never in the file of the library. The addresses in it
 * need relocations, so its page is among those that a core file holds. It must not go over into another page.
 *
 * The version counts the changes that an older script would misread: a field that has another meaning, or is gone. */
#include <stddef.h>

#include "exec/thread/all_workers.h"
#include "exec/thread/root_state.h"
#include "exec/thread/worker_state.h"
#include "platform/context.h"
#include "team/team.h"

#undef fg_context_switch /* with a race detector: the function itself */

#define VERSION 1
#define N_FACTS 36

struct fact {
	char name[32];
	uint32_t offset, size; /* of a field. Of a constant: its value, and 0 */
};

#define FIELD(type, field) {#type "." #field, offsetof(struct fg_##type, field), sizeof(((struct fg_##type *)0)->field)}
#define CONSTANT(name) {#name, name, 0}

extern const char __ehdr_start[]
	__attribute__((visibility("hidden"))); /* from the linker: the first byte that is loaded */

extern const struct fg_layout fgomp_layout __attribute__((visibility("default")));
_Alignas(2048) const struct fg_layout {
	char magic[16];
	uint32_t version, n_facts;
	const void *self, *elf;
	const struct fg_atomic_ptr *all_workers;
	/* Code: while a context is switched; where it is just saved; while a kernel thread is parked. */
	void (*context_switch)(struct fg_context *, const struct fg_context *, void (*)(void *), void *);
	const char *switch_saved, *switch_end;
	void (*park)(uint32_t *, uint32_t, void *, const struct fg_context *);
	const char *park_end;
	struct fact facts[N_FACTS];
} fgomp_layout = {
	"ForestGOMP",
	VERSION,
	N_FACTS,
	&fgomp_layout,
	__ehdr_start,
	&fg_all_workers.first,
	fg_context_switch,
	fg_context_switch_saved,
	fg_context_switch_end,
	fg_context_park,
	fg_context_park_end,
	{
		FIELD(worker, all_next),
		FIELD(worker, home),
		FIELD(worker, pinned.first),
		FIELD(worker, crew.root),
		FIELD(worker, crew.region),
		FIELD(worker, crew.next),
		FIELD(worker, crew.waiting),
		FIELD(identity, context),
		FIELD(identity, context.sp),
		FIELD(identity, context.tls),
		FIELD(identity, kind),
		FIELD(identity, next),
		FIELD(identity, root),
		FIELD(identity, worker),
		FIELD(identity, crew_of),
		FIELD(identity, in_crew.next),
		FIELD(identity, entity.holder),
		FIELD(identity, park.on),
		FIELD(identity, thread.team),
		FIELD(identity, thread.num),
		FIELD(identity, thread.task),
		FIELD(root, members),
		FIELD(root, n_members),
		FIELD(root, by_place),
		FIELD(team, size),
		FIELD(team, mode),
		FIELD(team, outer),
		FIELD(team, fn),
		FIELD(team, primary),
		FIELD(team, saved.num),
		FIELD(team, births.bubble.born),
		CONSTANT(FG_DONOR),
		CONSTANT(FG_TEAM_SERIAL),
		CONSTANT(FG_TEAM_DOCKED),
		CONSTANT(FG_TEAM_LOOSE),
		CONSTANT(FG_TEAM_KERNEL),
	},
};
_Static_assert(sizeof fgomp_layout <= _Alignof(fgomp_layout), "the table may lie in two pages");
