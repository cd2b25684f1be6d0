/* A made-up machine with a runqueue on each level, as the running library has one, and bubbles for it. A text tells the
 * contents of the runqueues.
 *
 * "0:a1 a2 4-7:b(3)": the runqueue of PU 0 has members 1 and 2 of bubble a, in the order in which a PU finds them. That
 * of PUs 4 to 7 has the bubble b, whole, with 3 threads in it. A ready thread is "a*". */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "forest/check.h"
#include "forest/move.h"
#include "machine/build.h"
#include "machine/machine.h"
#include "sched/home.h"
#include "sched/policy.h"
#include "sched/world.h"

static struct fg_runqueue *
fake_queue(const struct fg_level *level, struct fg_runqueue *parent)
{
	struct fg_runqueue *queue = aligned_alloc(64, sizeof *queue);
	fg_runqueue_init(queue, parent, level->first_pu, level->n_pus);
	queue->kinds = level->kinds;
	queue->node = level->numa_node == FG_NO_INDEX ? -1 : (int)level->numa_node;
	queue->domain = fg_home_domain_of(queue, parent);
	if (level->n_children == 0)
		return queue;
	struct fg_runqueue_list *list = malloc(sizeof *list + level->n_children * sizeof *list->queue);
	list->n = level->n_children;
	for (unsigned i = 0; i < list->n; i++)
		list->queue[i] = fake_queue(level->children[i], queue);
	fg_store_relaxed(&queue->below, list);
	return queue;
}

static void
fake_free(struct fg_runqueue *queue)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(queue);
	for (unsigned i = 0; below && i < below->n; i++)
		fake_free(below->queue[i]);
	free((void *)below);
	free(queue);
}

/* "[node: pu pu] [node: pu]": forks of different sizes, which a synthetic line cannot say. A letter is a kind: n(uma)
 * p(ackage) 3 2 c(ore); a '.' is a PU, an 'x' one that is offline. */
static const char *
fake_grow(struct fg_level *parent, const char *text, unsigned *number)
{
	static const char letters[] = "np32c";
	static const enum fg_level_kind kinds[] = {FG_NUMA_NODE, FG_PACKAGE, FG_L3, FG_L2, FG_CORE};
	while (*text && *text != ')') {
		const char *letter = strchr(letters, *text);
		if (*text == ' ') {
			text++;
		} else if (letter) {
			assert_int_equal(text[1], '(');
			text = fake_grow(fg_level_new(parent, kinds[letter - letters], 0), text + 2, number);
		} else {
			if (*text++ == '.')
				fg_level_new(parent, FG_PU, *number);
			++*number;
		}
	}
	return *text ? text + 1 : text;
}

/* Of a synthetic line, an XML file, or the above. */
static struct fg_runqueue *
fake_machine(const char *text)
{
	const char *why = "";
	struct fg_machine *machine;
	if (strchr(text, '.') && !strchr(text, '/')) {
		struct fg_level *root = fg_level_new(NULL, FG_MACHINE, FG_NO_INDEX);
		unsigned number = 0;
		fake_grow(root, text, &number);
		machine = fg_machine_build(root, FG_FROM_SYNTHETIC);
	} else {
		machine = strchr(text, '/') ? fg_machine_xml(text, &why) : fg_machine_synthetic(text, &why);
	}
	if (!machine)
		fail_msg("%s: %s", text, why);
	struct fg_runqueue *top = fake_queue(machine->root, NULL);
	fg_machine_free(machine);
	return top;
}

/* A policy of its own looks after the level and all below. */
static inline void
fake_policy(struct fg_runqueue *level, struct fg_policy *policy)
{
	fg_own_store_relaxed(&level->policy, policy);
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++)
		fake_policy(fgomp_queue_child(level, c), policy);
}

/* "PUs first to last": the level that covers just these. */
static inline struct fg_runqueue *
fake_level(struct fg_runqueue *top, unsigned first, unsigned last)
{
	struct fg_runqueue *queue = fgomp_queue_of_pu(top, first);
	while (queue && (queue->first_pu != first || queue->n_pus != last - first + 1))
		queue = fg_runqueue_parent(queue);
	assert_non_null(queue);
	return queue;
}

/* `unborn` members that have not begun, numbers 1, 2 ...: of a team of unborn + 1, the encountering thread being
 * elsewhere. */
static inline struct fg_bubble *
fake_bubble(struct fg_bubble *parent, char name, unsigned unborn)
{
	struct fg_bubble *bubble = calloc(1, sizeof *bubble);
	fg_bubble_init(bubble, unborn + 1);
	bubble->entity.bubble = parent;
	bubble->entity.last_pu = FG_NO_PU;
	bubble->depth = parent ? parent->depth + 1 : 0;
	bubble->region = (const void *)(uintptr_t)name;
	return bubble;
}

static inline char
fake_name(const struct fg_bubble *bubble)
{
	return bubble ? (char)(uintptr_t)bubble->region : '?';
}

static inline void
fake_print_entity(struct fg_entity *entity, FILE *file)
{
	struct fg_bubble *bubble = fgomp_entity_bubble(entity);
	if (bubble)
		fprintf(file, "%c(%u)", fake_name(bubble), fgomp_entity_threads(entity));
	else if (entity->kind == FG_ENTITY_THREAD)
		fprintf(file, "%c*", fake_name(entity->bubble));
	else
		fprintf(file, "%c%d", fake_name(entity->bubble), fgomp_entity_number(entity));
}

static inline void
fake_print(struct fg_runqueue *queue, FILE *file)
{
	struct fg_holder *holder = fgomp_queue_holder(queue);
	if (fgomp_queue_count(queue)) {
		fprintf(file, queue->n_pus > 1 ? "%u-%u:" : "%u:", queue->first_pu, queue->first_pu + queue->n_pus - 1);
		for (struct fg_entity *entity = fgomp_holder_first(holder); entity;
		     entity = fgomp_holder_next(holder, entity)) {
			fake_print_entity(entity, file);
			putc(' ', file);
		}
	}
	for (unsigned c = 0; c < fgomp_queue_n_children(queue); c++)
		fake_print(fgomp_queue_child(queue, c), file);
}

/* The contents of the machine's runqueues; the caller frees the text. */
static inline char *
fake_text(struct fg_runqueue *top)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	fake_print(top, file);
	fclose(file);
	if (size && text[size - 1] == ' ')
		text[size - 1] = '\0';
	return text;
}
