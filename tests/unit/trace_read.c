/* Reading a trace: whole, cut short at each byte, of others, and with numbers that lie. */
#include "draw/decisions.h"
#include "draw/page.h"
#include "draw/story.h"
#include "draw/table.h"
#include "machine/machine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define BLOCKS_MAX 8
#define FUNCTION 0x1000

/* A file in the making: the head, then blocks, each with a place of its own. */
struct made {
	unsigned char bytes[(BLOCKS_MAX + 1) * FG_TRACE_ALIGN];
	size_t size, used[BLOCKS_MAX + 1]; /* bytes that mean something, from each multiple of FG_TRACE_ALIGN on */
	unsigned n_blocks;
};

static struct fg_trace_head *
head_of(struct made *made)
{
	return (struct fg_trace_head *)made->bytes;
}

static struct fg_trace_block *
block_of(struct made *made, unsigned i)
{
	return (struct fg_trace_block *)(made->bytes + (i + 1) * FG_TRACE_ALIGN);
}

static void
begin(struct made *made)
{
	memset(made, 0, sizeof *made);
	*head_of(made) = (struct fg_trace_head){.magic = FG_TRACE_MAGIC,
						.version = FG_TRACE_VERSION,
						.record_bytes = sizeof(struct fg_trace_record),
						.start = 1000,
						.end = 9000};
	made->used[0] = sizeof(struct fg_trace_head);
	made->size = FG_TRACE_ALIGN;
}

static struct fg_trace_block *
block(struct made *made, unsigned kind, uint64_t count, const void *payload, size_t size)
{
	struct fg_trace_block *block = block_of(made, made->n_blocks++);
	*block = (struct fg_trace_block){
		.magic = {'B', 'L', 'O', 'C'}, .kind = kind, .bytes = FG_TRACE_ALIGN, .count = count};
	memcpy(block + 1, payload, size);
	made->used[made->n_blocks] = sizeof *block + size;
	made->size += FG_TRACE_ALIGN;
	return block;
}

static void
text(struct made *made, unsigned kind, const char *words)
{
	block(made, kind, strlen(words), words, strlen(words));
}

static const struct fg_trace_level two_pus[] = {{FG_MACHINE, 1u << FG_MACHINE, FG_NO_INDEX, 0, 0, 2, 0, 0},
						{FG_PU, 1u << FG_PU, 0, 1, 0, 1, 0, 0},
						{FG_PU, 1u << FG_PU, 1, 1, 1, 1, 0, 0}};

/* Two members of one bubble, on two PUs; member 1 works for 100, waits for 300, and goes on on the other PU for 200. */
static const struct fg_trace_record of_pu_0[] = {
	{1000, FG_EVENT_meet, 0, 1, 0, 0, FUNCTION}, {1000, FG_EVENT_team, 0, 1, 0, 2, FG_TRACE_NESTED},
	{1000, FG_EVENT_put, 0, 1, 0, 0, 2},	     {1100, FG_EVENT_begin, 0, 1, 0, 0, 0},
	{1500, FG_EVENT_wait, 0, 1, 0, 0, 0},	     {1500, FG_EVENT_go, 0, 1, 0, 0, 0},
	{1600, FG_EVENT_end, 0, 1, 0, 0, 0},	     {1610, FG_EVENT_resume, 0, 1, 1, 0, 0},
	{1610, FG_EVENT_go, 0, 1, 1, 0, 0},	     {1810, FG_EVENT_end, 0, 1, 1, 0, 0},
	{2000, FG_EVENT_join, 0, 1, 0, 0, 0}};
static const struct fg_trace_record of_pu_1[] = {
	{1200, FG_EVENT_steal, 1, 1, 1, 0, 0},	 {1210, FG_EVENT_begin, 1, 1, 1, 0, 0},
	{1211, FG_EVENT_take, 1, 1, 0, 0, 2},	 {1310, FG_EVENT_wait, 1, 1, 1, 0, 0},
	{1320, FG_EVENT_suspend, 1, 1, 1, 0, 0}, {1400, FG_EVENT_sleep, 1, 0, 0, 0, 0}};
#define N(list) (sizeof list / sizeof *list)

static void
events(struct made *made, const struct fg_trace_record *records, size_t n, unsigned lane, uint64_t sequence)
{
	struct fg_trace_block *made_block = block(made, FG_TRACE_EVENTS, n, records, n * sizeof *records);
	made_block->lane = lane;
	made_block->sequence = sequence;
}

static struct made *
whole(void)
{
	static struct made made;
	begin(&made);
	block(&made, FG_TRACE_MACHINE, N(two_pus), two_pus, sizeof two_pus);
	text(&made, FG_TRACE_FACTS, "command=./a b\nhost=here\n");
	events(&made, of_pu_0, N(of_pu_0), 7, 0);
	events(&made, of_pu_1, N(of_pu_1), 3, 0);
	text(&made, FG_TRACE_MODULES, "800 2000 0 /nowhere/program\n");
	text(&made, FG_TRACE_NAMES, "1000 work._omp_fn.0\n");
	return &made;
}

/* From a block of exactly that size, so that a read beyond it is seen by a sanitizer. */
static struct fg_trace *
parse(const struct made *made, size_t size, char *why, size_t why_size)
{
	unsigned char *copy = malloc(size + !size);
	memcpy(copy, made->bytes, size);
	struct fg_trace *trace = fg_trace_parse(copy, size, why, why_size);
	free(copy);
	return trace;
}

static void
tell_all(const struct fg_trace *trace)
{
	FILE *nowhere = fopen("/dev/null", "w");
	struct fg_story *story = fg_story_tell(trace);
	struct fg_summary summary = trace->n_sums ? fg_summary_of_sums(trace, 0) : fg_summary_of_story(story, 0);
	fg_table_print(&summary, &(struct fg_table_style){"", "", "", 80, 0}, nowhere);
	fg_table_json(&summary, 0, nowhere);
	fg_summary_free(&summary);
	struct fg_job job = fg_job_of((const struct fg_story *const[]){story}, 1);
	fg_page_write(&job, 0, 0, nowhere);
	fg_perfetto_write(&job, 0, 0, nowhere);
	fg_job_free(&job);
	fclose(nowhere);
	fg_story_free(story);
}

/* It is read, perhaps with a note, and everything can be made of it. */
static void
bearable(struct made *made, const char *noted)
{
	char why[200] = "";
	struct fg_trace *trace = parse(made, made->size, why, sizeof why);
	assert_non_null(trace);
	if (noted)
		assert_non_null(strstr(trace->note, noted));
	tell_all(trace);
	fg_trace_free(trace);
}

static void
refused(struct made *made, size_t size, const char *because)
{
	char why[200] = "";
	assert_null(parse(made, size, why, sizeof why));
	assert_non_null(strstr(why, because));
	assert_null(strchr(why, '\n'));
}

static void
whole_file(void **state)
{
	char why[200], value[100];
	struct made *made = whole();
	struct fg_trace *trace = parse(made, made->size, why, sizeof why);
	assert_non_null(trace);
	assert_string_equal(trace->note, "");
	assert_int_equal(trace->n_items, N(of_pu_0) + N(of_pu_1));
	assert_int_equal(trace->n_lanes, 2);
	assert_int_equal(trace->n_pus, 2);
	for (size_t i = 1; i < trace->n_items; i++)
		assert_true(trace->items[i].record.time >= trace->items[i - 1].record.time);
	assert_int_equal(trace->items[2].record.event, FG_EVENT_put); /* equal times: in the order of the worker */
	fg_trace_fact(trace, "host", value, sizeof value);
	assert_string_equal(value, "here");
	fg_trace_fact(trace, "hos", value, sizeof value);
	assert_string_equal(value, "");
	fg_trace_function(trace, FUNCTION, value, sizeof value);
	assert_string_equal(value, "work._omp_fn.0");
	fg_trace_function(trace, FUNCTION + 1, value, sizeof value);
	assert_string_equal(value, "program+0x1001");
	fg_trace_function(trace, 1, value, sizeof value);
	assert_string_equal(value, "0x1");
	fg_trace_free(trace);
}

static void
what_it_tells(void **state)
{
	char why[200];
	struct made *made = whole();
	struct fg_trace *trace = parse(made, made->size, why, sizeof why);
	struct fg_story *story = fg_story_tell(trace);
	assert_int_equal(story->n_bubbles, 1);
	assert_int_equal(story->bubbles[0].members, 2);
	assert_int_equal(story->bubbles[0].parent, FG_NOBODY);
	assert_int_equal(story->n_regions, 1);
	const struct fg_story_region *region = &story->regions[0];
	assert_string_equal(region->label, "work");
	assert_int_equal(region->calls, 1);
	assert_int_equal(region->time, 1000);
	assert_int_equal(region->waited, 300);
	assert_int_equal(region->work, 500 + 300); /* member 0 without a wait, member 1 without its 300 */
	assert_int_equal(region->most_work, 2 * 500);
	assert_int_equal(region->steals, 1);
	assert_int_equal(region->migrations, 1);
	assert_int_equal(region->suspensions, 1);
	assert_int_equal(region->cpu, 500 + 100 + 200);
	uint64_t waits = 0;
	for (size_t i = 0; i < story->n_slices; i++)
		if (story->slices[i].doing == FG_WAITS)
			waits += story->slices[i].to - story->slices[i].from;
	assert_int_equal(waits, 10); /* then it had no PU */
	fg_story_free(story);
	fg_trace_free(trace);
}

/* The reader keeps every event that is left: the more there is of the file, the more events. */
static void
cut_short(void **state)
{
	struct made *made = whole();
	size_t last = 0;
	char why[200];
	for (unsigned i = 0; i <= made->n_blocks; i++)
		for (size_t byte = 0; byte <= made->used[i] + 1; byte++) {
			size_t size = i * FG_TRACE_ALIGN + byte;
			struct fg_trace *trace = parse(made, size, why, sizeof why);
			if (size < sizeof(struct fg_trace_head)) {
				assert_null(trace);
				assert_non_null(strstr(why, size < 8 ? "no trace" : "cut short"));
				continue;
			}
			assert_non_null(trace);
			assert_true(trace->n_items >= last && trace->n_items <= N(of_pu_0) + N(of_pu_1));
			last = trace->n_items;
			if (byte % 16 == 0)
				tell_all(trace);
			fg_trace_free(trace);
		}
	assert_int_equal(last, N(of_pu_0) + N(of_pu_1));
	made->size = 4 * FG_TRACE_ALIGN - 1;
	bearable(made, NULL);
	made->size = 3 * FG_TRACE_ALIGN + sizeof(struct fg_trace_block) + 70;
	bearable(made, "cut short");
}

static void
of_others(void **state)
{
	struct made *made = whole();
	head_of(made)->version = FG_TRACE_VERSION + 1;
	refused(made, made->size, "version 2");
	made = whole();
	head_of(made)->record_bytes = 16;
	refused(made, made->size, "version");
	made = whole();
	head_of(made)->magic[7] = ' ';
	refused(made, made->size, "no trace");
	refused(made, 0, "no trace");
	char why[200];
	assert_null(fg_trace_read("/nowhere", why, sizeof why));
	assert_non_null(strstr(why, "No such file"));
	assert_null(fg_trace_read("/dev/null", why, sizeof why));
	assert_null(fg_trace_read("/", why, sizeof why));
}

static void
blocks_that_lie(void **state)
{
	static const uint64_t numbers[] = {
		0, 1, 63, 65537, 1u << 31, UINT64_MAX, UINT64_MAX - 65535, UINT64_C(1) << 63};
	for (unsigned i = 0; i < 6; i++)
		for (unsigned k = 0; k < N(numbers); k++) {
			struct made *made = whole();
			block_of(made, i)->count = numbers[k];
			bearable(made, NULL);
			made = whole();
			block_of(made, i)->bytes = numbers[k];
			bearable(made, NULL);
			made = whole();
			block_of(made, i)->kind = (uint32_t)numbers[k];
			block_of(made, i)->lane = (uint32_t)numbers[k];
			bearable(made, NULL);
			made = whole();
			block_of(made, i)->sequence = block_of(made, i)->lost = numbers[k];
			bearable(made, NULL);
		}
	struct made *made = whole();
	head_of(made)->end = 0;
	bearable(made, "ended without a word");
	made = whole();
	head_of(made)->dropped = 5;
	bearable(made, "no room");
}

static void
events_that_lie(void **state)
{
	static const uint32_t numbers[] = {0, 1, 2, 3, 0xffff, 1u << 31, UINT32_MAX};
	for (unsigned i = 0; i < N(of_pu_0); i++)
		for (unsigned k = 0; k < N(numbers); k++) {
			for (unsigned field = 0; field < 6; field++) {
				struct made *made = whole();
				struct fg_trace_record *record = (struct fg_trace_record *)(block_of(made, 2) + 1) + i;
				uint32_t *words[] = {&record->bubble, &record->member, &record->a};
				if (field < 3)
					*words[field] = numbers[k];
				else if (field == 3)
					record->event = (uint16_t)numbers[k];
				else if (field == 4)
					record->pu = (uint16_t)numbers[k];
				else
					record->time = numbers[k] == UINT32_MAX ? UINT64_MAX : numbers[k];
				bearable(made, NULL);
			}
		}
	struct made *made = whole();
	((struct fg_trace_record *)(block_of(made, 2) + 1))->event = FG_EVENT_COUNT;
	bearable(made, "does not know");
	made = whole();
	((struct fg_trace_record *)(block_of(made, 2) + 1))->pu = 2; /* there are PUs 0 and 1 */
	bearable(made, "does not know");
}

/* Bubbles within themselves, and within bubbles that come later. */
static void
no_tree(void **state)
{
	static const struct fg_trace_record records[] = {{1, FG_EVENT_meet, 0, 5, 0, 5, FUNCTION},
							 {2, FG_EVENT_meet, 0, 6, 0, 7, FUNCTION},
							 {3, FG_EVENT_meet, 0, 7, 0, 6, FUNCTION},
							 {4, FG_EVENT_meet, 0, 6, 0, 7, FUNCTION},
							 {5, FG_EVENT_join, 0, 7, 0, 0, 0}};
	static struct made made;
	char why[200];
	begin(&made);
	events(&made, records, N(records), 0, 0);
	bearable(&made, "machine's tree is missing");
	struct fg_trace *trace = parse(&made, made.size, why, sizeof why);
	struct fg_story *story = fg_story_tell(trace);
	for (size_t i = 0; i < story->n_bubbles; i++)
		assert_true(story->bubbles[i].parent == FG_NOBODY || story->bubbles[i].parent < i);
	fg_story_free(story);
	fg_trace_free(trace);
}

static void
machines_that_lie(void **state)
{
	static const uint32_t numbers[] = {0, 1, 2, 3, 5, 0x10000, UINT32_MAX};
	for (unsigned i = 0; i < N(two_pus); i++)
		for (unsigned k = 0; k < N(numbers); k++)
			for (unsigned field = 0; field < 4; field++) {
				struct made *made = whole();
				struct fg_trace_level *level = (struct fg_trace_level *)(block_of(made, 0) + 1) + i;
				uint32_t *words[] = {&level->kind, &level->depth, &level->first_pu, &level->n_pus};
				*words[field] = numbers[k];
				bearable(made, NULL);
			}
	struct made *made = whole();
	block_of(made, 0)->count = 2;
	bearable(made, "tree cannot be read");
}

/* A worker that has written over its oldest block. */
static void
in_the_order_of_writing(void **state)
{
	static struct made made;
	char why[200];
	begin(&made);
	block(&made, FG_TRACE_MACHINE, N(two_pus), two_pus, sizeof two_pus);
	events(&made, of_pu_0 + 4, 4, 0, 9);
	events(&made, of_pu_0, 4, 0, 8);
	block_of(&made, 1)->lost = 12;
	block_of(&made, 2)->lost = 5;
	struct fg_trace *trace = parse(&made, made.size, why, sizeof why);
	assert_int_equal(trace->n_items, 8);
	assert_int_equal(trace->lost, 12);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(trace->items[i].record.event, of_pu_0[i].event);
	fg_trace_free(trace);
	/* Another worker remembers the events that this one does not. */
	block_of(&made, 2)->count = 0;
	events(&made, of_pu_1, N(of_pu_1), 1, 0);
	trace = parse(&made, made.size, why, sizeof why);
	assert_int_equal(trace->items[0].record.time, of_pu_0[4].time);
	assert_int_equal(trace->n_items, 4);
	assert_int_equal(trace->lost, 12 + N(of_pu_1));
	fg_trace_free(trace);
}

/* Equal texts at two addresses are one reason. A theft of old has no decision, and numbers may lie. */
static void
decisions(void **state)
{
	enum fg_decider unknown = (enum fg_decider)255;
	const struct fg_trace_record records[] = {
		{1, FG_EVENT_meet, 0, 1, 0, 0, FUNCTION},
		{2, FG_EVENT_place, 0, 1, 1, fg_decision_pack(1, FG_DECIDER_born, 2),
		 fg_places_pack(FG_PLACE_NOWHERE, 2)},
		{3, FG_EVENT_place, 0, 1, 2, fg_decision_pack(1, FG_DECIDER_born, 3),
		 fg_places_pack(FG_PLACE_ASIDE, 1u << 16 | 1)},
		{4, FG_EVENT_steal, 0, 1, 1, 0, 0},
		{5, FG_EVENT_burst, 0, 1, 0, fg_decision_pack(9, unknown, FG_TEXT_MASK), UINT64_MAX},
		{6, FG_EVENT_steal, 0, 1, 1, UINT32_MAX, UINT64_C(0xffff0000ffff0000)}};
	static struct made made;
	char why[200], place[40];
	struct fg_decided decided;
	struct fg_decisions *list;
	begin(&made);
	block(&made, FG_TRACE_MACHINE, N(two_pus), two_pus, sizeof two_pus);
	events(&made, records, N(records), 0, 0);
	text(&made, FG_TRACE_TEXTS, "1 deals\n2 near\n\n3 near\nx\n4\n99999 far\n0 none\n-1 less\n5 cut sh");
	bearable(&made, NULL);
	struct fg_trace *trace = parse(&made, made.size, why, sizeof why);
	assert_false(fg_decided_by(trace, &records[0], &decided));
	assert_false(fg_decided_by(trace, &records[3], &decided));
	assert_true(fg_decided_by(trace, &records[1], &decided));
	assert_string_equal(fg_place_text(decided.from, place, sizeof place), "nowhere");
	assert_string_equal(fg_place_text(decided.to, place, sizeof place), "PUs 0-1");
	assert_true(fg_decided_by(trace, &records[2], &decided));
	assert_string_equal(fg_place_text(decided.from, place, sizeof place), "aside");
	assert_string_equal(fg_place_text(decided.to, place, sizeof place), "PU 1");
	assert_int_equal(fg_decisions_count(trace, &list), 3);
	assert_string_equal(list[0].policy, "deals");
	assert_string_equal(list[0].decider, "born");
	assert_string_equal(list[0].event, "place");
	assert_string_equal(list[0].reason, "near");
	assert_int_equal(list[0].count, 2);
	assert_string_equal(list[1].policy, "");
	free(list);
	fg_trace_free(trace);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(whole_file),
					   cmocka_unit_test(what_it_tells),
					   cmocka_unit_test(cut_short),
					   cmocka_unit_test(of_others),
					   cmocka_unit_test(blocks_that_lie),
					   cmocka_unit_test(events_that_lie),
					   cmocka_unit_test(no_tree),
					   cmocka_unit_test(machines_that_lie),
					   cmocka_unit_test(in_the_order_of_writing),
					   cmocka_unit_test(decisions)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
