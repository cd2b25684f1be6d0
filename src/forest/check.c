/* Checks and prints where entities lie (floor: forest); see check.h. */
#include "forest/check.h"

static const char *bubble_check(const struct fg_bubble *bubble);

static const char *
list_check(const struct fg_holder *holder, const struct fg_entity *list, unsigned count)
{
	unsigned n = 0;
	for (const struct fg_entity *entity = list->next; entity != list; entity = entity->next, n++) {
		if (entity->next->prev != entity || entity->prev->next != entity)
			return "a list's links do not agree";
		if (fg_load_relaxed(&entity->holder) != (void *)holder)
			return "an entity of a list names another holder";
		if ((entity->kind == FG_ENTITY_THREAD) != (list == &holder->ready))
			return "an entity lies in the list of another kind";
		if (holder->bubble && !fg_entity_is_kin(entity, holder->bubble))
			return "a bubble holds what is not its kin";
		const char *wrong =
			entity->kind == FG_ENTITY_BUBBLE ? bubble_check((const struct fg_bubble *)entity) : NULL;
		if (wrong)
			return wrong;
	}
	return n == count ? NULL : "a count of entities is wrong";
}

static const char *
holder_check(const struct fg_holder *holder)
{
	const char *wrong = list_check(holder, &holder->unborn, fg_load_relaxed(&holder->n_unborn));
	return wrong ? wrong : list_check(holder, &holder->ready, fg_load_relaxed(&holder->n_ready));
}

static const char *
bubble_check(const struct fg_bubble *bubble)
{
	if (bubble->born > bubble->size)
		return "a bubble has more members born than it has";
	if (bubble->born == bubble->size && !fg_bubble_has_content(bubble))
		return "an empty bubble lies in a holder";
	return bubble->content ? holder_check(bubble->content) : NULL;
}

const char *
fg_runqueue_check(struct fg_runqueue *level)
{
	const char *wrong = holder_check(&level->holder);
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	for (unsigned i = 0; !wrong && below && i < below->n; i++)
		wrong = fg_runqueue_check(below->queue[i]);
	return wrong;
}

unsigned
fg_runqueue_threads(struct fg_runqueue *level)
{
	unsigned n = fg_load_relaxed(&level->holder.n_ready);
	for (const struct fg_entity *entity = level->holder.unborn.next; entity != &level->holder.unborn;
	     entity = entity->next)
		n += fg_entity_threads(entity);
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	for (unsigned i = 0; below && i < below->n; i++)
		n += fg_runqueue_threads(below->queue[i]);
	return n;
}

static void holder_print(const struct fg_holder *holder, FILE *file);

static void
entity_print(const struct fg_entity *entity, FILE *file)
{
	if (entity->kind == FG_ENTITY_THREAD)
		fputs(" ready", file);
	else if (entity->kind == FG_ENTITY_MEMBER)
		fprintf(file, " #%u", entity->number);
	else {
		const struct fg_bubble *bubble = (const struct fg_bubble *)entity;
		fprintf(file, " (%u unborn", bubble->size - bubble->born);
		if (bubble->content)
			holder_print(bubble->content, file);
		fputc(')', file);
	}
}

static void
holder_print(const struct fg_holder *holder, FILE *file)
{
	for (const struct fg_entity *entity = holder->ready.next; entity != &holder->ready; entity = entity->next)
		entity_print(entity, file);
	for (const struct fg_entity *entity = holder->unborn.prev; entity != &holder->unborn; entity = entity->prev)
		entity_print(entity, file);
}

void
fg_runqueue_print(struct fg_runqueue *level, FILE *file)
{
	if (fg_runqueue_has_work(level)) {
		fprintf(file, "PUs %u-%u:", level->first_pu, level->first_pu + level->n_pus - 1);
		holder_print(&level->holder, file);
		fputc('\n', file);
	}
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	for (unsigned i = 0; below && i < below->n; i++)
		fg_runqueue_print(below->queue[i], file);
}
