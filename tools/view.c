/* View: the programs on a copy of the board (view.h). */
#include "view.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *
view_folder(void)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	return folder && strlen(folder) < FG_BOARD_FOLDER ? folder : "";
}

bool
view_may_be_of(uint64_t stamp, const struct process *process)
{
	return process->started <= FG_ENTRY_YOUNG_NS || stamp >= process->started - FG_ENTRY_YOUNG_NS;
}

static unsigned
at_most(unsigned number, unsigned most)
{
	return number < most ? number : most;
}

static void
look_unpack(uint64_t look, struct view_program *program)
{
	program->pus = at_most((uint16_t)(look >> 32), FG_BOARD_PUS);
	program->granted = at_most((uint16_t)look, program->pus);
	program->wanted = at_most((uint16_t)(look >> 16), program->pus);
	program->bound = (look >> 48) & 1;
}

/* False: nobody has the entry. */
static bool
read_entry(struct fg_board *copy, unsigned number, uint64_t now, struct view_program *program)
{
	struct fg_board_entry *entry = &copy->entry[number];
	uint64_t word = fg_load_relaxed(&entry->taken);
	if (!word || (uint32_t)word == 0 || (uint32_t)word > INT_MAX)
		return false;
	*program = (struct view_program){.word = word, .process = (int)(uint32_t)word};
	program->stamp = fg_load_relaxed(&entry->stamp);
	program->active = fg_entry_is_active(program->stamp, now);
	look_unpack(fg_load_relaxed(&entry->look), program);
	program->limit = fg_entry_limit_of(copy, number, word, 0);
	program->demand = fg_entry_unpack(fg_load_relaxed(&entry->told)).demand / 1000.0;
	program->used = fg_load_relaxed(&entry->used);
	program->lost = fg_load_relaxed(&entry->lost);
	for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++) {
		program->cpus.bits[i] = fg_load_relaxed(&entry->cpus[i]);
		program->set.bits[i] = fg_load_relaxed(&entry->set[i]);
		program->chooses |= program->active && program->set.bits[i];
	}
	return true;
}

/* A process that has called exec, or was stopped for long, may have left an entry behind: the one that joined last
 * counts. Returns whether an earlier program of the list is the same process. */
static bool
join_same(struct view_program *programs, unsigned n, const struct view_program *one)
{
	for (unsigned i = 0; i < n; i++) {
		if (programs[i].process != one->process)
			continue;
		if (one->active == programs[i].active ? one->word > programs[i].word : one->active)
			programs[i] = *one;
		return true;
	}
	return false;
}

unsigned
view_programs(struct fg_board *copy, uint64_t now, struct view_program *programs)
{
	unsigned n = 0;
	for (unsigned i = 0; i < FG_BOARD_ENTRIES; i++) {
		struct view_program one;
		if (read_entry(copy, i, now, &one) && !join_same(programs, n, &one))
			programs[n++] = one;
	}
	return n;
}
